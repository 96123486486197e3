import type { Composite } from "../../../crossplane/composite.ts";
import type { Copy } from "../../../input/connection.ts";
import { formatFieldPath } from "../../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../../model/json.ts";
import { DOMAIN } from "../../../model/names.ts";
import type { Data } from "../data.ts";
import type { SecretName } from "../source.ts";
import type { Target } from "../target.ts";
import { toSecret } from "./secret.ts";

/** The source Secret's resourceVersion: a new one makes the provider look at once, and not when it next polls. */
const SOURCE_VERSION = `${DOMAIN}/source-version`;

/**
 * An Object of provider-kubernetes that keeps a copy of a Secret. The provider reads the source and writes the copy
 * (`references[].patchesFrom`), so this function reads no secret byte.
 */
export const copyingObject = (source: SecretName, target: Target, composite: Composite): JsonObject =>
  objectOf(composite, target.copy, {
    forProvider: { manifest: toSecret(source, target, composite) },
    references: toReferences(source, target),
  });

/** An Object of provider-kubernetes whose manifest is the copy with all that is in it. */
export const objectWithValues = (source: SecretName, target: Target, composite: Composite, data: Data): JsonObject =>
  objectOf(composite, target.copy, { forProvider: { manifest: toSecret(source, target, composite, data) } });

/**
 * An Object of provider-kubernetes that only observes the target's Namespace, and publishes the source's keys as its own
 * connection Secret. The provider refuses to write a Secret that this Object does not control.
 */
export function connectionSecretObject(
  source: SecretName,
  { namespace, name, copy }: Target,
  composite: Composite,
  keys: readonly { readonly from: string; readonly to: string }[],
  version: string | undefined,
): JsonObject {
  const object = objectOf(composite, copy, {
    managementPolicies: ["Observe"],
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
  });
  return version === undefined ? object : { ...object, metadata: { annotations: { [SOURCE_VERSION]: version } } };
}

/** A namespaced XR can compose only the namespaced Object (provider-kubernetes v1, kubernetes.m.crossplane.io). */
function objectOf(composite: Composite, { providerConfigRef: reference }: Copy, spec: JsonObject): JsonObject {
  const isNamespaced = composite.namespace !== undefined;
  return {
    apiVersion: isNamespaced ? "kubernetes.m.crossplane.io/v1alpha1" : "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    spec: {
      ...spec,
      providerConfigRef: isNamespaced ? { kind: reference.kind, name: reference.name } : { name: reference.name },
    },
  };
}

function toReferences({ namespace, name }: SecretName, { copy }: Target): readonly JsonValue[] {
  const patch = (from: string, to: string) => ({
    patchesFrom: { apiVersion: "v1", kind: "Secret", namespace, name, fieldPath: from },
    toFieldPath: to,
  });
  if (copy.keys === undefined) return [patch("data", "data")];
  return copy.keys.flatMap((key) =>
    "from" in key ? [patch(formatFieldPath(["data", key.from]), formatFieldPath(["data", key.to]))] : [],
  );
}
