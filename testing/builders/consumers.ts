import { consumers } from "../../src/features/consumers/consumers.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { usesLabel } from "../../src/records/record.ts";
import { type CallParts, callOf } from "./calls.ts";
import { type NewCall, runFeature } from "./run-feature.ts";

// Builders for tests of consumers: the database whose Composition this is, and what teams compose that use it.

export const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
export const SHARED = { apiVersion: "data.example.org/v1", kind: "XPostgres", namespace: undefined, name: "orders" };
export const V2_0: readonly Capability[] = ["Capabilities", "RequiredResources", "Conditions"];
const V2_2: readonly Capability[] = [...V2_0, "RequiredSchemas"];

/** The database, granted like this, with more of its metadata and of the rest. */
export const ownDatabase = (annotations: JsonObject, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: SHARED.apiVersion,
  kind: SHARED.kind,
  metadata: { name: SHARED.name, uid: "database-uid", annotations, ...metadata },
  ...more,
});

/** The name in the Composition of a namespace's credential. */
export const credentialKey = (namespace: string): string => `consumers/credentials/${namespace}/Role.sql.example.org`;

/** What Crossplane writes on a record, and this function. */
const composed = (owner: string): JsonObject => ({
  labels: { [usesLabel(SHARED)]: "true", "crossplane.io/composite": "x" },
  annotations: { "shared-infrastructure.fn.crossplane.io/owner": owner },
  ownerReferences: [{ apiVersion: "apps.example.org/v1", kind: "XShop", name: "x", uid: "1", controller: true }],
});

/** How a record says that its XR uses the database: with a copy, or as the parts say. */
const bindingOf = (parts: JsonObject): JsonObject => {
  const { apiVersion, kind, name } = SHARED;
  return { apiVersion, kind, name, access: "Granted", ...parts };
};

/** The record of a namespaced XR, or of somebody who writes one by hand. */
export const recordIn = (
  namespace: string,
  owner: string,
  binding: JsonObject = { secrets: [`${namespace}/orders-db`] },
  metadata: JsonObject = {},
): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name: "record", ...composed(owner), ...metadata },
  data: { db: JSON.stringify([bindingOf(binding)]) },
});

/** The record of an XR called shop. */
export const shopIn = (namespace: string, binding?: JsonObject, metadata: JsonObject = {}): JsonObject =>
  recordIn(namespace, `Shop.apps.example.org/${namespace}/shop`, binding, metadata);

/** Answers that find these records, of namespaced XRs or of claims'. */
export const finding = (...records: readonly JsonObject[]) => ({ "consumers/ConfigMap": records });
export const findingClaims = (...records: readonly JsonObject[]) => ({ "consumers/EnvironmentConfig": records });

/** The record of a claim's XR, which lies in no namespace; Crossplane writes the claim's onto it. */
export function claimRecord(
  namespace: string,
  owner = `Shop.apps.example.org/${namespace}/shop`,
  binding: JsonObject = { secrets: [`${namespace}/orders-db`] },
): JsonObject {
  const { labels, ...metadata } = composed(owner);
  return {
    ...recordIn(namespace, owner, binding),
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    metadata: { ...metadata, labels: { ...(labels as JsonObject), "crossplane.io/claim-namespace": namespace } },
  };
}

/** No XR uses the database, unless the parts say otherwise. */
export const consumersCall = (section: JsonObject, { answers, ...parts }: CallParts): NewCall =>
  callOf({
    sharedResources: [],
    capabilities: V2_2,
    answers: { "consumers/ConfigMap": [], "consumers/EnvironmentConfig": [], ...answers },
    ...parts,
    spec: { consumers: section },
  });

export const consumersDraft = (section: JsonObject, parts: CallParts): Draft =>
  runFeature(consumers, consumersCall(section, parts));
