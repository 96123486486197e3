import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { RECORD_NAME } from "../../../src/records/record.ts";
import { boundTo, type CallParts, callOf, V2 } from "../../../testing/builders/calls.ts";
import {
  copyMetadata,
  KEY,
  objectIn,
  recorded,
  targetSecret,
  withoutCopies,
} from "../../../testing/builders/copies.ts";
import { says } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { another, naming, toStatus } from "../../../testing/builders/shared-database.ts";
import { database, namespacedXr, observedObject, POSTGRES, shared, xr } from "../../../testing/builders/sharing.ts";

const draftOf = (parts: CallParts): Draft => runFeature(sharing, callOf(parts));

const recordIn = (draft: Draft) => objectIn(draft, RECORD_NAME);

/** What the record says of share `db`: each resource's name, its access, and its copies. */
const bindingsIn = (draft: Draft, share = "db"): readonly string[] | undefined => {
  const text = (recordIn(draft)?.["data"] as JsonObject | undefined)?.[share];
  const list = typeof text === "string" ? (JSON.parse(text) as readonly JsonObject[]) : undefined;
  return list?.map(({ name, access, secrets, credentialFor }) =>
    [name, access, secrets, credentialFor && `credential for ${String(credentialFor)}`]
      .filter((part) => part !== undefined)
      .join(" "),
  );
};

const refusing = another("orders");
const billing = another("billing", "team-a");
const bound = (name: string) => ({ [RECORD_NAME]: boundTo({ db: { ...POSTGRES, name } }) });

const fields = withoutCopies({ grant: "Annotation", patches: [toStatus("db")] });
const byLabels = { matchLabels: { tier: "prod" } };
const labelled = { ...fields, select: byLabels };

/** Hashes by which others find the record. */
const OF_CLAIM = "0459848e8334c8eeee94779fde46af588743b3f8";
const OF_ORDERS = "ef539f7fe3df1ea36606aa8a67dfd2b53c6c2dff";
test("an XR records what it is bound to, so that the owner finds it by one label", () => {
  expect(recordIn(draftOf({ answers: { db: [database()] } }))).toEqual({
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    metadata: {
      labels: { [`${DOMAIN}/record-of`]: OF_CLAIM, [`${DOMAIN}/uses-${OF_ORDERS}`]: "true" },
      annotations: { [`${DOMAIN}/owner`]: "Shop.apps.example.org/team-a/shop" },
    },
    data: { db: JSON.stringify([{ ...POSTGRES, name: "orders", access: "Granted", secrets: ["team-a/orders-db"] }]) },
  });
});

