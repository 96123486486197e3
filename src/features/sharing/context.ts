import { readPathsOf, type SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import { type Document, TOO_DEEP } from "../../model/document.ts";
import type { ContextValue } from "../../model/draft.ts";
import { withoutValueAt, withValueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, pick } from "../../model/json.ts";
import type { Call } from "../feature.ts";
import { ENVIRONMENT } from "../value.ts";
import { withoutEmpty } from "./empty.ts";
import { type Outcome, readableIn } from "./judgement.ts";

type ContextEntry = readonly [string, ContextValue];

/** Makes the context for later steps: lists of shared resources by `into`, and the environment. It has no Secrets. */
export const toContext = (shares: readonly Outcome[], call: Call): readonly ContextEntry[] => [
  ...listShared(shares, call),
  ...mergeEnvironment(shares, call),
];

function listShared(shares: readonly Outcome[], { request, input }: Call): readonly ContextEntry[] {
  const named = shares.filter(({ shared: { into, select } }) => into !== undefined && select.by !== "self");
  const lists = named.flatMap(
    ({ shared: { into = "", select, resolution }, judgement: { copies, fields, reasons } }) => {
      const readable = readableIn(fields);
      // With matchLabels the list exists even if it is empty, because templates range over it.
      const isExpected = reasons.length === 0 || (copies.is === "gone" && resolution === "Optional");
      const mayBeEmpty = select.by === "labels" && isExpected && fields.is !== "refused";
      return readable.length > 0 || mayBeEmpty ? [[into, readable.map(withoutManagedFields)] as const] : [];
    },
  );
  // Templates read this object, so it exists unless a shared resource is missing.
  const isThere = named.length > 0 && named.every(({ reasons }) => reasons.length === 0);
  if (lists.length === 0 && !isThere) return [];
  const earlier = request.context.at([input.spec.contextKey], TOO_DEEP);
  if (earlier === TOO_DEEP) return []; // it cannot be read, and so not extended
  return [[input.spec.contextKey, { ...(isObject(earlier) ? earlier : {}), ...Object.fromEntries(lists) }]];
}

const MANAGED_FIELDS = ["metadata", "managedFields"];

/** Empties managed fields, often half of a resource, since all later steps get the context. */
const withoutManagedFields = (resource: Document): Document =>
  resource.at([...MANAGED_FIELDS, 0, "manager"]) === undefined
    ? resource
    : resource.with([{ path: MANAGED_FIELDS, value: [] }]);

/** Merges defaults, the environment of earlier steps and shared resources, as function-environment-configs does. */
function mergeEnvironment(shares: readonly Outcome[], { request, input }: Call): readonly ContextEntry[] {
  const { environment } = input.spec;
  const sources = shares.filter(({ shared }) => shared.toEnvironment !== undefined);
  const layers = sources.flatMap(({ shared, judgement }) =>
    readableIn(judgement.fields).flatMap((resource) => toLayers(shared, resource)),
  );
  // Templates read the environment, so it exists unless a shared resource is missing.
  const isThere =
    sources.length > 0 &&
    sources.every(({ judgement, reasons }) => [...readableIn(judgement.fields), ...reasons].length === 0);
  if (layers.length === 0 && environment === undefined && !isThere) return [];
  const earlier = request.context.at([ENVIRONMENT], TOO_DEEP);
  if (earlier === TOO_DEEP) return [];
  const objects = [environment?.defaultData, earlier, mergeAll(layers)].filter(isObject);
  const isNew = objects.every((object) => !Object.hasOwn(object, "kind"));
  const all = isNew ? [...objects, NEW_ENVIRONMENT] : objects;
  return [[ENVIRONMENT, all.reduceRight((later, object) => mergeAll([object, later]))]];
}

/**
 * Makes the layer of one resource, without
 *
 * - apiVersion and kind: function-patch-and-transform stops the XR if the environment has another type;
 * - empty fields of a status, which are not set yet: later steps would compose with them;
 * - fields by which the share selects: it would select another resource in the next call.
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

/** Merges objects field by field. Of other values the last one wins, and replaces earlier objects. */
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
