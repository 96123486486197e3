import { describe, expect, test } from "vitest";
import { parseInput } from "../../../src/input/parse.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { fromXr, referenceGrant } from "../../../testing/builders/shared-database.ts";
import { ACCEPT, ALLOWED, inputOf, namespaceOf, RECORD } from "../../../testing/builders/sharing.ts";
import { callUntilStable } from "../../../testing/simulations/calls.ts";
import { lookUpIn } from "../../../testing/simulations/look-up.ts";

/** Crossplane calls a step until it requires nothing new, six times at most, and then fails the XR. */

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
const SELECTOR = `${DOMAIN}/allowed-namespace-selector`;
const database = (namespace: string, name: string): JsonObject => ({
  apiVersion: "data.example.org/v1",
  kind: "Postgres",
  metadata: { namespace, name, annotations: { [ALLOWED]: "team-a, apps" } },
  spec: { writeConnectionSecretToRef: { name: `${name}-conn` } },
});

const secretOf = (namespace: string, name: string, data: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace, name, annotations },
  data,
});

const connectionSecret = (namespace: string, name: string) => secretOf(namespace, `${name}-conn`, { password: "eA==" });

const grantIn = (namespace: string) => referenceGrant({}, {}, namespace);

const cluster = [
  ...[database, connectionSecret].flatMap((make) => [make("databases", "orders"), make("elsewhere", "billing")]),
  ...["team-a", "apps"].map((name) => namespaceOf(name, { [ACCEPT]: "team-a" })),
];

const orders = { database: "orders", in: "databases", apps: "apps" };
const billing = { database: "billing", in: "elsewhere", apps: "apps" };

const xrWith = (parameters: JsonObject): JsonObject => ({
  apiVersion: "apps.example.org/v1",
  kind: "XShop",
  metadata: { namespace: "team-a", name: "shop", uid: "1" },
  spec: { crossplane: {}, parameters },
});

const inputWith = (grant: string, copy: JsonObject) => {
  const select = { name: fromXr("spec.parameters.database"), namespace: fromXr("spec.parameters.in") };
  const share = { name: "db", apiVersion: "data.example.org/v1", kind: "Postgres", grant, select };
  return parseInput(inputOf({ sharedResources: [{ ...share, connection: { copies: [copy] } }] }));
};

const cases = ["Annotation", "ReferenceGrant"].flatMap((grant) =>
  [undefined, [{ value: "{password}", to: "password" }]].flatMap((keys) => [
    { grant, keys, place: {} },
    { grant, keys, place: { namespaces: fromXr("spec.parameters.apps") } },
  ]),
);

describe("a copy that moves to another shared resource needs no more calls than Crossplane makes", () => {
  test.each(cases)("with $grant, with the keys $keys, to $place", ({ grant, keys, place }) => {
    const input = inputWith(grant, { secretName: "db", ...(keys && { keys }), ...place });
    const compose = (parameters: JsonObject, observed: Record<string, JsonObject>, grants: readonly string[]) => {
      const lookUp = lookUpIn([...cluster, ...grants.map(grantIn)]);
      const outcome = callUntilStable({ xr: xrWith(parameters), input, observed, before: new Map(), lookUp });
      if (outcome.is === "frozen") throw new Error(outcome.because);
      return [...outcome.draft.resources].flatMap(([key, edit]) =>
        edit.is === "set" && edit.object !== undefined ? [[key, edit.object] as const] : [],
      );
    };
    const withRecord = 2;
    const composed = compose(orders, {}, ["databases"]);
    expect(composed).toHaveLength(withRecord);
    const observed = Object.fromEntries(composed);
    expect(compose(billing, observed, ["databases", "elsewhere"])).toHaveLength(withRecord);
    // The grant for what the Secret still holds is gone.
    expect(compose(billing, observed, ["elsewhere"])).toHaveLength(grant === "ReferenceGrant" ? 1 : withRecord);
  });
});

describe("with a grant by label, what is asked is the same in each call while the shared resource names", () => {
  const byLabel = { [SELECTOR]: "team=a" };
  const labelled = { ...namespaceOf("team-a"), metadata: { name: "team-a", labels: { team: "a" } } };
  const foreign = { writeConnectionSecretToRef: { namespace: "dba", name: "root" } };

  test.each<[what: string, spec: JsonObject, team: JsonObject, reason: string]>([
    ["no Secret", {}, labelled, "NoConnectionSecret"],
    ["a Secret of another namespace", foreign, labelled, "SourceNotAllowed"],
    ["no Secret to a team that lost its label", {}, namespaceOf("team-a"), "AccessNotGranted"],
  ])("%s", (_what, spec, team, reason) => {
    const shared = { ...database("databases", "orders"), spec };
    const metadata = { namespace: "databases", name: "orders", annotations: byLabel };
    const lookUp = lookUpIn([{ ...shared, metadata }, team]);
    const input = inputWith("Annotation", { via: "Object", secretName: "db" });
    const outcome = callUntilStable({ xr: xrWith(orders), input, observed: {}, before: new Map(), lookUp });
    expect(outcome).toMatchObject({ is: "done", draft: { conditions: [{ reason }] } });
  });
});

const OWNED = { [`${DOMAIN}/owner`]: "Shop.apps.example.org/team-a/shop" };

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
