import { type Document, objectsAt, stringAt } from "../model/document.ts";
import { isObject, type JsonValue, toPlainText } from "../model/json.ts";
import { DNS_LABEL, isPathSegment } from "../model/names.ts";
import { groupKindOf, toApiGroup } from "./api-group.ts";
import type { Composite } from "./composite.ts";

export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The fields with an XR's references, in Crossplane v2 and v1. */
export const MODERN_REFERENCES = ["spec", "crossplane", "resourceRefs"];
export const LEGACY_REFERENCES = ["spec", "resourceRefs"];

/** Finds the field with an XR's references: v2 moved Crossplane's own fields below `spec.crossplane`. */
export const referencesPath = ({ isModern }: Composite): readonly string[] =>
  isModern ? MODERN_REFERENCES : LEGACY_REFERENCES;

/** Tells whether a resource refers to composed resources, and so is an XR. */
export const hasReferences = (resource: Document): boolean =>
  [MODERN_REFERENCES, LEGACY_REFERENCES].some((path) => objectsAt(resource, path).length > 0);

/** Reads an XR's references. Leaves out those without a name, which Crossplane v1's native engine writes as placeholders. */
export const toReferences = (composite: Composite): readonly Reference[] =>
  objectsAt(composite.document, referencesPath(composite))
    .map(({ apiVersion, kind, namespace, name }) => ({
      apiVersion: toPlainText(apiVersion),
      kind: toPlainText(kind),
      // A namespaced XR composes into its own namespace only, so its references omit the namespace.
      namespace: composite.namespace ?? (toPlainText(namespace) || undefined),
      name: toPlainText(name),
    }))
    .filter(({ name }) => name !== "");

/** Tells whether an XR has a reference with a name. The first reference nearly always has: then the rest need not be decoded. */
export const isReferring = (composite: Composite): boolean =>
  stringAt(composite.document, [...referencesPath(composite), 0, "name"]) !== undefined ||
  toReferences(composite).length > 0;

/** Makes a reference to a resource. A field that the resource lacks is "", except for the namespace. */
export const toReference = (resource: Document): Reference => ({
  apiVersion: stringAt(resource, ["apiVersion"]) ?? "",
  kind: stringAt(resource, ["kind"]) ?? "",
  namespace: stringAt(resource, ["metadata", "namespace"]),
  name: stringAt(resource, ["metadata", "name"]) ?? "",
});

/** Reads a reference from JSON; undefined where it is incomplete or a name in it is invalid. */
export function readReference(value: JsonValue | undefined): Reference | undefined {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind, namespace, name } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof name !== "string") return undefined;
  const place = typeof namespace === "string" ? namespace : undefined;
  if (!isPathSegment(name) || (place !== undefined && !DNS_LABEL.test(place))) return undefined;
  return { apiVersion, kind, namespace: place, name };
}

/** Makes a map key of a reference. References to one resource in two API versions have two keys. */
export const referenceKey = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [apiVersion, kind, namespace, name].join("/");

/** Makes a map key of the resource that a reference names, whatever the reference's API version. */
export const resourceKey = ({ apiVersion, kind, namespace = "", name }: Reference): string =>
  [toApiGroup(apiVersion), kind, namespace, name].join("/");

export const isSameResource = (a: Reference, b: Reference): boolean =>
  a.name === b.name && resourceKey(a) === resourceKey(b);

/** Formats a reference: `Bucket.s3.aws.upbound.io/orders`; with a namespace, `Bucket.s3.aws.m.upbound.io/team-a/orders`. */
export const formatReference = (reference: Reference): string =>
  [groupKindOf(reference), reference.namespace, reference.name].filter((part) => part !== undefined).join("/");
