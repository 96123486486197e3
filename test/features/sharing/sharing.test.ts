import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { type CallParts, sharingDraft as draftOf, V2 } from "../../../testing/builders/calls.ts";
import { copying, copyMetadata, KEY, objectIn } from "../../../testing/builders/copies.ts";
import { requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { fromXr, grantedTo, naming, refused } from "../../../testing/builders/shared-database.ts";
import {
  ALLOWED,
  database,
  namespacedXr,
  observedObject,
  POSTGRES,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const answers = { db: [database()] };

/** The label by which a copy is found. */
const labels = { [`${DOMAIN}/target`]: "f07cf4748c39cf683541dc52581d1666984278d9" };

/** The Object that copies the Secret, but for what a test is about. */
const object = (copy: { references?: unknown; type?: string } = {}) => {
  const owner = { [`${DOMAIN}/owner`]: "Shop.apps.example.org/team-a/shop" };
  const from = { [`${DOMAIN}/shared-from`]: "databases/orders-conn" };
  const annotations = { ...owner, ...from, [`${DOMAIN}/composite`]: "shop-x7k2p" };
  const metadata = { name: "orders-db", namespace: "team-a", labels, annotations };
  return {
    apiVersion: "kubernetes.crossplane.io/v1alpha2",
    kind: "Object",
    metadata: copyMetadata(),
    spec: {
      forProvider: { manifest: { apiVersion: "v1", kind: "Secret", metadata, type: copy.type ?? "Opaque" } },
      providerConfigRef: { name: "default" },
      references: copy.references ?? [patchesFrom("data", "data")],
      watch: true,
    },
  };
};

const patchesFrom = (fieldPath: string, toFieldPath: string) => ({
  patchesFrom: { apiVersion: "v1", kind: "Secret", namespace: "databases", name: "orders-conn", fieldPath },
  toFieldPath,
});

test("without shared resources in the input nothing is changed", () => {
  expect(draftOf({ sharedResources: [] })).toBe(emptyDraft);
});

test("a granted Secret is copied to the claim's namespace", () => {
  const draft = draftOf({ answers });
  const waiting = { reason: "WaitingForCopies", message: "db: waiting for Secret team-a/orders-db to be written" };
  const target = "CompositeAndClaim";
  expect({ ...draft, requirements: requirementsIn(draft) }).toEqual({
    ...emptyDraft,
    resources: new Map([[KEY, { is: "set", object: object(), ready: "False" }]]),
    requirements: new Map<string, unknown>([
      ["shared-resource/db", { ...POSTGRES, namespace: undefined, match: { name: "orders" } }],
      [`${KEY}/target`, { apiVersion: "v1", kind: "Secret", match: { labels } }],
    ]),
    context: new Map([[`${DOMAIN}/unavailable`, { db: [waiting] }]]),
    conditions: [{ type: "SharedResourcesReady", status: "False", ...waiting, target }],
    results: [{ severity: "Normal", ...waiting, target }],
    shares: [{ kind: "XPostgres.data.example.org", reason: "WaitingForCopies" }],
  });
});

/** The copy as it is observed, once it is written. */
const written = observedObject({ ready: "True" });
const observed = { [KEY]: written };

test("a written copy makes the shared resource available", () => {
  const { resources, conditions, results, compositeReady } = draftOf({ answers, observed });
  expect(resources.get(KEY)).toEqual({ is: "set", object: object(), ready: "True" });
  const available = { type: "SharedResourcesReady", status: "True", reason: "Available", target: "CompositeAndClaim" };
  expect(conditions).toEqual([{ ...available, message: undefined }]);
  expect(results).toMatchObject([{ severity: "Normal", message: "SharedResourcesReady is True" }]);
  expect(compositeReady).toBeUndefined();
});

describe("a copy looks as the input says", () => {
  const renamed = [
    { from: "endpoint", to: "DB_HOST" },
    { from: "ca.crt", to: "tls.crt" },
  ];
  const references = [patchesFrom("data.endpoint", "data.DB_HOST"), patchesFrom("data[ca.crt]", "data[tls.crt]")];
  const metadata = { labels: { app: "shop" }, annotations: { note: "x" } };
  const composed = { spec: { forProvider: { manifest: { metadata } }, providerConfigRef: { name: "apps" } } };
  const copy = { ...metadata, providerConfigRef: { name: "apps" } };
  test.each<[reason: string, copy: JsonObject, composed: object]>([
    ["listed keys, renamed; a key with periods stands in brackets", { keys: renamed }, object({ references })],
    ["its type", { type: "app/db" }, object({ type: "app/db" })],
    ["labels, annotations and the ProviderConfig", copy, composed],
  ])("%s", (_reason, copy, composed) => {
    expect(objectIn(draftOf({ answers, sharedResources: [copying(copy)] }))).toMatchObject(composed);
  });

  test("a namespaced XR composes the namespaced Object into its own namespace", () => {
    const annotations = { [`${DOMAIN}/owner`]: "XShop.apps.example.org/team-a/shop" };
    const forProvider = { manifest: { metadata: { namespace: "team-a", annotations } } };
    const spec = { forProvider, providerConfigRef: { kind: "ClusterProviderConfig", name: "default" } };
    const object = objectIn(draftOf({ answers: { ...answers, [`${KEY}/target`]: [] }, xr: namespacedXr }));
    expect(object).toMatchObject({ apiVersion: "kubernetes.m.crossplane.io/v1alpha1", spec });
  });
});

test.each<[reason: string, namespaces: JsonValue, ...keys: readonly string[]]>([
  ["a list in the input", ["a", "b"], "a/shop", "b/shop"],
  ["one name in the XR", fromXr("spec.claimRef.namespace"), "team-a/shop"],
  ["a list in the XR", fromXr("spec.apps"), "x/shop", "y/shop"],
  ["a list in the environment", { fromEnvironmentFieldPath: "teams" }, "t1/shop", "t2/shop"],
])("namespaces and names come from where the input says: %s", (_reason, namespaces, ...keys) => {
  const { resources } = draftOf({
    xr: naming("orders", { claimRef: { namespace: "team-a", name: "shop" }, apps: ["x", "y"] }),
    spaces: ["x", "y", "t1", "t2"],
    context: { "apiextensions.crossplane.io/environment": { teams: ["t1", "t2"] } },
    sharedResources: [copying({ namespaces, secretName: fromXr("spec.claimRef.name") })],
    answers: { db: [grantedTo("*")] },
  });
  expect([...resources.keys()]).toEqual(keys.map((key) => `shared/db/${key}`));
});

describe("what is there stays while we cannot tell", () => {
  test.each<[reason: string, parts: CallParts]>([
    ["nothing was looked up yet", {}],
    ["it names no Secret any more", { answers: { db: [database({ spec: {} })] } }],
  ])("%s", (_reason, parts) => {
    const bucket = { apiVersion: "v1", kind: "Bucket" };
    const { resources, compositeReady } = draftOf({ ...parts, observed: { ...observed, bucket } });
    const { references } = written["spec"] as Record<string, object>;
    const metadata = { name: "orders-db", namespace: "team-a" };
    const manifest = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque" };
    const spec = { forProvider: { manifest }, providerConfigRef: { name: "default" }, references };
    const object = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object", spec };
    expect([...resources]).toEqual([[KEY, { is: "set", ready: "True", object }]]);
    expect(JSON.stringify([...resources])).not.toContain("aHVudGVyMg==");
    expect(compositeReady).toBe("False");
  });

  test("a grant that is taken back takes the copy away", () => {
    const draft = draftOf({ answers: { db: [refused] }, observed });
    const message =
      "db: XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation " +
      ALLOWED;
    expect(draft.resources.size).toBe(0);
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "AccessNotGranted", message }]);
    expect(draft.results).toMatchObject([{ severity: "Warning" }]);
  });
});

