import type { JsonObject } from "../../src/model/json.ts";
import { claimRecord, recordIn } from "../../testing/builders/consumers.ts";
import { ALLOWED } from "../../testing/builders/sharing.ts";
import type { OurParts } from "../requests/last-call.ts";
import { list, type Row, rowsOf } from "./row.ts";

const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
const SHARED = { apiVersion: "data.example.org/v1", kind: "XPostgres", namespace: undefined, name: "orders" };
const nameOf = (index: number): string => `ns-${index}`;

/** The database whose Composition serves its consumers. */
const database = (annotations: JsonObject): JsonObject => ({
  apiVersion: SHARED.apiVersion,
  kind: SHARED.kind,
  metadata: { name: SHARED.name, uid: "uid", annotations },
});

const ownerOf = (namespace: string, name: string): string => `Shop.apps.example.org/${namespace}/${name}`;

/** The record of a claim's XR that copies a credential of its own into the claim's namespace. */
export const copyInto = (namespace: string, owner: string): JsonObject =>
  claimRecord(namespace, ownerOf(namespace, owner), {
    secrets: [`${namespace}/orders-db`],
    credentialFor: namespace,
  });

const forged = (namespace: string, owner: string): JsonObject => recordIn(namespace, ownerOf(namespace, owner));

/** A record with as many copies as fit in. */
const crowded = (n: number): JsonObject =>
  recordIn("evil", ownerOf("evil", "shop"), { secrets: list(n, (index) => `evil/${index}`) });

const template: JsonObject = {
  apiVersion: "sql.example.org/v1",
  kind: "Role",
  metadata: { name: "orders-{namespace}-{hash}" },
  spec: { writeConnectionSecretToRef: { namespace: "databases", name: "orders-{namespace}-{hash}" } },
};

/** Everything that the section can do. */
export const serving = (annotations: JsonObject, parts: Partial<OurParts> = {}): OurParts => ({
  xr: database(annotations),
  spec: {
    consumers: {
      list: { toCompositeFieldPath: "status.consumers" },
      protect: true,
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
  "records that a team without a grant has forged": (n) =>
    serving({ [ALLOWED]: "team-a" }, { cluster: list(n, (index) => forged("evil", `shop-${index}`)) }),
  "records that a team with a grant has forged": (n) =>
    serving({ [ALLOWED]: "evil" }, { cluster: list(n, (index) => forged("evil", `shop-${index}`)) }),
  "copies in a forged record": (n) => serving({ [ALLOWED]: "evil" }, { cluster: [crowded(n)] }),
  "namespaces in the grant": (n) => serving({ [ALLOWED]: namesOf(n) }),
  "commas in the grant": (n) => serving({ [ALLOWED]: ",".repeat(n) }),
  "a long label selector": (n) => serving({ [SELECTOR]: `team in (${"a,".repeat(n)}b)` }),
  "Namespaces that a label selector matches": (n) =>
    serving({ [SELECTOR]: "team=orders,!legacy" }, { cluster: list(n, namespace) }),
  "an owner annotation": (n) => serving({ [ALLOWED]: "*" }, { cluster: [forged("evil", "a".repeat(n))] }),
  "slashes in an owner annotation": (n) => serving({ [ALLOWED]: "*" }, { cluster: [forged("evil", "/".repeat(n))] }),
});
