import { type Document, stringAt } from "../model/document.ts";
import { isObject, type JsonObject, type JsonValue, pick, toPlainText } from "../model/json.ts";
import { DNS_LABEL, isPathSegment } from "../model/names.ts";
import { toApiGroup, toGroupKind } from "./api-group.ts";
import type { Composite } from "./composite.ts";

/** A reference to one resource: an XR's to what it has composed, or a copy's to the shared resource that it was made from. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string;
}

const MODERN = ["spec", "crossplane", "resourceRefs"];
const LEGACY = ["spec", "resourceRefs"];

/** The field in which Crossplane keeps an XR's references: its own fields have moved in v2. */
export const referencesPath = ({ isModern }: Composite): readonly string[] => (isModern ? MODERN : LEGACY);

/** Tells whether a composed resource is itself an XR that has composed something. */
export const hasReferences = (resource: Document): boolean =>
  [MODERN, LEGACY].some((path) => {
    const references = resource.at(path);
    return Array.isArray(references) && references.length > 0;
  });

/** The spec of an XR without its references. */
export function withoutReferences(spec: JsonObject): JsonObject {
  const legacy = pick(spec, (field) => field !== "resourceRefs");
  const { crossplane } = legacy;
  return isObject(crossplane)
    ? { ...legacy, crossplane: pick(crossplane, (field) => field !== "resourceRefs") }
    : legacy;
}

/** The XR's references. Those without a name are placeholders of Crossplane v1's own composition engine, which skips them too. */
export function toReferences(composite: Composite): readonly Reference[] {
  const references = composite.document.at(referencesPath(composite));
  if (!Array.isArray(references)) return [];
  const text = (reference: JsonObject, key: string): string => toPlainText(reference[key]);
  return references
    .filter(isObject)
    .filter((reference) => text(reference, "name") !== "")
    .map((reference) => ({
      apiVersion: text(reference, "apiVersion"),
      kind: text(reference, "kind"),
      // A namespaced XR composes into its own namespace only, and does not say so in each reference.
      namespace: composite.namespace ?? (text(reference, "namespace") || undefined),
      name: text(reference, "name"),
    }));
}

/** Refers to a resource; fields that it lacks are "". */
export const toReference = (resource: Document): Reference => ({
  apiVersion: stringAt(resource, ["apiVersion"]) ?? "",
  kind: stringAt(resource, ["kind"]) ?? "",
  namespace: stringAt(resource, ["metadata", "namespace"]),
  name: stringAt(resource, ["metadata", "name"]) ?? "",
});

/** Reads a reference from JSON; undefined where that is none, or no whole one, or names what nothing can be called. */
export function readReference(value: JsonValue | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind, namespace, name } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined;
  const place = typeof namespace === "string" ? namespace : undefined;
  if (!isPathSegment(name) || (place !== undefined && !DNS_LABEL.test(place))) return undefined;
  return { apiVersion, kind, namespace: place, name };
}

/** The same for two references to one resource in one version of its kind. */
export const referenceKey = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [apiVersion, kind, namespace, name].join("/");

/** The same for two references to one resource, in whichever version of its API. */
export const resourceKey = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [toApiGroup(apiVersion), kind, namespace, name].join("/");

/** `Bucket.s3.aws.upbound.io/orders`, as kubectl takes kind and name, with the namespace before the name. */
export function formatReference({ apiVersion, kind, namespace, name }: Reference): string {
  const groupKind = toGroupKind(kind, toApiGroup(apiVersion));
  return [groupKind, namespace, name].filter((part) => part !== undefined).join("/");
}
