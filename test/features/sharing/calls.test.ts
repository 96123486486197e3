import { describe, expect, test } from "vitest";
import { parseInput } from "../../../src/input/parse.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { RECORD } from "../../../testing/builders/copies.ts";
import { ACCEPT, namespaceOf, objectOf, referenceGrant } from "../../../testing/builders/kubernetes.ts";
import { fromXr } from "../../../testing/builders/shared-database.ts";
import { inputOf } from "../../../testing/builders/sharing.ts";
import { callUntilStable } from "../../../testing/simulations/calls.ts";
import { lookUpIn } from "../../../testing/simulations/store.ts";

/** Crossplane calls a step until it requires nothing new, six times at most, and then fails the XR. */

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
const SELECTOR = `${DOMAIN}/allowed-namespace-selector`;

const secretOf = (namespace: string, name: string, data: JsonObject, annotations: JsonObject = {}): JsonObject =>
  objectOf("v1", "Secret", { namespace, name, annotations }, { data });

describe("with a grant by label, what is asked is the same in each call while the shared resource names", () => {
  const kind = { apiVersion: "data.example.org/v1", kind: "Postgres" };
  const labelled = { ...namespaceOf("team-a"), metadata: { name: "team-a", labels: { team: "a" } } };
  const foreign = { writeConnectionSecretToRef: { namespace: "dba", name: "root" } };
  const connection = { copies: [{ via: "Object", secretName: "db" }] };
  const select = { name: "orders", namespace: "databases" };
  const share = { ...kind, name: "db", grant: "Annotation", select, connection };
  const owned = { namespace: "team-a", name: "shop", uid: "1" };
  const xr = { apiVersion: "apps.example.org/v1", kind: "XShop", metadata: owned, spec: { crossplane: {} } };

  test.each<[what: string, spec: JsonObject, team: JsonObject, reason: string]>([
    ["no Secret", {}, labelled, "NoConnectionSecret"],
    ["a Secret of another namespace", foreign, labelled, "SourceNotAllowed"],
    ["no Secret to a team that lost its label", {}, namespaceOf("team-a"), "AccessNotGranted"],
  ])("%s", (_what, spec, team, reason) => {
    const metadata = { namespace: "databases", name: "orders", annotations: { [SELECTOR]: "team=a" } };
    const lookUp = lookUpIn([{ ...kind, metadata, spec }, team]);
    const input = parseInput(inputOf({ sharedResources: [share] }));
    const outcome = callUntilStable({ xr, input, observed: {}, before: new Map(), lookUp });
    expect(outcome).toMatchObject({ is: "done", draft: { conditions: [{ reason }] } });
  });
});

const OWNED = {
  [`${DOMAIN}/owner`]: "Shop.apps.example.org/team-a/shop",
  [`${DOMAIN}/composite`]: "shop-before", // not this XR, so that its claim is asked which of the two has the copy
};

