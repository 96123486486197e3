import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { RECORD_NAME } from "../../../src/ownership/record.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import {
  ALLOWED,
  boundTo,
  type CallParts,
  callOf,
  copyMetadata,
  database,
  observedObject,
  recorded,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const DOMAIN = "shared-infrastructure.fn.crossplane.io";
const draftOf = (parts: CallParts): Draft => runFeature(sharing, callOf(parts));

const recordIn = ({ resources }: Draft): JsonObject | undefined => {
  const edit = resources.get(RECORD_NAME);
  return edit?.is === "set" ? edit.object : undefined;
};

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

const KIND = { apiVersion: "data.example.org/v1", kind: "XPostgres" };
const named = (name: string, annotations: JsonObject = { [ALLOWED]: "team-a" }): JsonObject =>
  database({ metadata: { name, annotations } });
const refusing = named("orders", {});
const bound = (name: string): JsonObject => boundTo({ db: { ...KIND, name } });

const { connection: _, ...alone } = shared();
const fields: JsonObject = {
  ...alone,
  grant: "Annotation",
  patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db" }],
};
const byLabels = { matchLabels: { tier: "prod" } };
const labelled = { ...fields, select: byLabels };

test("an XR records what it is bound to, so that the owner finds it by one label", () => {
  expect(recordIn(draftOf({ answers: { db: [database()] } }))).toEqual({
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    metadata: {
      labels: {
        [`${DOMAIN}/record-of`]: "0459848e8334c8eeee94779fde46af588743b3f8",
        [`${DOMAIN}/uses-ef539f7fe3df1ea36606aa8a67dfd2b53c6c2dff`]: "true",
      },
      annotations: { [`${DOMAIN}/owner`]: "Shop.apps.example.org/team-a/shop" },
    },
    data: { db: JSON.stringify([{ ...KIND, name: "orders", access: "Granted", secrets: ["team-a/orders-db"] }]) },
  });
});

test("the record of a namespaced XR is a ConfigMap in its namespace", () => {
  const metadata = { namespace: "team-a", name: "shop" };
  const draft = draftOf({ xr: xr({ metadata }), answers: { db: [database()] } });
  expect(recordIn(draft)).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
});

describe("the record says of a share", () => {
  test.each<CallParts & { what: string; bindings: readonly string[] | undefined }>([
    {
      what: "that only its fields are taken",
      sharedResources: [fields],
      answers: { db: [database()] },
      bindings: ["orders Granted"],
    },
    { what: "that a grant is waited for", answers: { db: [refusing] }, bindings: ["orders Requested"] },
    {
      what: "that a grant was taken back",
      answers: { db: [refusing] },
      observed: { [RECORD_NAME]: bound("orders") },
      bindings: ["orders Revoked"],
    },
    {
      what: "that a credential is waited for",
      sharedResources: [
        shared({ connection: { secretRef: { perConsumer: true }, copies: [{ secretName: "db", via: "Secret" }] } }),
      ],
      capabilities: ["Capabilities", "RequiredResources", "Conditions"],
      answers: { db: [database()], answer: [] },
      bindings: ["orders Granted credential for team-a"],
    },
    { what: "nothing while nothing is known", answers: {}, bindings: [] },
    {
      what: "what it said before while nothing is known",
      answers: {},
      observed: { [RECORD_NAME]: bound("billing") },
      bindings: ["billing Granted"],
    },
    {
      what: "nothing where it takes a list",
      sharedResources: [{ ...labelled, patches: [], select: { ...byLabels, maxMatch: 3 } }],
      answers: { db: [database()] },
      bindings: undefined,
    },
    {
      what: "nothing where it is the XR itself",
      sharedResources: [
        { name: "db", select: { self: {} }, patches: [{ fromFieldPath: "spec", toCompositeFieldPath: "status.x" }] },
      ],
      bindings: undefined,
    },
  ])("$what", ({ bindings, what: _, ...parts }) => {
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
    const old: JsonObject = { ...KIND, name: "orders", access: "Granted", copied: "databases/old" };
    const before = { [RECORD_NAME]: { data: { db: JSON.stringify([old]) } } };
    const key = "shared/db/team-a/orders-db/connection-secret";

    test.each([
      ["none before there are copies", {}, undefined],
      ["the one before while there are none", before, "databases/old"],
      ["the one before until the provider has written the next", { ...before, [key]: copy("False") }, "databases/old"],
      ["the next once it is written", { ...before, [key]: copy("True") }, "databases/new"],
      [
        "the one before until all copies hold the next",
        { ...before, [key]: copy("True"), "shared/db/team-a/other": copy("False") },
        "databases/old",
      ],
    ])("%s", (_reason, observed, copied) => {
      expect(copiedOf(observed)).toBe(copied);
    });
  });

  test("both resources while its copy moves from one to the other, and then one, with an event", () => {
    const copy = (annotations: JsonObject) => ({ ...observedObject({ ready: "True" }), metadata: { annotations } });
    const parts = {
      xr: xr({
        spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" }, parameters: { database: "billing" } },
      }),
    };
    const answers = { db: [named("billing")], "db/recorded": [named("orders")] };
    const observed = { "shared/db/team-a/orders-db": copy(recorded()) };
    const moving = draftOf({ ...parts, answers, observed });
    expect(bindingsIn(moving)).toEqual(["billing Granted team-a/orders-db", "orders Granted team-a/orders-db"]);
    expect(moving.results.map(({ reason }) => reason)).not.toContain("SourceChanged");

    const both = {
      data: { db: JSON.stringify(["billing", "orders"].map((name) => ({ ...KIND, name, access: "Granted" }))) },
    };
    const moved = draftOf({
      ...parts,
      answers,
      observed: { "shared/db/team-a/orders-db": copy(recorded("billing")), [RECORD_NAME]: both },
    });
    expect(bindingsIn(moved)).toEqual(["billing Granted team-a/orders-db"]);
    expect(moved.results).toContainEqual({
      severity: "Normal",
      reason: "SourceChanged",
      message: "db: XPostgres billing takes the place of XPostgres orders",
      target: "CompositeAndClaim",
    });
  });
});

