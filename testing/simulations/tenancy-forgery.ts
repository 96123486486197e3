import { toReference } from "../../src/crossplane/references.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { OWNER } from "../../src/ownership/annotations.ts";
import { RECORD_KINDS, usesLabel } from "../../src/ownership/record.ts";
import { metadataOf, objectIn, withMetadata } from "./store.ts";
import { DATABASE_KINDS, HOSTILE, OWNERS_NAMESPACE } from "./tenancy-composition.ts";

/** A record as a team may write it in its own namespace: over its XR's, or a new one with the marks of another team's. */
export function forgedRecord(database: string, copy: string, own = NEW): JsonObject {
  const references = [
    toReference(
      documentOf({ ...DATABASE_KINDS.namespaced, metadata: { name: database, namespace: OWNERS_NAMESPACE } }),
    ),
    toReference(documentOf({ ...DATABASE_KINDS.clusterScoped, metadata: { name: database } })),
  ];
  const bindings = references.map((reference) => ({
    ...reference,
    access: "Granted",
    credentialFor: "team-b",
    ...(copy !== "" && { secrets: [copy] }),
  }));
  const labels = Object.fromEntries(references.map((reference) => [usesLabel(reference), "true"]));
  const record = withMetadata(own, { labels: { ...objectIn(metadataOf(own), "labels"), ...labels } });
  return { ...record, data: { db: JSON.stringify(bindings), another: JSON.stringify(bindings) } };
}

const NEW: JsonObject = {
  ...RECORD_KINDS.ConfigMap,
  metadata: {
    namespace: HOSTILE,
    name: "forged",
    labels: { "crossplane.io/composite": "shop-team-b", "crossplane.io/claim-namespace": "team-b" },
    annotations: { [OWNER]: "Shop.apps.example.org/team-b/shop" },
    ownerReferences: [
      { apiVersion: "apps.example.org/v1", kind: "Store", name: "shop-team-b", uid: "x", controller: true },
    ],
  },
};