test("the record of a namespaced XR is a ConfigMap in its namespace", () => {
  const draft = draftOf({ xr: namespacedXr, answers: { db: [database()] } });
  expect(recordIn(draft)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
});

describe("the record says of a share", () => {
  const perConsumer = { secretRef: { perConsumer: true }, copies: [{ secretName: "db", via: "Secret" }] };
  const itself = toStatus("x", "spec");
  const answers = { db: [database()] };
  const own = { sharedResources: [shared({ connection: perConsumer })], answers: { ...answers, answer: [] } };
  const list = { ...labelled, patches: [], select: { ...byLabels, maxMatch: 3 } };
  const self = { name: "db", select: { self: {} }, patches: [itself] };
  const revoked = { answers: { db: [refusing] }, observed: bound("orders") };
  const toTeamB = {
    sharedResources: [shared({ connection: { copies: [{ secretName: "orders-db", namespaces: "team-b" }] } })],
    answers: { db: [another("orders", "team-b")], "db/recorded": [billing] },
    observed: bound("billing"),
  };
  const inTeamA = JSON.stringify([{ ...POSTGRES, name: "orders", access: "Granted", secrets: ["team-a/orders-db"] }]);
  const namespaces = { fromCompositeFieldPath: "spec.apps" };
  const platform = {
    xr: xr({ spec: {} }),
    sharedResources: [shared({ connection: { copies: [{ secretName: "orders-db", namespaces }] } })],
    answers: { "db/recorded": [database()] },
    observed: { [RECORD_NAME]: { data: { db: inTeamA } } },
  };
  test.each<[what: string, bindings: readonly string[] | undefined, parts: CallParts]>([
    ["that only its fields are taken", ["orders Granted"], { sharedResources: [fields], answers }],
    ["that a grant is waited for", ["orders Requested"], { answers: { db: [refusing] } }],
    ["that a grant was taken back", ["orders Revoked"], revoked],
    ["its credential", ["orders Granted credential for team-a"], { ...own, capabilities: [...V2, "Conditions"] }],
    ["no other one once a namespace of its copies has a grant", ["orders Granted team-b/orders-db"], toTeamB],
    ["the platform's, by a grant to where its copies are", ["orders Granted"], platform],
    ["nothing while nothing is known", [], {}],
    ["what it said before while nothing is known", ["billing Granted"], { observed: bound("billing") }],
    ["nothing where it takes a list", undefined, { sharedResources: [list], answers }],
    ["nothing where it is the XR itself", undefined, { sharedResources: [self] }],
  ])("%s", (_what, bindings, parts) => {
    expect(bindingsIn(draftOf(parts))).toEqual(bindings);
  });

  describe("which credential its copies hold", () => {
    const keys = [{ from: "password", to: "password" }];
    const copies = [{ secretName: "orders-db", via: "ConnectionSecret", keys }];
    const own = shared({ connection: { secretRef: { perConsumer: true }, copies } });
    const detail = { apiVersion: "v1", kind: "Secret", namespace: "databases", name: "new" };
    const copy = (synced: string): JsonObject => {
      const object = observedObject({ ready: "True", synced });
      const writeConnectionSecretToRef = { namespace: "team-a", name: "orders-db" };
      const spec = { connectionDetails: [detail], writeConnectionSecretToRef };
      return { ...object, metadata: copyMetadata(), spec };
    };
    const copiedOf = (observed: CallParts["observed"]): unknown => {
      const draft = draftOf({ sharedResources: [own], answers: { db: [database()] }, ...(observed && { observed }) });
      return /"copied":"([^"]+)"/.exec(JSON.stringify(recordIn(draft)).replaceAll("\\", ""))?.[1];
    };
    const old: JsonObject = { ...POSTGRES, name: "orders", access: "Granted", copied: "databases/old" };
    const before = { [RECORD_NAME]: { data: { db: JSON.stringify([old]) } } };
    const next = (synced: string) => ({ ...before, [`${KEY}/connection-secret`]: copy(synced) });
    const OTHER = "shared/db/team-a/other";
    test.each([
      ["none before there are copies", {}, undefined],
      ["the one before while there are none", before, "databases/old"],
      ["the one before until the provider has written the next", next("False"), "databases/old"],
      ["the next once it is written", next("True"), "databases/new"],
      ["the one before until all copies hold the next", { ...next("True"), [OTHER]: copy("False") }, "databases/old"],
    ])("%s", (_reason, observed, copied) => {
      expect(copiedOf(observed)).toBe(copied);
    });
  });

  test("its own copies first, before those of a former share at its targets", () => {
    const of = (resource: string, name: string) => targetSecret(recorded(resource), { name });
    const other = { "shared/db/team-a/other/secret": of("orders", "other") };
    const observed = { "shared/a/team-a/orders-db/secret": of("billing", "orders-db"), ...other };
    const answers = { "db/recorded": [database(), billing] };
    const bindings = bindingsIn(draftOf({ xr: naming(undefined), observed, answers })) ?? [];
    expect(bindings.map((one) => one.split(" ")[0])).toEqual(["orders", "billing"]);
  });

  test("both resources while its copy moves from one to the other, and then one, with an event", () => {
    const copy = (annotations: JsonObject) => ({ ...observedObject({ ready: "True" }), metadata: { annotations } });
    const parts = { xr: naming("billing"), answers: { db: [billing], "db/recorded": [database()] } };
    const moving = draftOf({ ...parts, observed: { [KEY]: copy(recorded()) } });
    expect(bindingsIn(moving)).toEqual(["billing Granted team-a/orders-db", "orders Granted team-a/orders-db"]);
    expect(moving.results.map(({ reason }) => reason)).not.toContain("SourceChanged");

    const both = JSON.stringify(["billing", "orders"].map((name) => ({ ...POSTGRES, name, access: "Granted" })));
    const observed = { [KEY]: copy(recorded("billing")), [RECORD_NAME]: { data: { db: both } } };
    const moved = draftOf({ ...parts, observed });
    expect(bindingsIn(moved)).toEqual(["billing Granted team-a/orders-db"]);
    const message = "db: XPostgres billing replaces XPostgres orders";
    const event = { severity: "Normal", reason: "SourceChanged", target: "CompositeAndClaim" };
    expect(moved.results).toContainEqual({ ...event, message });
  });
});