/** Every combination of one value of each list. */
const combine = <T extends Readonly<Record<string, readonly unknown[]>>>(lists: T) =>
  Object.entries(lists).reduce<object[]>(
    (all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  ) as { readonly [K in keyof T]: T[K][number] }[];

/** What can be while a legacy XR's copy of database `old` moves to database `new`. */
const moves = combine({
  how: ["Secret", "Object with values", "Object", "ConnectionSecret"],
  grant: ["Annotation", "ReferenceGrant"],
  target: ["team-a", "team-b"],
  newSecret: ["has the key", "lacks the key", "is missing"],
  record: ["old", "new", "none"],
  hasEarlier: [false, true], // something of a third database may still be in the copy
  isReady: [false, true],
  isDeleting: [false, true],
  isByLabel: [false, true],
} as const);
type Move = (typeof moves)[number];

const suffixes = { Secret: "/secret", ConnectionSecret: "/connection-secret", Object: "", "Object with values": "" };
const reference = (name: string) => ({ apiVersion: "data.example.org/v1", kind: "XPostgres", name });
/** The composed resource that makes the copy. */
function composedCopy({ how, target, record, hasEarlier, isReady }: Move): JsonObject {
  const annotations = {
    ...OWNED,
    ...(record !== "none" && { [RECORD]: JSON.stringify(reference(record)) }),
    ...(hasEarlier && { [`${DOMAIN}/earlier-shared-resources`]: JSON.stringify([reference("older")]) }),
  };
  const sharedFrom = { [`${DOMAIN}/shared-from`]: "old-ns/old-conn" };
  if (how === "Secret") return secretOf(target, "db", { k: "eA==" }, { ...annotations, ...sharedFrom });

  const patchesFrom = { apiVersion: "v1", kind: "Secret", namespace: "old-ns", name: "old-conn", fieldPath: "data.k" };
  const metadata = { namespace: target, name: "db", annotations: sharedFrom };
  const manifest = { apiVersion: "v1", kind: "Secret", metadata };
  const publishing = {
    managementPolicies: ["Observe"],
    forProvider: { manifest: namespaceOf(target) },
    connectionDetails: [patchesFrom],
    writeConnectionSecretToRef: { namespace: target, name: "db" },
  };
  const copying = { forProvider: { manifest }, ...(how === "Object" && { references: [{ patchesFrom }] }) };
  return {
    apiVersion: "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    metadata: { name: "copy", annotations },
    spec: how === "ConnectionSecret" ? publishing : copying,
    status: { conditions: ["Ready", "Synced"].map((type) => ({ type, status: isReady ? "True" : "False" })) },
  };
}

/** All that there is beside the XR: three databases that grant by label, in namespaces that have their Secrets and ReferenceGrants. */
function clusterOf(move: Move): readonly JsonObject[] {
  const { how, target, newSecret, isDeleting } = move;
  const copy = composedCopy(move);
  const databases = ["old", "older", "new"].map((name) => ({
    ...reference(name),
    metadata: {
      name,
      labels: { db: name },
      annotations: { [SELECTOR]: "team=yes" },
      ...(isDeleting && name === "new" && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { writeConnectionSecretToRef: { namespace: `${name}-ns`, name: `${name}-conn` } },
  }));
  const granted = ["old-ns", "older-ns", "new-ns"].map((namespace) => referenceGrant({ kind: "Shop" }, {}, namespace));
  const namespaces = ["team-a", "team-b"].map((name) => ({
    ...namespaceOf(name),
    metadata: { name, labels: { team: "yes" }, annotations: { [ACCEPT]: "team-a" } },
  }));
  const data: JsonObject = newSecret === "has the key" ? { k: "eA==" } : {};
  return [
    ...databases,
    ...granted,
    ...namespaces,
    ...(newSecret === "is missing" ? [] : [secretOf("new-ns", "new-conn", data)]),
    how === "Secret" ? copy : secretOf(target, "db", { k: "eA==" }, OWNED),
  ];
}

function reconcileMove(move: Move) {
  const { how, grant, target, isByLabel } = move;
  const name = fromXr("spec.database");
  const select = isByLabel ? { matchLabels: { db: name } } : { name };
  const copy = {
    via: how === "Object with values" ? "Object" : how,
    secretName: "db",
    keys: [how === "Object with values" ? { value: "{k}", to: "k" } : { from: "k", to: "k" }],
    namespaces: fromXr("spec.namespaces"),
  };
  const share = { name: "db", apiVersion: "data.example.org/v1", kind: "XPostgres", grant, select };
  const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };
  const metadata = { name: "shop-x" };
  const spec = { claimRef, database: "new", namespaces: [target] };
  return callUntilStable({
    xr: { apiVersion: "apps.example.org/v1", kind: "XShop", metadata, spec },
    input: parseInput(inputOf({ sharedResources: [{ ...share, connection: { copies: [copy] } }] })),
    observed: { [`shared/db/${target}/db${suffixes[how]}`]: composedCopy(move) },
    before: new Map(),
    lookUp: lookUpIn(clusterOf(move)),
  });
}

test("whatever a copy was, and wherever it moves, five calls are enough: one of Crossplane's six is left", () => {
  const longer = moves.filter((move) => {
    const outcome = reconcileMove(move);
    return outcome.is === "frozen" || outcome.calls > 5;
  });
  expect(longer).toEqual([]);
});