test.each([
  ["refused by the provider, which leaves Ready alone", { ready: "True", synced: "False" }],
  ["not there yet", { ready: "False", synced: "True" }],
])("an Object that provider-kubernetes could not write is not ready: %s", (_reason, status) => {
  const { resources } = draftOf({ answers, observed: { [KEY]: observedObject(status) } });
  expect(resources.get(KEY)).toMatchObject({ ready: "False" });
});

const cache = shared({ name: "cache", kind: "XRedis", select: { name: "sessions" } });

describe("several shared resources", () => {
  const madeByDb = "Secret team-a/orders-db is a copy made by shared resource db of this XR";
  const sharedResources = [shared(), cache];

  test("have one condition, which names all that is lacking, and are counted one by one", () => {
    const { conditions, shares } = draftOf({ sharedResources, answers: { db: [], cache: [] } });
    const message = "db: found no XPostgres orders; cache: found no XRedis sessions";
    expect(conditions).toMatchObject([{ reason: "NotFound", message }]);
    const kinds = ["XPostgres.data.example.org", "XRedis.data.example.org"];
    expect(shares).toEqual(kinds.map((kind) => ({ kind, reason: "NotFound" })));
  });

  test.each([
    ["has it", observed, ""],
    ["takes it in this call", {}, "; db: waiting for Secret team-a/orders-db to be written"],
  ])("may not have the same Secret for a copy: the first %s", (_reason, observed, waits) => {
    const found = { ...answers, cache: [database({ kind: "XRedis" })] };
    const draft = draftOf({ sharedResources, answers: found, observed });
    expect([...draft.resources.keys()]).toEqual([KEY]);
    expect(says(draft)).toBe(`TargetTaken: cache: ${madeByDb}: choose another secretName${waits}`);
  });

  test("may not name a Secret in two ways: the first copy of the one share has it", () => {
    const keys = [{ from: "password", to: "password" }];
    const copies = ["Object", "ConnectionSecret"].map((via) => ({ via, secretName: "orders-db", keys }));
    const draft = draftOf({ sharedResources: [shared({ connection: { copies } })], answers });
    expect([...draft.resources.keys()]).toEqual([KEY]);
    expect(says(draft)).toMatch(new RegExp(`^TargetTaken: db: ${madeByDb}`));
  });

  test("go into the context beside what an earlier step of ours found", () => {
    const key = `${DOMAIN}/shared-resources`;
    const sharedResources = [shared({ into: "db" })];
    const { context } = draftOf({ sharedResources, answers, context: { [key]: { earlier: [{ kind: "X" }] } } });
    expect(context.get(key)).toEqual({ earlier: [{ kind: "X" }], db: [expect.anything()] });
  });
});