describe("a database with the name of one that was deleted", () => {
  const of = (team: string | undefined): JsonObject => {
    const labels: JsonObject = team === undefined ? {} : { "crossplane.io/claim-namespace": team };
    return another("orders", "team-a", { labels });
  };
  const record = (draft: Draft) => ({ [RECORD_NAME]: recordIn(draft) ?? {} });
  const OTHER =
    "db: XPostgres orders has the name of the former shared resource, but was not composed for a claim in the same namespace";
  test.each<[reason: string, before: string | undefined, now: string | undefined, says: readonly string[]]>([
    ["is told where it is another team's", "data", "mallory", [OTHER]],
    ["is told where it is no team's", "data", undefined, [OTHER]],
    ["is told of nothing where its team has made it anew", "data", "data", []],
    ["is told of nothing where none was known", undefined, "data", []],
  ])("%s", (_reason, before, now, says) => {
    const parts = { sharedResources: [fields] };
    const bound = draftOf({ ...parts, answers: { db: [of(before)] } });
    const draft = draftOf({ ...parts, observed: record(bound), answers: { db: [of(now)] } });
    const changes = draft.results.filter(({ reason }) => reason === "SourceChanged");
    expect(changes.map(({ message }) => message)).toEqual(says);
    const settled = draftOf({ ...parts, observed: record(draft), answers: { db: [of(now)] } });
    expect(settled.results.map(({ reason }) => reason)).not.toContain("SourceChanged");
  });

  test("is not recorded with its team before it grants", () => {
    const labels = { "crossplane.io/claim-namespace": "payroll" };
    const records = [undefined, "team-a"].map((allowed) => {
      const db = another("orders", allowed, { labels });
      return JSON.stringify(recordIn(draftOf({ sharedResources: [fields], answers: { db: [db] } })));
    });
    expect(records.map((record) => record.includes("payroll"))).toEqual([false, true]);
  });
});

