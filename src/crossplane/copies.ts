import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { parseJson } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { groupKindOf } from "./api-group.ts";
import { readAnnotation } from "./metadata.ts";
import { type Reference, readReference, toReference } from "./references.ts";

/** The prefix of a copy's name in the Composition. */
export const COPY_PREFIX = "shared/";

/** The annotation in which a copy refers to its shared resource, as JSON. */
export const SHARED_RESOURCE = `${DOMAIN}/shared-resource`;

/** Reads the reference from a copy to its shared resource; undefined if it is missing or incomplete. */
export const readSharedResource = (composed: Document): Reference | undefined =>
  readReference(parseJson(readAnnotation(composed, SHARED_RESOURCE)));

export const COPY_KINDS = {
  Object: { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" },
  NamespacedObject: { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "Object" },
  Secret: { apiVersion: "v1", kind: "Secret" },
} as const;

const COPY_GROUP_KINDS: ReadonlySet<string> = new Set(Object.values(COPY_KINDS).map(groupKindOf));

/** Tells whether a resource is of a kind that this function composes for copies. */
export const isOfCopyKind = (resource: Document): boolean => COPY_GROUP_KINDS.has(groupKindOf(toReference(resource)));

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Formats a Secret's name for messages, records and map keys: `namespace/name`. */
export const formatSecret = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;

export const MANIFEST_METADATA: FieldPath = ["spec", "forProvider", "manifest", "metadata"];

/** The field in which a Crossplane v1 XR, a claim or an Object names its connection Secret. */
export const CONNECTION_SECRET_REF: FieldPath = ["spec", "writeConnectionSecretToRef"];

/**
 * Reads the namespace and name of the Secret that a composed resource delivers as a copy: the composed Secret itself, the
 * Secret in an Object's manifest, or the connection Secret that an Object publishes.
 */
export function readCopiedSecret(resource: Document): SecretName | undefined {
  if (resource.at(["kind"]) === "Secret") return secretAt(resource, ["metadata"]);
  if (resource.at(CONNECTION_SECRET_REF) === undefined) return secretAt(resource, MANIFEST_METADATA);
  return secretAt(resource, CONNECTION_SECRET_REF, stringAt(resource, [...MANIFEST_METADATA, "name"]));
}

/** Reads a Secret's namespace and name below `path`. @param byDefault the namespace if the field is not set. */
export function secretAt(resource: Document, path: FieldPath, byDefault?: string): SecretName | undefined {
  const namespace = stringAt(resource, [...path, "namespace"]) ?? byDefault;
  const name = stringAt(resource, [...path, "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}
