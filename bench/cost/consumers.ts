import { sharedResourceLabel } from "../../src/crossplane/copies.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { ALLOWED } from "../../testing/builders/sharing.ts";
import type { OurParts } from "../requests/last-call.ts";
import { list, type Row, rowsOf } from "./row.ts";

const OWNER = "shared-infrastructure.fn.crossplane.io/owner";
const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
const SHARED = { apiVersion: "data.example.org/v1", kind: "XPostgres", namespace: undefined, name: "orders" };
const nameOf = (index: number): string => `ns-${index}`;

/** The database whose Composition serves its consumers. */
const database = (annotations: JsonObject): JsonObject => ({
  apiVersion: SHARED.apiVersion,
  kind: SHARED.kind,
  metadata: { name: SHARED.name, uid: "uid", annotations },
});

const metadataOf = (namespace: string, owner: string): JsonObject => ({
  labels: { ...sharedResourceLabel(SHARED), "crossplane.io/composite": "shop" },
  annotations: { [OWNER]: `Shop.apps.example.org/${namespace}/${owner}` },
});

/** An Object that copies into a namespace. */
export const copyInto = (namespace: string, owner: string): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: `${namespace}-${owner}`, ...metadataOf(namespace, owner) },
  spec: { forProvider: { manifest: { kind: "Secret", metadata: { namespace, name: "orders-db" } } } },
});

const secretIn = (namespace: string, owner: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace, name: `copy-${owner}`, ...metadataOf(namespace, owner) },
  data: { password: "aHVudGVyMg==" },
});

const template: JsonObject = {
  apiVersion: "sql.example.org/v1",
  kind: "Role",
  metadata: { name: "orders-{namespace}-{hash}" },
  spec: { writeConnectionSecretToRef: { namespace: "databases", name: "orders-{namespace}" } },
};

/** Everything that the section can do. */
export const serving = (annotations: JsonObject, parts: Partial<OurParts> = {}): OurParts => ({
  xr: database(annotations),
  spec: {
    consumers: {
      list: { toCompositeFieldPath: "status.consumers" },
      protect: true,
      kinds: ["Object", "Secret"],
      credentials: { template },
      rotation: { resource: "role", toFieldPath: "spec.trigger" },
    },
  },
  desired: { role: { apiVersion: "sql.example.org/v1", kind: "Role" } },
  ...parts,
});

const namesOf = (count: number): string => list(count, nameOf).join(",");
const namespace = (index: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: nameOf(index), labels: { team: "orders" } },
});

export const consumerRows: readonly Row[] = rowsOf("consumers", {
  "granted consumers, each in its namespace": (n) =>
    serving({ [ALLOWED]: namesOf(n) }, { cluster: list(n, (index) => copyInto(nameOf(index), "shop")) }),
  "Secrets that a team without a grant has forged": (n) =>
    serving({ [ALLOWED]: "team-a" }, { cluster: list(n, (index) => secretIn("evil", `shop-${index}`)) }),
  "Secrets that a team with a grant has forged": (n) =>
    serving({ [ALLOWED]: "evil" }, { cluster: list(n, (index) => secretIn("evil", `shop-${index}`)) }),
  "namespaces in the grant": (n) => serving({ [ALLOWED]: namesOf(n) }),
  "commas in the grant": (n) => serving({ [ALLOWED]: ",".repeat(n) }),
  "a long label selector": (n) => serving({ [SELECTOR]: `team in (${"a,".repeat(n)}b)` }),
  "Namespaces that a label selector matches": (n) =>
    serving({ [SELECTOR]: "team=orders,!legacy" }, { cluster: list(n, namespace) }),
  "an owner annotation": (n) => serving({ [ALLOWED]: "*" }, { cluster: [secretIn("evil", "a".repeat(n))] }),
  "slashes in an owner annotation": (n) => serving({ [ALLOWED]: "*" }, { cluster: [secretIn("evil", "/".repeat(n))] }),
});
