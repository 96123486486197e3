import { type Document, stringAt } from "../model/document.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { toApiGroup, toGroupKind } from "./api-group.ts";
import type { Composite } from "./composite.ts";

/** An XR's reference to a resource that it has composed. */
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
  const { resourceRefs: _, ...legacy } = spec;
  const { crossplane } = legacy;
  if (!isObject(crossplane)) return legacy;
  const { resourceRefs: __, ...modern } = crossplane;
  return { ...legacy, crossplane: modern };
}

/** The XR's references. Those without a name are placeholders of Crossplane v1's own composition engine, which skips them too. */
export function toReferences(composite: Composite): readonly Reference[] {
  const references = composite.document.at(referencesPath(composite));
  if (!Array.isArray(references)) return [];
  const text = (reference: JsonObject, key: string): string => String(reference[key] ?? "");
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

export const toReference = (resource: Document): Reference => ({
  apiVersion: stringAt(resource, ["apiVersion"]) ?? "",
  kind: stringAt(resource, ["kind"]) ?? "",
  namespace: stringAt(resource, ["metadata", "namespace"]),
  name: stringAt(resource, ["metadata", "name"]) ?? "",
});

/** The same for two references to one resource in one version of its kind. */
export const referenceKey = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [apiVersion, kind, namespace, name].join("/");

/** `Bucket.s3.aws.upbound.io/orders`, as kubectl takes kind and name, with the namespace before the name. */
export function formatReference({ apiVersion, kind, namespace, name }: Reference): string {
  const groupKind = toGroupKind(kind, toApiGroup(apiVersion));
  return [groupKind, namespace, name].filter((part) => part !== undefined).join("/");
}