describe("an XR that is bound to a resource, and takes its fields only,", () => {
  const status = { db: "old.example.org" };
  const endpoint = (draft: Draft): unknown => draft.composite.find(({ path }) => path.join(".") === "status.db")?.value;
  const nowhere = naming(undefined, {});

  const granted = ["orders Granted"];
  const [old, now] = [status.db, "orders.db.example.org"];
  const both = { db: [another("a-decoy", "team-a"), database()] };
  const toRefusing = { observed: bound("billing"), answers: { db: [refusing], "db/recorded": [billing] } };
  const [theirs, own] = ["billing.db.example.org", another("billing", "team-a")];
  const decoy = { ...own, status: { endpoint: theirs } };
  const forged = { ...toRefusing, answers: { db: [refusing], "db/recorded": [decoy] } };
  const absent = { ...toRefusing, answers: { db: [refusing], "db/recorded": [] } };
  const toGranting = { observed: bound("billing"), answers: { db: [database()] } };
  const standing = { "db/recorded": [database()] };
  const unrecorded = { observed: {}, answers: { db: [] } };
  const taken = { xr: nowhere, answers: { "db/recorded": [refusing] } };
  const byReferenceGrant = shared({ grant: "ReferenceGrant", patches: [toStatus("db")] });
  const nameless = { "db/recorded": [database({ spec: {} })] };
  const unjudged = { xr: nowhere, sharedResources: [byReferenceGrant], capabilities: V2, answers: nameless };
  const onDelete = {
    ...byReferenceGrant,
    connection: { copies: [{ secretName: "orders-db" }], onSourceMissing: "Delete" },
  };
  const unjudgedDelete = { ...unjudged, sharedResources: [onDelete] };
  const ofTeamB = JSON.stringify([{ ...POSTGRES, name: "orders", access: "Granted", secrets: ["team-b/x"] }]);
  const listing = {
    observed: { [RECORD_NAME]: { data: { db: ofTeamB } } },
    answers: { db: [another("orders", "team-b")] },
  };
  const requestedBoth = ["orders Requested", "billing Granted"];
  type Row = [what: string, bindings: readonly string[] | undefined, endpoint: string | undefined, parts: CallParts];
  test.each<Row>([
    ["keeps it, whatever else matches", granted, now, { sharedResources: [labelled], answers: both }],
    ["keeps its fields while it names nothing", granted, now, { xr: nowhere, answers: standing }],
    ["gets no new ones while no ReferenceGrant can name its Secret", granted, old, unjudged],
    ["keeps its fields while that is gone", granted, old, { xr: nowhere, answers: { "db/recorded": [] } }],
    ["keeps its fields while it names nothing, and the grant is not looked up yet", granted, old, { xr: nowhere }],
    ["loses its fields when the grant is taken back, though it names nothing", undefined, undefined, taken],
    ["loses its fields where its record names nothing either", undefined, undefined, { xr: nowhere, observed: {} }],
    ["loses its fields without a record, where what it names is gone", undefined, undefined, unrecorded],
    ["keeps its fields while nothing is looked up yet", undefined, old, { observed: {}, answers: {} }],
    ["keeps its fields while it names another", requestedBoth, now, toRefusing],
    ["keeps none of one that refuses, by a record of another", requestedBoth, theirs, forged],
    ["keeps none of one that refuses, by a record of what is not there", requestedBoth, undefined, absent],
    ["moves at once to one that grants", granted, now, toGranting],
    ["loses its fields with its grant", ["orders Revoked"], undefined, { answers: { db: [refusing] } }],
    ["loses them, whatever copies its record lists where access is granted", ["orders Revoked"], undefined, listing],
    ["loses them where no ReferenceGrant can name its Secret, by onSourceMissing", granted, undefined, unjudgedDelete],
  ])("%s", (_what, bindings, expected, { xr: asking = xr(), ...parts }) => {
    const usual = { sharedResources: [{ ...fields, resolution: "Required" }], observed: bound("orders") };
    const draft = draftOf({ xr: { ...asking, status }, ...usual, ...parts });
    expect([bindingsIn(draft), endpoint(draft)]).toEqual([bindings, expected]);
  });
});

describe("a record that a team has edited", () => {
  const granted = (one: JsonObject) => ({ ...one, access: "Granted" });
  const listing = (...list: readonly JsonObject[]) => ({ db: JSON.stringify(list.map(granted)) });
  const askedOf = (data: JsonObject | string, answers: CallParts["answers"]) => {
    const parts = { xr: naming(), sharedResources: [fields], observed: { [RECORD_NAME]: { data } } };
    const draft = draftOf({ ...parts, ...(answers && { answers }) });
    expect([...draft.requirements.values()].filter(({ kind }) => kind === "Secret")).toEqual([]);
    return bindingsIn(draft) ?? [];
  };
  test.each<[what: string, data: JsonObject | string]>([
    ["with a resource of another kind", listing({ apiVersion: "v1", kind: "Secret", name: "root" })],
    ["with no JSON", { db: "[{" }],
    ["with no list", { db: "{}" }],
    ["with no object", "x"],
    ["with a path for a name", listing({ ...POSTGRES, name: "../x" })],
    ["with a resource that does not grant", listing({ ...POSTGRES, name: "orders" })],
  ])("%s binds it to nothing", (_what, data) => {
    expect(askedOf(data, { "db/recorded": [refusing] })).toEqual([]);
  });

  test("with ten thousand resources asks for ten", () => {
    const thousands = Array.from({ length: 10_000 }, (_, index) => ({ ...POSTGRES, name: `n${index}` }));
    expect(askedOf(listing(...thousands), {})).toEqual(Array.from({ length: 10 }, (_, index) => `n${index} Granted`));
  });
});

