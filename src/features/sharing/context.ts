import { readPathsOf, type SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import { type Document, TOO_DEEP } from "../../model/document.ts";
import type { ContextValue } from "../../model/draft.ts";
import { withoutValueAt, withValueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, objectOf, pick } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { ENVIRONMENT } from "../value.ts";
import { type Outcome, readableIn } from "./judgement.ts";

type ContextEntry = readonly [string, ContextValue];

/** Makes the context for later steps, without a Secret's values: the shared resources by their key `into`, and the environment. */
export const toContext = (shares: readonly Outcome[], call: Call): readonly ContextEntry[] => [
  ...listShared(shares, call),
  ...mergeEnvironment(shares, call),
];

function listShared(shares: readonly Outcome[], { request, input }: Call): readonly ContextEntry[] {
  const named = shares.filter(({ shared: { into, select } }) => into !== undefined && select.by !== "self");
  const lists = named.flatMap(
    ({ shared: { into = "", select, resolution }, judgement: { copies, fields, reasons } }) => {
      const readable = readableIn(fields);
      // Templates loop over what a selector by labels finds, so that list is set even if it is empty.
      const isExpected = reasons.length === 0 || (copies.is === "gone" && resolution === "Optional");
      const mayBeEmpty = select.by === "labels" && isExpected && fields.is !== "refused";
      return readable.length > 0 || mayBeEmpty ? [[into, readable.map(withoutManagedFields)] as const] : [];
    },
  );
  // Templates read the object under `contextKey`. It is set even without a list, unless a shared resource is unavailable.
  const isComplete = named.length > 0 && named.every(({ reasons }) => reasons.length === 0);
  if (lists.length === 0 && !isComplete) return [];
  const earlier = request.context.at([input.spec.contextKey], TOO_DEEP);
  if (earlier === TOO_DEEP) return []; // it cannot be decoded, so nothing can be added
  return [[input.spec.contextKey, { ...objectOf(earlier), ...Object.fromEntries(lists) }]];
}

const MANAGED_FIELDS = ["metadata", "managedFields"];

/** Empties managedFields, which are often half of a resource: Crossplane sends the context to every later step. */
const withoutManagedFields = (resource: Document): Document =>
  resource.at([...MANAGED_FIELDS, 0, "manager"]) === undefined
    ? resource
    : resource.with([{ path: MANAGED_FIELDS, value: [] }]);

/** Merges the environment as function-environment-configs does: defaults, then earlier steps, then shared resources. */
function mergeEnvironment(shares: readonly Outcome[], { request, input }: Call): readonly ContextEntry[] {
  const { environment } = input.spec;
  const sources = shares.filter(({ shared }) => shared.toEnvironment !== undefined);
  const layers = sources.flatMap(({ shared, judgement }) =>
    readableIn(judgement.fields).flatMap((resource) => toLayers(shared, resource)),
  );
  // Templates read the environment, so it is set even if all its shared resources are optional and missing.
  const isEmptyAsAllowed =
    sources.length > 0 &&
    sources.every(({ judgement, reasons }) => [...readableIn(judgement.fields), ...reasons].length === 0);
  if (layers.length === 0 && environment === undefined && !isEmptyAsAllowed) return [];
  const earlier = request.context.at([ENVIRONMENT], TOO_DEEP);
  if (earlier === TOO_DEEP) return [];
  const objects = [environment?.defaultData, earlier, mergeAll(layers)].filter(isObject);
  const isNew = objects.every((object) => !Object.hasOwn(object, "kind"));
  const all = isNew ? [...objects, NEW_ENVIRONMENT] : objects;
  // Merges from the last object backwards, as RunFunction in fn.go of function-environment-configs does. The direction
  // matters for a field that is a scalar between two objects: the two objects are merged, and the scalar is lost.
  return [[ENVIRONMENT, all.reduceRight((later, object) => mergeAll([object, later]))]];
}

/**
 * Makes one resource's layer of the environment, without
 *
 * - apiVersion and kind: function-patch-and-transform stops the XR if the environment has another type;
 * - empty fields of a status, which are not set yet: later steps would compose with them;
 * - fields that the share's own selector reads: the next call would select another resource.
 */
function toLayers(shared: SharedResource, resource: Document): readonly JsonObject[] {
  const { fromFieldPath = [], toFieldPath } = shared.toEnvironment ?? {};
  const found = resource.at(fromFieldPath);
  if (shared.toEnvironment === undefined || !isObject(found)) return [];
  const value = fromFieldPath[0] === "status" ? withoutEmpty(found) : found;
  const isField = (key: string): boolean => !Object.hasOwn(NEW_ENVIRONMENT, key);
  const layer = toFieldPath === undefined ? pick(value, isField) : withValueAt({}, toFieldPath, value);
  return [readPathsOf(shared).reduce(withoutValueAt, layer)];
}

/** Tells whether a value is "", {} or a list of nothing but "": many Compositions write `subnetIds: [""]` for unknown ids. */
export const isEmpty = (value: JsonValue | symbol): boolean =>
  value === "" ||
  (Array.isArray(value) && value.every((item) => item === "")) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Leaves out empty fields, also below other fields. */
function withoutEmpty(object: JsonObject): JsonObject {
  const full = pick(object, (_key, value) => !isEmpty(value));
  return Object.fromEntries(
    Object.entries(full).map(([key, value]) => [key, isObject(value) ? withoutEmpty(value) : value]),
  );
}

/** Merges objects field by field. A value that is not an object replaces all before it. */
function mergeAll(objects: readonly JsonObject[]): JsonObject {
  const fields = objects.flatMap((object) => Object.entries(object));
  const merged = [...groupBy(fields, ([key]) => key)].map(([key, same]) => {
    const values = same.map(([, value]) => value);
    const last = values.slice(values.findLastIndex((value) => !isObject(value)) + 1).filter(isObject);
    return [key, last.length > 1 ? mergeAll(last) : (values.at(-1) ?? null)] as const;
  });
  return Object.fromEntries(merged);
}

/** The type of a new environment, as function-environment-configs sets it. */
const NEW_ENVIRONMENT = { apiVersion: "internal.crossplane.io/v1alpha1", kind: "Environment" } as const;
