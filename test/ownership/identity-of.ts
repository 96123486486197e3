import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { hashExternalName, identify, isKnown, readCloudResource } from "../../src/ownership/identity.ts";

/** Makes the two labels of a cloud resource. */
export function identityOf(desired: JsonObject, observed?: JsonObject) {
  const kind = readManagedKind(documentOf(desired));
  const { identity: facts } = findFacts(kind.group, kind.kind);
  const declared = { desired: documentOf(desired), observed: observed && documentOf(observed), facts };
  const read = readCloudResource(declared);
  if (!isKnown(read)) return undefined;
  return { identity: identify(kind, read), externalName: hashExternalName(kind.group, kind.kind, read.names) };
}

export const named = (name: string): JsonObject => ({ annotations: { "crossplane.io/external-name": name } });

export const resource = (
  apiVersion: string,
  kind: string,
  metadata: JsonObject,
  forProvider: JsonObject,
): JsonObject => ({ apiVersion, kind, metadata, spec: { forProvider } });
