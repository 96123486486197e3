import type { Composite } from "../../model/composite.ts";
import { shownCondition } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { formatFieldPath, parseFieldPath, withValueAt } from "../../model/field-path.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Resource } from "../../model/resource.ts";
import type { SecretName } from "./source.ts";
import type { Target } from "./target.ts";

/** The Secret that a copy was made from, as namespace/name. On the copy. */
const SHARED_FROM = `${DOMAIN}/shared-from`;

/** Whose copy it is: kind.group/namespace/name of the claim, or of the XR where there is none. On the copy. */
const OWNER = `${DOMAIN}/owner`;

/**
 * An Object of provider-kubernetes that keeps a copy of a Secret. The provider reads the source and writes the copy
 * (`references[].patchesFrom`), so this function reads no secret byte. A namespaced XR can compose only the
 * namespaced Object (provider-kubernetes v1, kubernetes.m.crossplane.io).
 */
export function toObject(source: SecretName, target: Target, composite: Composite): JsonObject {
  const { providerConfigRef: reference } = target.copy;
  const isNamespaced = composite.namespace !== undefined;
  return {
    apiVersion: isNamespaced ? "kubernetes.m.crossplane.io/v1alpha1" : "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    spec: {
      forProvider: { manifest: toManifest(source, target, composite) },
      providerConfigRef: isNamespaced ? { kind: reference.kind, name: reference.name } : { name: reference.name },
      references: toReferences(source, target),
    },
  };
}

const toManifest = (source: SecretName, { namespace, name, copy }: Target, composite: Composite): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: {
    name,
    namespace,
    ...(Object.keys(copy.labels).length > 0 && { labels: copy.labels }),
    annotations: {
      ...copy.annotations,
      [OWNER]: ownerOf(composite),
      [SHARED_FROM]: `${source.namespace}/${source.name}`,
    },
  },
  type: copy.type,
});

function ownerOf({ apiVersion, kind, namespace, name, claim }: Composite): string {
  const group = apiVersion.split("/")[0] ?? "";
  if (claim !== undefined) return `${claim.kind}.${group}/${claim.namespace}/${claim.name}`;
  return [`${kind}.${group}`, namespace, name].filter((part) => part !== undefined).join("/");
}

function toReferences({ namespace, name }: SecretName, { copy }: Target): readonly JsonValue[] {
  const patch = (from: string, to: string) => ({
    patchesFrom: { apiVersion: "v1", kind: "Secret", namespace, name, fieldPath: from },
    toFieldPath: to,
  });
  if (copy.keys === undefined) return [patch("data", "data")];
  return copy.keys.map(({ from, to }) => patch(formatFieldPath(["data", from]), formatFieldPath(["data", to])));
}

/** What we desire of an Object. The rest of it, the Secret's data above all, is for the provider to fill in. */
const DESIRED = [
  "apiVersion",
  "kind",
  "spec.forProvider.manifest.apiVersion",
  "spec.forProvider.manifest.kind",
  "spec.forProvider.manifest.metadata",
  "spec.forProvider.manifest.type",
  "spec.providerConfigRef",
  "spec.references",
].map(parseFieldPath);

/**
 * An observed Object of ours, as we desired it. Nothing else of it may come back: what we desired once would be ours, and go
 * as soon as we no longer desired it. The Secret's data, which lies in there, is not even read.
 */
export const asDesired = (observed: Document): JsonObject =>
  DESIRED.reduce<JsonObject>((object, path) => {
    const value = observed.at(path);
    return value === undefined ? object : withValueAt(object, path, value);
  }, {});

/** Whether the copy is there and up to date. An Object that may not write stays Ready but is not Synced: both count. */
export function isReady(object: Resource | undefined): boolean {
  if (object === undefined) return false;
  return ["Ready", "Synced"].every((type) => shownCondition(object.document, type)?.status === "True");
}