describe("two steps of one pipeline", () => {
  const shownBy = (draft: Draft) => {
    const [{ status = "", reason = "", message = "" } = {}] = draft.conditions;
    return xr({ status: { conditions: [{ type: "SharedResourcesReady", status, reason, message }] } });
  };
  const play = (shown = xr(), db: readonly JsonObject[] = []) => {
    const first = draftOf({ xr: shown, answers: { db } });
    const unavailable = [...first.context].filter(([key]) => key.endsWith("/unavailable"));
    const context = Object.fromEntries(unavailable) as JsonObject;
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

  test.each(["OfAnotherVersion", "constructor", "Available"])(
    "take a reason that this version does not give for a fault: %s",
    (reason) => {
      const context = { [`${DOMAIN}/unavailable`]: { other: [{ reason, message: "other: is not there" }] } };
      const { conditions } = draftOf({ answers, context });
      expect(conditions).toMatchObject([
        { status: "False", reason, message: expect.stringMatching(/^other: is not there/) },
      ]);
    },
  );

  test("have an event each, once", () => {
    const { second, events } = play();
    expect([events, play(shownBy(second)).events]).toEqual([[missing, "cache: found no XRedis sessions"], []]);
  });

  test("say when all is there again", () => {
    const draft = draftOf({ xr: shownBy(play().first), answers, observed });
    expect(draft.results.map(({ message }) => message)).toEqual(["SharedResourcesReady is True"]);
  });

  test("say when what one of them waited for is there", () => {
    const { events } = play(shownBy(play().second), [database({ spec: {} })]);
    const says =
      "set that field; if another field or none names the Secret, set connection.secretRef in the Composition instead";
    const lacks = "XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name";
    expect(events).toEqual([`db: ${lacks}: ${says}`]);
  });
});

describe("a namespaced shared resource", () => {
  const sharedResources = [shared({ select: { name: "orders", namespace: "databases" } })];
  test("needs Crossplane v2, and the input's fault says so", () => {
    const fault =
      "needs Crossplane v2.2 or later, or v2.0 or v2.1 with an XRD of scope Namespaced or Cluster; without that, share a";
    expect(() => draftOf({ sharedResources })).toThrow(`spec.sharedResources[0].select.namespace: ${fault}`);
  });

  test.each<[reason: string, parts: CallParts]>([
    ["v2.2 and later say what they can do", { capabilities: V2 }],
    ["a v2 XR has spec.crossplane", { xr: xr({ spec: { crossplane: {} } }) }],
    ["a namespaced XR is v2's", { xr: xr({ metadata: { name: "shop", namespace: "team-a" } }) }],
  ])("is required with its namespace: %s", (_reason, parts) => {
    const asked = requirementsIn(draftOf({ ...parts, sharedResources })).get("shared-resource/db");
    expect(asked).toMatchObject({ namespace: "databases", match: { name: "orders" } });
  });

  test("is not, whatever a claim writes into its XR's spec.crossplane: only legacy XRs have claims", () => {
    const parts = { xr: naming(undefined, { crossplane: {} }), sharedResources };
    expect(() => draftOf(parts)).toThrow("needs Crossplane v2.2");
  });
});
