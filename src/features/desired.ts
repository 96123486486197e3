import { toApiGroup } from "../crossplane/api-group.ts";
import { findController, readUid } from "../crossplane/metadata.ts";
import { LEGACY_REFERENCES, MODERN_REFERENCES, type Reference, toReference } from "../crossplane/references.ts";
import { type Document, stringAt, toDocument } from "../model/document.ts";
import type { Draft, ResourceEdit } from "../model/draft.ts";
import { type FieldPath, withoutValueAt, withValueAt } from "../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, objectOf, pick } from "../model/json.ts";
import type { Call } from "./feature.ts";

export type Edits = readonly (readonly [string, ResourceEdit])[];

/** Lists the composed resources desired so far, by earlier steps and earlier features. */
export function desiredSoFar({ request }: Call, { resources: edits }: Draft): ReadonlyMap<string, Document> {
  const desired = new Map<string, Document>();
  for (const [name, { document }] of request.desired.resources) desired.set(name, document);
  for (const [name, edit] of edits) {
    if (edit.is === "removed") desired.delete(name);
    else if (edit.object !== undefined) desired.set(name, toDocument(edit.object));
  }
  return desired;
}

/**
 * Finds the observed resource of a name in the Composition; undefined if its kind is not that of `like`: a team that edits its
 * XR's references can have any resource observed under the name.
 */
export function observedAs(name: string, like: Pick<Reference, "apiVersion" | "kind">, { request }: Call) {
  const document = request.observed.resources.get(name)?.document;
  if (document === undefined || stringAt(document, ["kind"]) !== like.kind) return undefined;
  return toApiGroup(stringAt(document, ["apiVersion"])) === toApiGroup(like.apiVersion) ? document : undefined;
}

/**
 * Finds an observed resource that this function composed for itself, such as a record. Undefined for an object in another
 * namespace than the XR's: a team that edits the annotation with the name in the Composition can have any object that a
 * cluster-scoped XR composed into the team's namespace observed under the name.
 */
export function observedOwn(name: string, { request, composite }: Call) {
  const document = request.observed.resources.get(name)?.document;
  return document && [undefined, composite.namespace].includes(toReference(document).namespace) ? document : undefined;
}

/** Finds the observed resource of a name in the Composition if this XR controls it, whatever its kind: the Composition may have changed that. */
export function controlledAs(name: string, { request, composite }: Call): Document | undefined {
  const document = request.observed.resources.get(name)?.document;
  const controller = document && findController(document);
  return controller !== undefined && controller.uid === readUid(composite.document) ? document : undefined;
}

/** The fields of `metadata` that a pipeline may desire. The API server and Crossplane set all others. */
const KEPT = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];

/**
 * Desires an observed resource exactly as it is: server-side apply removes fields that an XR no longer applies. Leaves out
 * the references of a nested XR, which Crossplane may write at the same time.
 */
export function asObserved(observed: Document): JsonObject {
  const { status: _, metadata, ...object } = observed.toObject();
  const kept = pick(objectOf(metadata), (key) => KEPT.includes(key));
  return [LEGACY_REFERENCES, MODERN_REFERENCES].reduce(withoutValueAt, { ...object, metadata: kept });
}

/** Picks fields of an observed resource, to desire them unchanged. Leaves out labels and annotations that Crossplane sets. */
export const pickObserved = (observed: Document, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((object, path) => {
    const value = withoutCrossplanes(path, observed.at(path));
    return value === undefined ? object : withValueAt(object, path, value);
  }, {});

/** Desires observed resources by the prefix of their names in the Composition: as ready, with the fields at `paths` unchanged. */
export const keepObserved = (prefix: string, paths: readonly FieldPath[], call: Call): Edits =>
  [...call.request.observed.resources.keys()].flatMap((name): Edits => {
    const document = name.startsWith(prefix) ? observedOwn(name, call) : undefined;
    return document ? [[name, { is: "set", object: pickObserved(document, paths), ready: "True" }]] : [];
  });

function withoutCrossplanes([root, field]: FieldPath, value: JsonValue | undefined): JsonValue | undefined {
  if (root !== "metadata" || (field !== "labels" && field !== "annotations") || !isObject(value)) return value;
  const others = Object.entries(value).filter(([key]) => !key.startsWith("crossplane.io/"));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}