describe("an XR that is bound to a resource, and takes its fields only,", () => {
  const status = { db: "old.example.org" };
  const endpoint = (draft: Draft): unknown => draft.composite.find(({ path }) => path.join(".") === "status.db")?.value;
  const nowhere = xr({ spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } }, status });

  test.each<CallParts & { what: string; bindings: readonly string[] | undefined; endpoint: unknown }>([
    {
      what: "keeps it, whatever else matches",
      sharedResources: [labelled],
      answers: { db: [named("a-decoy"), database()] },
      bindings: ["orders Granted"],
      endpoint: "orders.db.example.org",
    },
    {
      what: "keeps its fields while it names nothing and the grant stands",
      xr: nowhere,
      answers: { "db/recorded": [database()] },
      bindings: ["orders Granted"],
      endpoint: "old.example.org",
    },
    {
      what: "keeps its fields while it names nothing, and the grant is not looked up yet",
      xr: nowhere,
      answers: {},
      bindings: ["orders Granted"],
      endpoint: "old.example.org",
    },
    {
      what: "loses its fields when the grant is taken back, though it names nothing",
      xr: nowhere,
      answers: { "db/recorded": [refusing] },
      bindings: undefined,
      endpoint: undefined,
    },
    {
      what: "keeps its fields while it names one that does not grant",
      xr: xr({ status }),
      observed: { [RECORD_NAME]: bound("billing") },
      answers: { db: [refusing], "db/recorded": [named("billing")] },
      bindings: ["orders Requested", "billing Granted"],
      endpoint: "old.example.org",
    },
    {
      what: "moves at once to one that grants",
      xr: xr({ status }),
      observed: { [RECORD_NAME]: bound("billing") },
      answers: { db: [database()] },
      bindings: ["orders Granted"],
      endpoint: "orders.db.example.org",
    },
    {
      what: "loses its fields with its grant",
      xr: xr({ status }),
      answers: { db: [refusing] },
      bindings: ["orders Revoked"],
      endpoint: undefined,
    },
  ])("$what", ({ what: _, bindings, endpoint: expected, ...parts }) => {
    const draft = draftOf({
      sharedResources: [{ ...fields, resolution: "Required" }],
      observed: { [RECORD_NAME]: bound("orders") },
      ...parts,
    });
    expect([bindingsIn(draft), endpoint(draft)]).toEqual([bindings, expected]);
  });
});

describe("a record that a team has edited", () => {
  test.each<{ what: string; data: JsonObject | string; bindings: readonly string[] }>([
    {
      what: "with a resource of another kind",
      data: { db: JSON.stringify([{ apiVersion: "v1", kind: "Secret", name: "root", access: "Granted" }]) },
      bindings: [],
    },
    { what: "with no JSON", data: { db: "[{" }, bindings: [] },
    { what: "with no list", data: { db: "{}" }, bindings: [] },
    { what: "with no object", data: "x", bindings: [] },
    {
      what: "with a path for a name",
      data: { db: JSON.stringify([{ ...KIND, name: "../x", access: "Granted" }]) },
      bindings: [],
    },
    {
      what: "with a resource that does not grant",
      data: { db: JSON.stringify([{ ...KIND, name: "orders", access: "Granted" }]) },
      bindings: [],
    },
    {
      what: "with ten thousand resources asks for ten",
      data: {
        db: JSON.stringify(
          Array.from({ length: 10_000 }, (_, index) => ({ ...KIND, name: `n${index}`, access: "Granted" })),
        ),
      },
      bindings: Array.from({ length: 10 }, (_, index) => `n${index} Granted`),
    },
  ])("$what", ({ data, bindings }) => {
    const draft = draftOf({
      xr: xr({ spec: { claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } } }),
      sharedResources: [fields],
      observed: { [RECORD_NAME]: { data } },
      answers: what(data) ? {} : { "db/recorded": [refusing] },
    });
    expect(bindingsIn(draft) ?? []).toEqual(bindings);
    const asked = [...draft.requirements.values()].filter(({ kind }) => kind === "Secret");
    expect(asked).toEqual([]);
  });
});

const what = (data: JsonObject | string): boolean => typeof data === "object" && String(data["db"]).length > 1000;

test("a later step adds to the record of an earlier one", () => {
  const cache = { ...fields, name: "cache" };
  const draft = draftOf({
    sharedResources: [cache],
    desired: { [RECORD_NAME]: bound("billing") },
    answers: { cache: [database()] },
  });
  expect([bindingsIn(draft), bindingsIn(draft, "cache")]).toEqual([["billing Granted"], ["orders Granted"]]);
});
