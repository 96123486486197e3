import type { Composite } from "../../../crossplane/composite.ts";
import { COPY_KINDS, type SecretName, SHARED_RESOURCE, sharedResourceLabel } from "../../../crossplane/copies.ts";
import { OBSERVE } from "../../../crossplane/management-policies.ts";
import { annotationPath } from "../../../crossplane/metadata.ts";
import type { Reference } from "../../../crossplane/references.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { formatFieldPath, withValueAt } from "../../../model/field-path.ts";
import { hashText } from "../../../model/hash.ts";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { DOMAIN } from "../../../model/names.ts";
import { formatOwner, OWNER, SHARED_FROM } from "../../../ownership/owner.ts";
import type { Call } from "../../feature.ts";
import { type Data, EARLIER_RESOURCES, formatOrigin, formatOrigins, formatSecret, type Original } from "../source.ts";
import type { Copying, Destination, NamedCopy } from "../verdict.ts";

/** The source Secret's resourceVersion: a new one makes the provider look at once, and not when it next polls. */
export const SOURCE_VERSION = `${DOMAIN}/source-version`;

/** The label of a copy that says which Secret it is, for Crossplane v1, which finds namespaced resources by labels only. */
const TARGET = `${DOMAIN}/target`;

export const targetLabel = (secret: SecretName) => ({
  [TARGET]: hashText(formatSecret(secret), 40),
});

/** Composes what makes a copy: an Object of provider-kubernetes in one of three ways, or the Secret itself. */
export function compose(
  destination: Destination,
  { original, secret }: Pick<Copying, "original" | "secret">,
  data: Data,
  { composite }: Call,
): JsonObject {
  switch (destination.copy.via) {
    case "ObjectWithValues":
      return objectWithValues(original, destination, composite, data);
    case "Secret":
      return copiedSecret(original, destination, composite, data);
    case "ConnectionSecret": {
      const listed = destination.copy.keys?.flatMap((key) => ("from" in key ? [key] : []));
      const keys = listed ?? [...data.keys()].map((key) => ({ from: key, to: key }));
      const version = secret.is === "read" ? secret.version : undefined;
      return connectionSecretObject(original, destination, composite, keys, version);
    }
    default:
      return copyingObject(original, destination, composite);
  }
}

/**
 * Composes an Object of provider-kubernetes that keeps a copy of a Secret. The provider reads the source and writes the copy
 * (`references[].patchesFrom`), so this function reads no secret byte.
 */
const copyingObject = (original: Original, destination: Destination, composite: Composite): JsonObject =>
  toObject(original, composite, destination.copy, {
    forProvider: { manifest: toManifest(original, destination, composite) },
    references: toReferences(original.source, destination),
  });

/** Composes an Object of provider-kubernetes whose manifest is the copy with all that is in it. */
const objectWithValues = (original: Original, destination: Destination, composite: Composite, data: Data): JsonObject =>
  toObject(original, composite, destination.copy, {
    forProvider: { manifest: { ...toManifest(original, destination, composite), data: Object.fromEntries(data) } },
  });

/** Composes the copy itself. */
function copiedSecret(original: Original, destination: Destination, composite: Composite, data: Data): JsonObject {
  const { metadata, ...secret } = toManifest(original, destination, composite);
  const labels = { ...metadata.labels, ...sharedResourceLabel(original.origin) };
  const annotations = { ...metadata.annotations, [SHARED_RESOURCE]: formatOrigin(original.origin) };
  return { ...secret, metadata: { ...metadata, labels, annotations }, data: Object.fromEntries(data) };
}

/** A key of the source, and its name in the copy. */
interface CopiedKey {
  readonly from: string;
  readonly to: string;
}

/**
 * Composes an Object of provider-kubernetes that only observes the copy's Namespace, and publishes the source's keys as its own
 * connection Secret. The provider refuses to write a Secret that this Object does not control.
 */
function connectionSecretObject(
  original: Original,
  { namespace, name, copy }: Destination,
  composite: Composite,
  keys: readonly CopiedKey[],
  version: string | undefined,
): JsonObject {
  const { source } = original;
  const annotations = version === undefined ? {} : { [SOURCE_VERSION]: version };
  const spec = {
    managementPolicies: OBSERVE,
    forProvider: { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } },
    connectionDetails: keys.map(({ from, to }) => ({
      apiVersion: "v1",
      kind: "Secret",
      namespace: source.namespace,
      name: source.name,
      fieldPath: formatFieldPath(["data", from]),
      toConnectionSecretKey: to,
    })),
    writeConnectionSecretToRef: composite.namespace === undefined ? { namespace, name } : { name },
  };
  return toObject(original, composite, copy, spec, annotations);
}

/** Adds to an Object the origins of what may still be in its Secret. */
export function withEarlier(edit: ResourceEdit, origins: readonly Reference[]): ResourceEdit {
  if (edit.is !== "set" || edit.object === undefined) return edit;
  const path = annotationPath(EARLIER_RESOURCES);
  return { ...edit, object: withValueAt(edit.object, path, formatOrigins(origins)) };
}

/** The copy without its data. */
const toManifest = ({ source }: Original, destination: Destination, composite: Composite) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name: destination.name,
    namespace: destination.namespace,
    labels: { ...destination.copy.labels, ...targetLabel(destination) },
    annotations: {
      ...destination.copy.annotations,
      [OWNER]: formatOwner(composite),
      [SHARED_FROM]: formatSecret(source),
    },
  },
  type: destination.copy.type,
});

/** A namespaced XR can compose only the namespaced Object (provider-kubernetes v1, kubernetes.m.crossplane.io). */
function toObject(
  { origin }: Original,
  composite: Composite,
  { providerConfigRef: reference }: NamedCopy,
  spec: JsonObject,
  annotations: Readonly<Record<string, string>> = {},
): JsonObject {
  const isNamespaced = composite.namespace !== undefined;
  return {
    ...COPY_KINDS[isNamespaced ? "NamespacedObject" : "Object"],
    metadata: {
      labels: sharedResourceLabel(origin),
      annotations: { [OWNER]: formatOwner(composite), [SHARED_RESOURCE]: formatOrigin(origin), ...annotations },
    },
    spec: {
      ...spec,
      providerConfigRef: isNamespaced ? { kind: reference.kind, name: reference.name } : { name: reference.name },
    },
  };
}

function toReferences({ namespace, name }: SecretName, { copy }: Destination): readonly JsonValue[] {
  const patch = (from: string, to: string) => ({
    patchesFrom: { apiVersion: "v1", kind: "Secret", namespace, name, fieldPath: from },
    toFieldPath: to,
  });
  if (copy.keys === undefined) return [patch("data", "data")];
  return copy.keys.flatMap((key) =>
    "from" in key ? [patch(formatFieldPath(["data", key.from]), formatFieldPath(["data", key.to]))] : [],
  );
}
