import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import {
  ALLOWED,
  type CallParts,
  callOf,
  copyMetadata,
  database,
  observedObject,
  requirementsIn,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const draftOf = (parts: CallParts): Draft => runSharing(callOf(parts));
const answers = { db: [database()] };
const KEY = "shared/db/team-a/orders-db";

/** The Object that copies the Secret, but for what a test is about. */
const object = (copy: { references?: unknown; type?: string } = {}) => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: copyMetadata(),
  spec: {
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "orders-db",
          namespace: "team-a",
          labels: { "shared-infrastructure.fn.crossplane.io/target": "f07cf4748c39cf683541dc52581d1666984278d9" },
          annotations: {
            "shared-infrastructure.fn.crossplane.io/owner": "Shop.apps.example.org/team-a/shop",
            "shared-infrastructure.fn.crossplane.io/shared-from": "databases/orders-conn",
          },
        },
        type: copy.type ?? "Opaque",
      },
    },
    providerConfigRef: { name: "default" },
    references: copy.references ?? [patchesFrom("data", "data")],
    watch: true,
  },
});

const patchesFrom = (fieldPath: string, toFieldPath: string) => ({
  patchesFrom: { apiVersion: "v1", kind: "Secret", namespace: "databases", name: "orders-conn", fieldPath },
  toFieldPath,
});

test("without shared resources in the input nothing is changed", () => {
  expect(draftOf({ sharedResources: [] })).toBe(emptyDraft);
});

test("a granted Secret is copied to the claim's namespace", () => {
  const draft = draftOf({ answers });
  expect({ ...draft, requirements: requirementsIn(draft) }).toEqual({
    ...emptyDraft,
    resources: new Map([[KEY, { is: "set", object: object(), ready: "False" }]]),
    requirements: new Map([
      [
        "shared-resource/db",
        { apiVersion: "data.example.org/v1", kind: "XPostgres", namespace: undefined, match: { name: "orders" } },
      ],
      [
        `${KEY}/target`,
        {
          apiVersion: "v1",
          kind: "Secret",
          match: {
            labels: { "shared-infrastructure.fn.crossplane.io/target": "f07cf4748c39cf683541dc52581d1666984278d9" },
          },
        },
      ],
    ]),
    context: new Map<string, unknown>([
      [
        "shared-infrastructure.fn.crossplane.io/unavailable",
        { db: [{ reason: "WaitingForCopies", message: "db: waiting for Secret team-a/orders-db to be written" }] },
      ],
    ]),
    conditions: [
      {
        type: "SharedResourcesReady",
        status: "False",
        reason: "WaitingForCopies",
        message: "db: waiting for Secret team-a/orders-db to be written",
        target: "CompositeAndClaim",
      },
    ],
    results: [
      {
        severity: "Normal",
        message: "db: waiting for Secret team-a/orders-db to be written",
        reason: "WaitingForCopies",
        target: "CompositeAndClaim",
      },
    ],
    shares: [{ kind: "XPostgres.data.example.org", reason: "WaitingForCopies" }],
  });
});

test("a written copy makes the shared resource available", () => {
  const { resources, conditions, results, compositeReady } = draftOf({
    answers,
    observed: { [KEY]: observedObject({ ready: "True" }) },
  });
  expect(resources.get(KEY)).toEqual({ is: "set", object: object(), ready: "True" });
  expect(conditions).toEqual([
    {
      type: "SharedResourcesReady",
      status: "True",
      reason: "Available",
      message: undefined,
      target: "CompositeAndClaim",
    },
  ]);
  expect(results.map(({ severity, message }) => ({ severity, message }))).toEqual([
    { severity: "Normal", message: "SharedResourcesReady is True" },
  ]);
  expect(compositeReady).toBeUndefined();
});

