import type { JsonObject } from "../../src/model/json.ts";

// Objects, conditions and texts as the API server and Crossplane show them.

export const ACCEPT = "shared-infrastructure.fn.crossplane.io/accept-copies-from";

/** An object. @param more its spec, status or data. */
export const objectOf = (apiVersion: string, kind: string, metadata: JsonObject, more: JsonObject = {}): JsonObject => {
  return { apiVersion, kind, metadata, ...more };
};

export const namespaceOf = (name: string, annotations: JsonObject = {}): JsonObject =>
  objectOf("v1", "Namespace", { name, annotations });

/** A ReferenceGrant beside the database's Secret, to XRs of team-a; `from` and `to` say what differs. */
export const referenceGrant = (from: JsonObject = {}, to: JsonObject = {}, namespace = "databases"): JsonObject => ({
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { namespace, name: "grant" },
  spec: {
    from: [{ group: "apps.example.org", kind: "XShop", namespace: "team-a", ...from }],
    to: [{ group: "", kind: "Secret", ...to }],
  },
});

/** A condition Synced, as a status has it. */
export const synced = (status: string, more: JsonObject = {}): JsonObject => ({
  conditions: [{ type: "Synced", status, ...more }],
});

/** What Crossplane v2.4 says of a requirement in Synced, two minutes after it was asked for what RBAC forbids. */
export const couldNotRead = (requirement: string): string =>
  `cannot compose resources: cannot run Composition pipeline step "share": fetching resources for ${requirement}#1: cannot get ` +
  "required resource by name: Timeout: failed waiting for *unstructured.Unstructured Informer to sync";

/** A text as Secrets hold it. */
export const base64 = (text: string): string => Buffer.from(text).toString("base64");
