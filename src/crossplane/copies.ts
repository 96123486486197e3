import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { parseJson } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { readAnnotation } from "./metadata.ts";
import { type Reference, readReference } from "./references.ts";

/** The prefix of the names in the Composition of all copies. */
export const COPY_PREFIX = "shared/";

/** The annotation of a composed resource that makes a copy: the shared resource, as JSON. */
export const SHARED_RESOURCE = `${DOMAIN}/shared-resource`;

/** Reads the shared resource from a composed resource that makes a copy; undefined where the record is missing or incomplete. */
export const readSharedResource = (composed: Document): Reference | undefined =>
  readReference(parseJson(readAnnotation(composed, SHARED_RESOURCE)));

export const COPY_KINDS = {
  Object: { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" },
  NamespacedObject: { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "Object" },
  Secret: { apiVersion: "v1", kind: "Secret" },
} as const;

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** Formats a Secret's name for messages, records and map keys: `namespace/name`. */
export const formatSecret = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;

/** The field of an Object with the metadata of what it writes. */
export const MANIFEST_METADATA: FieldPath = ["spec", "forProvider", "manifest", "metadata"];

/** The field in which a Crossplane v1 XR, a claim or an Object names its connection Secret. */
export const CONNECTION_SECRET_REF: FieldPath = ["spec", "writeConnectionSecretToRef"];

/** Reads the name of the copy: the resource itself, the Secret in an Object's manifest, or the one that an Object publishes to. */
export function readCopiedSecret(resource: Document): SecretName | undefined {
  if (resource.at(["kind"]) === "Secret") return secretAt(resource, ["metadata"]);
  if (resource.at(CONNECTION_SECRET_REF) === undefined) return secretAt(resource, MANIFEST_METADATA);
  return secretAt(resource, CONNECTION_SECRET_REF, stringAt(resource, [...MANIFEST_METADATA, "name"]));
}

export function secretAt(resource: Document, path: FieldPath, byDefault?: string): SecretName | undefined {
  const namespace = stringAt(resource, [...path, "namespace"]) ?? byDefault;
  const name = stringAt(resource, [...path, "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}
