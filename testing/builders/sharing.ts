import { toRequirement, toSecretRequirement } from "../../src/crossplane/requirement-names.ts";
import { INPUT_API_VERSION, INPUT_KIND } from "../../src/input/schema.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { base64, objectOf } from "./kubernetes.ts";

/** Builders of what tests start from: a team's XR that uses another team's database. */

export const ALLOWED = "shared-infrastructure.fn.crossplane.io/allowed-namespaces";

/** An XR of team-a, bound to its claim, that names the database it uses, and has composed something. */
export const xr = (overrides: JsonObject = {}): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XShop",
  metadata: { name: "shop-x7k2p" },
  spec: {
    claimRef: { apiVersion: "apps.example.org/v1", kind: "Shop", namespace: "team-a", name: "shop" },
    parameters: { database: "orders" },
    resourceRefs: [{ apiVersion: "v1", kind: "ConfigMap", name: "composed" }],
  },
  ...overrides,
});

/** A namespaced XR of Crossplane v2, in the namespace of that team. */
export const namespacedXr = xr({
  metadata: { name: "shop", namespace: "team-a" },
  spec: { parameters: { database: "orders" } },
});

export const POSTGRES = { apiVersion: "data.example.org/v1", kind: "XPostgres" };

/** The database, granted to team-a. */
export const database = ({ annotations = { [ALLOWED]: "team-a" }, ...overrides }: JsonObject = {}): JsonObject => ({
  ...POSTGRES,
  metadata: { name: "orders", annotations },
  spec: { writeConnectionSecretToRef: { namespace: "databases", name: "orders-conn" } },
  status: { endpoint: "orders.db.example.org" },
  ...overrides,
});

/** The names under which Crossplane answers what the XR above asks for. */
export const REQUIRED = {
  database: toRequirement("shared-resource/db", { ...POSTGRES, match: { name: "orders" } }).name,
  secret: toSecretRequirement("shared-resource/db/secret", { namespace: "databases", name: "orders-conn" }).name,
  /** The target of a copy, by the copy's name in the Composition. */
  target: (copy = "shared/db/team-a/orders-db") =>
    toSecretRequirement(`${copy}/target`, { namespace: "team-a", name: "orders-db" }).name,
  /** The same on Crossplane v1, which finds it by its label. */
  labelledTarget: toRequirement("shared/db/team-a/orders-db/target", {
    apiVersion: "v1",
    kind: "Secret",
    match: { labels: { "shared-infrastructure.fn.crossplane.io/target": "f07cf4748c39cf683541dc52581d1666984278d9" } },
  }).name,
} as const;

/** A shared resource of the input: the database by name, and one copy of its Secret. */
export const shared = (overrides: JsonObject = {}): JsonObject => ({
  name: "db",
  ...POSTGRES,
  select: { name: { fromCompositeFieldPath: "spec.parameters.database" } },
  connection: { copies: [{ secretName: "orders-db" }] },
  ...overrides,
});

export const inputOf = (spec: JsonValue): JsonObject => ({ apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, spec });

const LOGIN = { username: base64("app"), password: base64("p@ss/1") };

/** The connection Secret of the database. */
export const connectionSecret = (data: JsonObject = LOGIN): JsonObject =>
  objectOf("v1", "Secret", { namespace: "databases", name: "orders-conn", resourceVersion: "42" }, { data });

/** An Object of provider-kubernetes as it is observed: with all that the provider and Crossplane fill in. */
export const observedObject = (status: { ready: string; synced?: string }): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: "shop-x7k2p-abc", uid: "1", resourceVersion: "7", managedFields: [] },
  spec: {
    deletionPolicy: "Delete",
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "orders-db", namespace: "team-a" },
        type: "Opaque",
        data: { password: "aHVudGVyMg==" },
      },
    },
    providerConfigRef: { name: "default" },
    references: [{ patchesFrom: { apiVersion: "v1", kind: "Secret", fieldPath: "data" }, toFieldPath: "data" }],
  },
  status: {
    atProvider: { manifest: { data: { password: "aHVudGVyMg==" } } },
    conditions: [
      { type: "Ready", status: status.ready },
      { type: "Synced", status: status.synced ?? "True" },
    ],
  },
});
