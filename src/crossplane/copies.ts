import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { parseJson } from "../model/json.ts";
import { DOMAIN } from "../model/names.ts";
import { readAnnotation } from "./metadata.ts";
import { type Reference, readReference, resourceKey } from "./references.ts";

/** The label of what makes a copy of a connection Secret: the hash of the shared resource that the Secret belongs to. */
export const SHARED_RESOURCE_LABEL = `${DOMAIN}/shared-resource-hash`;

/** The label by which the owner of a shared resource finds its copies. It is the same in each version of the kind's API. */
export const sharedResourceLabel = (shared: Reference) => ({
  [SHARED_RESOURCE_LABEL]: hashText(resourceKey(shared), 40),
});

/** The annotation of what is composed for a copy: the shared resource that the copy was made from, as JSON. */
export const SHARED_RESOURCE = `${DOMAIN}/shared-resource`;

/** Reads the shared resource that is recorded on what is composed for a copy; undefined where there is none, or no whole one. */
export const readSharedResource = (composed: Document): Reference | undefined =>
  readReference(parseJson(readAnnotation(composed, SHARED_RESOURCE)));

/** The kinds that make copies. */
export const COPY_KINDS = {
  Object: { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" },
  NamespacedObject: { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "Object" },
  Secret: { apiVersion: "v1", kind: "Secret" },
} as const;

export type CopyKind = keyof typeof COPY_KINDS;

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

const MANIFEST_METADATA: FieldPath = ["spec", "forProvider", "manifest", "metadata"];
/** The field in which an XR of Crossplane v1, a claim or an Object names its connection Secret. */
export const CONNECTION_SECRET_REF: FieldPath = ["spec", "writeConnectionSecretToRef"];

/** Reads which Secret is the copy: the resource itself, the one in an Object's manifest, or the one an Object publishes to. */
export function readCopiedSecret(resource: Document): SecretName | undefined {
  if (resource.at(["kind"]) === "Secret") return secretAt(resource, ["metadata"]);
  if (resource.at(CONNECTION_SECRET_REF) === undefined) return secretAt(resource, MANIFEST_METADATA);
  const name = stringAt(resource, [...CONNECTION_SECRET_REF, "name"]);
  const namespace =
    stringAt(resource, [...CONNECTION_SECRET_REF, "namespace"]) ?? stringAt(resource, [...MANIFEST_METADATA, "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}

function secretAt(resource: Document, path: FieldPath): SecretName | undefined {
  const namespace = stringAt(resource, [...path, "namespace"]);
  const name = stringAt(resource, [...path, "name"]);
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}