describe("an object that is no record of the XR, or binds to what the selector never chooses:", () => {
  const open = { ...fields, grant: "None", apiVersion: "v1", kind: "ConfigMap" };
  const select = { matchLabels: { shared: "true", env: { fromCompositeFieldPath: "spec.none" } }, namespace: "public" };
  const payroll = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "payroll", namespace: "hr" } };
  const binding = { apiVersion: "v1", kind: "ConfigMap", namespace: "hr", name: "payroll", access: "Granted" };
  const record = { [RECORD_NAME]: { data: { db: JSON.stringify([binding]) } } };
  test("a team that names a resource in its record reads no field of it where no grant is needed", () => {
    const sharedResources = [{ ...open, select }];
    const answers = { "db/recorded": [{ ...payroll, status: { endpoint: "secret" } }] };
    const draft = draftOf({ xr: namespacedXr, capabilities: V2, sharedResources, observed: record, answers });
    expect(draft.composite).toEqual([]);
  });

  test("an object in a team's namespace that the team calls the record binds a cluster-scoped XR to nothing", () => {
    const forged = {
      ...boundTo({ db: { ...POSTGRES, name: "billing" } }),
      metadata: { name: "x", namespace: "team-a" },
    };
    const draft = draftOf({ xr: naming("nope"), observed: { [RECORD_NAME]: forged }, answers: { db: [] } });
    expect(bindingsIn(draft)).toEqual([]);
  });
});

test("a later step adds to the record of an earlier one", () => {
  const cache = { ...fields, name: "cache" };
  const draft = draftOf({ sharedResources: [cache], desired: bound("billing"), answers: { cache: [database()] } });
  expect([bindingsIn(draft), bindingsIn(draft, "cache")]).toEqual([["billing Granted"], ["orders Granted"]]);
});

test("a later step cannot use the name of an earlier one's: its owner would not know that it is used", () => {
  const parts = { sharedResources: [fields], desired: bound("billing"), answers: { db: [database()] } };
  expect(() => draftOf(parts)).toThrow(
    "spec.sharedResources[0].name: an earlier step of this Composition has a shared resource db for XPostgres billing: choose another name for this XPostgres",
  );
});

describe("with readiness Required a shared resource that is not Ready", () => {
  const waiting = { ...fields, readiness: "Required" };
  const withReady = (status: string) =>
    database({ status: { endpoint: "a", conditions: [{ type: "Ready", status, reason: "Creating" }] } });
  const NOT_READY = "SharedResourceNotReady: db: XPostgres orders is not Ready yet";
  const unbound = { observed: {} };
  const copied = shared({ readiness: "Required" });
  const served = { observed: bound("orders") };
  const binding = { ...POSTGRES, name: "orders", access: "Requested" };
  const requested = { observed: { [RECORD_NAME]: { data: { db: JSON.stringify([binding]) } } } };
  const [AVAILABLE, GRANTED] = ["Available: undefined", "orders Granted"];
  const NO_GRANT = expect.stringMatching(
    /^AccessNotGranted: db: XPostgres orders does not grant access to namespace team-a/,
  );
  const [isReady, isNot] = ["True", "False"].map((status) => ({ answers: { db: [withReady(status)] } }));
  const unknown = { sharedResources: [copied], answers: { db: [withReady("Unknown")] } };
  test.each<[reason: string, says: string, binding: string, parts: CallParts]>([
    ["is waited for", NOT_READY, "orders Requested", { ...unbound, ...isNot }],
    [
      "is waited for where it says nothing",
      NOT_READY,
      "orders Requested",
      { ...unbound, answers: { db: [database()] } },
    ],
    ["is waited for where it was requested before", NOT_READY, "orders Requested", { ...requested, ...isNot }],
    ["is used once it is Ready", AVAILABLE, GRANTED, { ...requested, ...isReady }],
    ["serves those that it served before", AVAILABLE, GRANTED, { ...served, ...isNot }],
    ["is not copied either", NOT_READY, "orders Requested", unknown],
    [
      "is nothing to be told before it grants access",
      NO_GRANT,
      "orders Requested",
      { ...unbound, answers: { db: [refusing] } },
    ],
  ])("%s", (_reason, message, binding, parts) => {
    const draft = draftOf({ sharedResources: [waiting], ...parts });
    expect([says(draft), bindingsIn(draft)]).toEqual([message, [binding]]);
    const isServed = message === AVAILABLE;
    expect([draft.composite.length, draft.compositeReady]).toEqual(isServed ? [1, undefined] : [0, "False"]);
    expect([...draft.resources.keys()]).toEqual([RECORD_NAME]);
  });
});