describe("a copy looks as the input says", () => {
  test.each([
    {
      reason: "listed keys, renamed; a key with periods stands in brackets",
      copy: {
        keys: [
          { from: "endpoint", to: "DB_HOST" },
          { from: "ca.crt", to: "tls.crt" },
        ],
      },
      composed: object({
        references: [patchesFrom("data.endpoint", "data.DB_HOST"), patchesFrom("data[ca.crt]", "data[tls.crt]")],
      }),
    },
    { reason: "its type", copy: { type: "app/db" }, composed: object({ type: "app/db" }) },
  ])("$reason", ({ copy, composed }) => {
    const connection = { copies: [{ secretName: "orders-db", ...copy }] };
    const { resources } = draftOf({ answers, sharedResources: [shared({ connection })] });
    expect(resources.get(KEY)).toMatchObject({ object: composed });
  });

  test("labels, annotations and the ProviderConfig", () => {
    const copy = { labels: { app: "shop" }, annotations: { note: "x" }, providerConfigRef: { name: "apps" } };
    const connection = { copies: [{ secretName: "orders-db", ...copy }] };
    const { resources } = draftOf({ answers, sharedResources: [shared({ connection })] });
    expect(resources.get(KEY)).toMatchObject({
      object: {
        spec: {
          forProvider: { manifest: { metadata: { labels: { app: "shop" }, annotations: { note: "x" } } } },
          providerConfigRef: { name: "apps" },
        },
      },
    });
  });

  test("a namespaced XR composes the namespaced Object into its own namespace", () => {
    const team = xr({ metadata: { name: "shop", namespace: "team-a" }, spec: { parameters: { database: "orders" } } });
    const { resources } = draftOf({ answers: { ...answers, [`${KEY}/target`]: [] }, xr: team });
    expect(resources.get(KEY)).toMatchObject({
      object: {
        apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
        spec: {
          forProvider: {
            manifest: {
              metadata: {
                namespace: "team-a",
                annotations: { "shared-infrastructure.fn.crossplane.io/owner": "XShop.apps.example.org/team-a/shop" },
              },
            },
          },
          providerConfigRef: { kind: "ClusterProviderConfig", name: "default" },
        },
      },
    });
  });
});

describe("namespaces and names come from where the input says", () => {
  const copyTo = (namespaces: JsonValue) => [
    shared({ connection: { copies: [{ namespaces, secretName: { fromCompositeFieldPath: "spec.claimRef.name" } }] } }),
  ];
  const everywhere = { db: [database({ annotations: { [ALLOWED]: "*" } })] };
  test.each([
    { reason: "a list in the input", namespaces: ["a", "b"], keys: ["a/shop", "b/shop"] },
    {
      reason: "one name in the XR",
      namespaces: { fromCompositeFieldPath: "spec.claimRef.namespace" },
      keys: ["team-a/shop"],
    },
    { reason: "a list in the XR", namespaces: { fromCompositeFieldPath: "spec.apps" }, keys: ["x/shop", "y/shop"] },
    {
      reason: "a list in the environment",
      namespaces: { fromEnvironmentFieldPath: "teams" },
      keys: ["t1/shop", "t2/shop"],
    },
  ])("$reason", ({ namespaces, keys }) => {
    const { resources } = draftOf({
      xr: xr({
        spec: { claimRef: { namespace: "team-a", name: "shop" }, parameters: { database: "orders" }, apps: ["x", "y"] },
      }),
      spaces: ["x", "y", "t1", "t2"],
      context: { "apiextensions.crossplane.io/environment": { teams: ["t1", "t2"] } },
      sharedResources: copyTo(namespaces),
      answers: everywhere,
    });
    expect([...resources.keys()]).toEqual(keys.map((key) => `shared/db/${key}`));
  });
});

test("without connection in the input there is nothing to copy, and nothing to wait for", () => {
  const { connection: _, ...data } = shared();
  const { resources, conditions } = draftOf({ answers, sharedResources: [data] });
  expect(resources.size).toBe(0);
  expect(conditions).toMatchObject([{ status: "True", reason: "Available" }]);
});

test("with onSourceMissing: Delete copies and patches go with their source", () => {
  const connection = { onSourceMissing: "Delete", copies: [{ secretName: "orders-db" }] };
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db.host" }];
  const { resources, composite, conditions } = draftOf({
    xr: xr({ status: { db: { host: "old" } } }),
    sharedResources: [shared({ connection, patches, select: { name: "orders" } })],
    answers: { db: [] },
    observed: { [KEY]: observedObject({ ready: "True" }) },
  });
  expect([resources.size, composite]).toEqual([0, []]);
  expect(conditions).toMatchObject([{ status: "False", reason: "NotFound" }]);
});

