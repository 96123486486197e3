import { sharedResourceLabel } from "../../src/crossplane/copies.ts";
import { consumers } from "../../src/features/consumers/consumers.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { type NewCall, runFeature } from "./run-feature.ts";
import { type CallParts, callOf } from "./sharing.ts";

// Builders for tests of consumers: the database whose Composition this is, and what teams compose that use it.

export const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
export const SHARED = { apiVersion: "data.example.org/v1", kind: "XPostgres", namespace: undefined, name: "orders" };
export const V2_0: readonly Capability[] = ["Capabilities", "RequiredResources", "Conditions"];
const V2_2: readonly Capability[] = [...V2_0, "RequiredSchemas"];

/** What Crossplane writes on what an XR composes. */
export const composed = (owner: string, more: JsonObject = {}): JsonObject => ({
  labels: { ...sharedResourceLabel(SHARED), "crossplane.io/composite": "x" },
  annotations: { "shared-infrastructure.fn.crossplane.io/owner": owner },
  ...more,
});

/** A cluster-scoped Object that copies into a namespace. */
export const objectOf = (namespace: string, owner: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: composed(owner, metadata),
  spec: { forProvider: { manifest: { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "orders-db" } } } },
});

export const secretIn = (namespace: string, owner: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace, name: "orders-db", ...composed(owner), ...metadata },
});

/** Every kind that makes copies is installed, and nobody uses the database, unless the parts say otherwise. */
export const consumersCall = (section: JsonObject, { answers, ...parts }: CallParts): NewCall =>
  callOf({
    sharedResources: [],
    capabilities: V2_2,
    schemas: { Object: { type: "object" } },
    answers: { "consumers/Object": [], "consumers/NamespacedObject": [], "consumers/Secret": [], ...answers },
    ...parts,
    spec: { consumers: section },
  });

export const consumersDraft = (section: JsonObject, parts: CallParts): Draft =>
  runFeature(consumers, consumersCall(section, parts));

export const statusOf = ({ composite }: Draft): JsonObject | undefined =>
  composite.at(-1)?.value as JsonObject | undefined;

/** The consumers that the status lists. */
export const listedIn = (draft: Draft): readonly JsonObject[] =>
  (statusOf(draft)?.["items"] ?? []) as readonly JsonObject[];

/** The resource called role, as Crossplane would observe it after the draft. */
export function roleIn({ resources }: Draft): JsonObject {
  const edit = resources.get("role");
  if (edit?.is !== "set" || edit.document === undefined) throw new Error("the role is left out");
  return edit.document.toObject();
}
