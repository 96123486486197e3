import { ENVIRONMENT, NEW_ENVIRONMENT } from "../../crossplane/environment.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, documentOf, TOO_DEEP } from "../../model/document.ts";
import type { ContextValue } from "../../model/draft.ts";
import { valueAt, withValueAt } from "../../model/field-path.ts";
import { hashText } from "../../model/hash.ts";
import { define, isObject, type JsonObject, type JsonValue, type MutableObject, ownValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Call } from "../feature.ts";

export interface Readable {
  readonly shared: SharedResource;
  readonly resources: readonly Document[];
  /** Labels were looked for, nothing has them, and nothing has to. */
  readonly isEmptyList?: boolean;
  /** Not known yet, or not available. */
  readonly isMissing?: boolean;
}

type Entry = readonly [string, ContextValue];

/**
 * Makes what later steps find in the context: the shared resources as Crossplane answered them, unread, as lists by name beside
 * what an earlier step left there; and the environment with what is merged into it. Never a Secret.
 */
export const toContext = (found: readonly Readable[], call: Call): readonly Entry[] => [
  ...listShared(found, call),
  ...mergeEnvironment(found, call),
];

function listShared(found: readonly Readable[], { request, input }: Call): readonly Entry[] {
  const looked = found.filter(({ shared }) => shared.select.by !== "self");
  const lists = looked.flatMap(({ shared, resources, isEmptyList = false }) =>
    resources.length === 0 && !isEmptyList ? [] : [[shared.into ?? shared.name, resources] as const],
  );
  // Templates look for names in it, which they cannot in nothing: it is there, if empty, unless what should be in it is missing.
  const isThere = looked.length > 0 && looked.every(({ isMissing = false }) => !isMissing);
  if (lists.length === 0 && !isThere) return [];
  const earlier = request.context.at([input.spec.contextKey], TOO_DEEP);
  if (earlier === TOO_DEEP) return []; // what cannot be read cannot be added to
  return [[input.spec.contextKey, { ...(isObject(earlier) ? earlier : {}), ...Object.fromEntries(lists) }]];
}

/** As function-environment-configs merges: shared resources over what earlier steps left, and that over the defaults. */
function mergeEnvironment(found: readonly Readable[], { request, input }: Call): readonly Entry[] {
  const layers = found.flatMap(({ shared, resources }) =>
    resources.flatMap((resource) => toLayers(shared.toEnvironment, resource)),
  );
  const { environment } = input.spec;
  // Templates read fields of the environment: it is there, if empty, unless what should be in it is missing.
  const sources = found.filter(({ shared }) => shared.toEnvironment !== undefined);
  const isThere =
    sources.length > 0 && sources.every(({ resources, isMissing = false }) => !isMissing && resources.length === 0);
  if (layers.length === 0 && environment === undefined && !isThere) return [];
  const earlier = request.context.at([ENVIRONMENT], TOO_DEEP);
  if (earlier === TOO_DEEP) return [];
  // What is later is merged first: a list in the middle hides no default from an object that takes its place.
  const set = isObject(earlier) ? [earlier, ...asOne(layers)] : layers;
  const objects = environment === undefined ? set : [environment.defaultData, ...asOne(set)];
  const isNew = objects.every((object) => !Object.hasOwn(object, "kind"));
  return [[ENVIRONMENT, mergeAll(isNew ? [...objects, NEW_ENVIRONMENT] : objects)]];
}

/** Merges several; one is not copied for that, because a team may write a large one. */
const asOne = (objects: readonly JsonObject[]): readonly JsonObject[] =>
  objects.length > 1 ? [mergeAll(objects)] : objects;

function toLayers(toEnvironment: SharedResource["toEnvironment"], resource: Document): readonly JsonObject[] {
  const value = toEnvironment && resource.at(toEnvironment.fromFieldPath);
  if (!isObject(value)) return [];
  return [toEnvironment?.toFieldPath === undefined ? value : withValueAt({}, toEnvironment.toFieldPath, value)];
}

/**
 * Merges objects field by field; of all else the later one wins. There may be many objects with many fields, so each field is
 * copied once.
 */
function mergeAll(objects: readonly JsonObject[]): JsonObject {
  const made = new Set<JsonValue>();
  const merged: MutableObject = {};
  for (const object of objects) addTo(merged, object, made);
  return merged;
}

/** @param made the objects that this merge has made, so that it may change them */
function addTo(merged: MutableObject, object: JsonObject, made: Set<JsonValue>): void {
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    const before = isObject(value) ? ownValue(merged, key) : undefined;
    if (!isObject(value) || !isObject(before)) {
      define(merged, key, value);
      continue;
    }
    const nested: MutableObject = made.has(before) ? before : { ...before };
    made.add(nested);
    define(merged, key, nested);
    addTo(nested, value, made);
  }
}

/** The context key under which a step keeps the environment that earlier steps left, while Crossplane calls it again. */
const ENVIRONMENT_BEFORE = `${DOMAIN}/environment-before`;

/**
 * The call, with the environment that earlier steps left. Crossplane calls a step until it requires nothing new, each time with
 * the context that the step has returned. A share that selects by what another one, or it itself, has just added to the
 * environment would ask for something else at each call, and Crossplane gives up after six.
 */
export function withEnvironmentBefore(call: Call): Call {
  const { context } = call.request;
  if (!isFeedingItself(call.input.spec.sharedResources)) return call;
  if (context.at([ENVIRONMENT], TOO_DEEP) === TOO_DEEP) return call;
  const environment = environmentBefore(call);
  const before: typeof context = {
    at: ([root = "", ...path], ...tooDeep) =>
      root === ENVIRONMENT ? valueAt(environment, path) : context.at([root, ...path], ...tooDeep),
    toObject: () => ({ ...context.toObject(), [ENVIRONMENT]: environment }),
    with: (edits) => documentOf(before.toObject()).with(edits),
  };
  return { ...call, request: { ...call.request, context: before } };
}

/** The context entry that lets the next call of the same step find the same environment. */
export function keepEnvironmentBefore(call: Call): readonly (readonly [string, JsonObject])[] {
  if (!isFeedingItself(call.input.spec.sharedResources)) return [];
  return [[ENVIRONMENT_BEFORE, { step: identifyStep(call), environment: environmentBefore(call) }]];
}

function environmentBefore(call: Call): JsonObject {
  const { context } = call.request;
  const kept = context.at([ENVIRONMENT_BEFORE]);
  const isOurs = isObject(kept) && kept["step"] === identifyStep(call);
  const environment = isOurs ? kept["environment"] : context.at([ENVIRONMENT]);
  return isObject(environment) ? environment : {};
}

/** A step does not know its name, but has an input of its own. */
const identifyStep = ({ input }: Call): string => hashText(JSON.stringify(input.spec.sharedResources), 16);

const isFeedingItself = (shares: readonly SharedResource[]): boolean =>
  shares.some(({ toEnvironment }) => toEnvironment !== undefined) && shares.some(readsEnvironment);

function readsEnvironment({ select, connection }: SharedResource): boolean {
  const copies = connection?.copies ?? [];
  const values = [
    select.namespace,
    ...(select.by === "name" ? [select.name] : []),
    ...(select.by === "labels" ? select.labels.map(({ value }) => value) : []),
    ...copies.flatMap(({ namespaces, secretName, keys = [] }) => [namespaces, secretName, ...keys.map(({ to }) => to)]),
  ];
  return values.some((value) => value?.is === "environment");
}