describe("what is there stays while we cannot tell", () => {
  test.each<{ reason: string; parts: CallParts }>([
    { reason: "nothing was looked up yet", parts: {} },
    { reason: "the shared resource is gone", parts: { answers: { db: [] } } },
    { reason: "it names no Secret any more", parts: { answers: { db: [database({ spec: {} })] } } },
    { reason: "its name is not set any more", parts: { xr: xr({ spec: {} }) } },
  ])("$reason", ({ parts }) => {
    const observed = { [KEY]: observedObject({ ready: "True" }), bucket: { apiVersion: "v1", kind: "Bucket" } };
    const { resources, compositeReady } = draftOf({ ...parts, observed });
    const kept = observedObject({ ready: "True" })["spec"] as Record<string, object>;
    expect([...resources.keys()]).toEqual([KEY]);
    expect(resources.get(KEY)).toEqual({
      is: "set",
      ready: "True",
      object: {
        apiVersion: "kubernetes.crossplane.io/v1alpha2",
        kind: "Object",
        spec: {
          forProvider: {
            manifest: {
              apiVersion: "v1",
              kind: "Secret",
              metadata: { name: "orders-db", namespace: "team-a" },
              type: "Opaque",
            },
          },
          providerConfigRef: { name: "default" },
          references: kept["references"],
        },
      },
    });
    expect(JSON.stringify([...resources])).not.toContain("aHVudGVyMg==");
    expect(compositeReady).toBe("False");
  });

  test("but a grant taken back takes the copy away", () => {
    const { resources, conditions, results } = draftOf({
      answers: { db: [database({ annotations: {} })] },
      observed: { [KEY]: observedObject({ ready: "True" }) },
    });
    expect(resources.size).toBe(0);
    expect(conditions[0]).toMatchObject({
      status: "False",
      reason: "AccessNotGranted",
      message:
        "db: XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to " +
        "its annotation shared-infrastructure.fn.crossplane.io/allowed-namespaces",
    });
    expect(results[0]?.severity).toBe("Warning");
  });
});

describe("an Object that provider-kubernetes could not write is not ready", () => {
  test.each([
    { reason: "ready and synced", status: { ready: "True", synced: "True" }, ready: "True" },
    {
      reason: "refused by the provider, which leaves Ready alone",
      status: { ready: "True", synced: "False" },
      ready: "False",
    },
    { reason: "not there yet", status: { ready: "False", synced: "True" }, ready: "False" },
  ])("$reason", ({ status, ready }) => {
    const { resources } = draftOf({ answers, observed: { [KEY]: observedObject(status) } });
    expect(resources.get(KEY)).toMatchObject({ ready });
  });
});

describe("patches", () => {
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db.host" }];
  const patched = xr({ spec: { parameters: { database: "orders" } }, status: { db: { host: "old" } } });
  test.each<{ reason: string; parts: CallParts; composite: Draft["composite"] }>([
    {
      reason: "a field of the shared resource goes into the status",
      parts: { answers },
      composite: [{ path: ["status", "db", "host"], value: "orders.db.example.org" }],
    },
    {
      reason: "a field that is not set is left out",
      parts: { answers: { db: [database({ status: {} })] } },
      composite: [],
    },
    {
      reason: "the status stays as it was while the shared resource is gone",
      parts: { xr: patched, answers: { db: [] } },
      composite: [{ path: ["status", "db", "host"], value: "old" }],
    },
    {
      reason: "or not looked up yet",
      parts: { xr: patched },
      composite: [{ path: ["status", "db", "host"], value: "old" }],
    },
  ])("$reason", ({ parts, composite }) => {
    expect(draftOf({ ...parts, sharedResources: [shared({ patches })] }).composite).toEqual(composite);
  });
});

describe("several shared resources", () => {
  const cache = shared({ name: "cache", kind: "XRedis", select: { name: "sessions" } });
  const sharedResources = [shared(), cache];

  test("have one condition, which names all that is lacking, and are counted one by one", () => {
    const { conditions, shares } = draftOf({ sharedResources, answers: { db: [], cache: [] } });
    expect(conditions).toMatchObject([
      { reason: "NotFound", message: "db: found no XPostgres orders; cache: found no XRedis sessions" },
    ]);
    expect(shares).toEqual(
      ["XPostgres", "XRedis"].map((kind) => ({ kind: `${kind}.data.example.org`, reason: "NotFound" })),
    );
  });

  test("may not have the same Secret for a copy: the first has it", () => {
    const { resources, conditions } = draftOf({
      sharedResources,
      answers: { ...answers, cache: [database({ kind: "XRedis" })] },
      observed: { [KEY]: observedObject({ ready: "True" }) },
    });
    expect([...resources.keys()]).toEqual([KEY]);
    expect(conditions[0]).toMatchObject({
      reason: "TargetTaken",
      message:
        "cache: Secret team-a/orders-db is a copy made by shared resource db of this XR: " +
        "choose another secretName",
    });
  });

  test("go into the context beside what an earlier step of ours found", () => {
    const key = "shared-infrastructure.fn.crossplane.io/shared-resources";
    const sharedResources = [shared({ into: "db" })];
    const { context } = draftOf({ sharedResources, answers, context: { [key]: { earlier: [{ kind: "X" }] } } });
    expect(context.get(key)).toEqual({ earlier: [{ kind: "X" }], db: [expect.anything()] });
  });
});

describe("two steps of one pipeline", () => {
  const cache = shared({ name: "cache", kind: "XRedis", select: { name: "sessions" } });
  const shownBy = (draft: Draft) => {
    const [{ status = "", reason = "", message = "" } = {}] = draft.conditions;
    return xr({ status: { conditions: [{ type: "SharedResourcesReady", status, reason, message }] } });
  };
  const play = (shown = xr(), db: readonly JsonObject[] = []) => {
    const first = draftOf({ xr: shown, answers: { db } });
    const context = Object.fromEntries(
      [...first.context].filter(([key]) => key.endsWith("/unavailable")),
    ) as JsonObject;
    const again = draftOf({ xr: shown, answers: { db }, context });
    const second = draftOf({ xr: shown, sharedResources: [cache], answers: { cache: [] }, context });
    return { first, again, second, events: [...first.results, ...second.results].map(({ message }) => message) };
  };
  const missing = "db: found no XPostgres orders";
  const both = `${missing}; cache: found no XRedis sessions`;

  test("say in the last condition what both have to say", () => {
    const { first, again, second } = play();
    expect([first, again, second].map(({ conditions }) => conditions[0]?.message)).toEqual([missing, missing, both]);
  });

  test("have an event each, once", () => {
    const { second, events } = play();
    expect([events, play(shownBy(second)).events]).toEqual([[missing, "cache: found no XRedis sessions"], []]);
  });

  test("say when what one of them waited for is there", () => {
    const { second } = play();
    const shown = shownBy(second);
    const { events } = play(shown, [database({ spec: {} })]);
    expect(events).toEqual(["db: XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name"]);
  });
});

describe("a namespaced shared resource", () => {
  const sharedResources = [shared({ select: { name: "orders", namespace: "databases" } })];
  test("needs Crossplane v2, and the input's fault says so", () => {
    expect(() => draftOf({ sharedResources })).toThrow(
      "spec.sharedResources[0].select.namespace: needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else share a",
    );
  });

  test.each<{ reason: string; parts: CallParts }>([
    { reason: "v2.2 and later say what they can do", parts: { capabilities: ["Capabilities", "RequiredResources"] } },
    { reason: "a v2 XR has spec.crossplane", parts: { xr: xr({ spec: { crossplane: {} } }) } },
    { reason: "a namespaced XR is v2's", parts: { xr: xr({ metadata: { name: "shop", namespace: "team-a" } }) } },
  ])("is required with its namespace: $reason", ({ parts }) => {
    expect(requirementsIn(draftOf({ ...parts, sharedResources })).get("shared-resource/db")).toMatchObject({
      namespace: "databases",
      match: { name: "orders" },
    });
  });

  test("is not, whatever a claim writes into its XR's spec.crossplane: only legacy XRs have claims", () => {
    const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };
    const parts = { xr: xr({ spec: { crossplane: {}, claimRef } }), sharedResources };
    expect(() => draftOf(parts)).toThrow("needs Crossplane v2.2");
  });
});
