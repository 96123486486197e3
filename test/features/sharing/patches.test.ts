import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { type CallParts, sharingDraft } from "../../../testing/builders/calls.ts";
import { recordOf } from "../../../testing/builders/composed.ts";
import { objectIn, withoutCopies } from "../../../testing/builders/copies.ts";
import { at, fatalsIn, says } from "../../../testing/builders/read-draft.ts";
import { refused, toStatus } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, xr } from "../../../testing/builders/sharing.ts";

const alone = withoutCopies();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  sharingDraft({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] });
const optional = (patch: JsonObject): JsonObject => ({ ...patch, policy: "Optional" });
const withStatus = (status: JsonObject) => ({ db: [database({ status })] });

describe("a patch of a composed resource", () => {
  const patch = { fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env[0].value" } };
  const app = { apiVersion: "v1", kind: "App", spec: { env: [{ name: "HOST", value: "" }] } };
  const withHost = (value: string) => ({ ...app, spec: { env: [{ name: "HOST", value }] } });

  test("sets its field beside those of earlier steps and patches", () => {
    const second = { fromFieldPath: "metadata.name", toResource: { name: "app", fieldPath: "metadata.labels.db" } };
    const { resources } = draftOf([patch, second], { desired: { app, other: {} } });
    const object = { ...withHost("orders.db.example.org"), metadata: { labels: { db: "orders" } } };
    expect([...resources]).toEqual([["app", { is: "set", ready: undefined, object }]]);
  });

  test("keeps what it has while the shared resource is gone", () => {
    const draft = draftOf([patch], { answers: { db: [] }, desired: { app }, observed: { app: withHost("old") } });
    expect(objectIn(draft, "app")).toMatchObject(withHost("old"));
  });

  test("does nothing where no earlier step desires it and its field is Optional", () => {
    const draft = draftOf([optional(patch)]);
    expect([says(draft), fatalsIn(draft)]).toEqual(["Available: undefined", []]);
  });
});

describe("a field of a composed resource that exists is not taken back", () => {
  const toResource = { name: "app", fieldPath: "spec.ids" };
  const fromFieldPath = "status.ids";
  const granted = database({ status: { ids: ["a", "b"] } });
  const app = { kind: "App", spec: { size: 1 } };
  const kept =
    "fields of composed resources keep their present values, because no new value can be set: app (spec.ids)";
  const noGrant = `does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
  const field = (draft: Draft) => objectIn(draft, "app")?.["spec"];

  const gone = `NotFound: db: found no XPostgres orders; db: ${kept}`;
  const deleting = { connection: { copies: [{ secretName: "s" }], onSourceMissing: "Delete" } };
  const nowhere: CallParts = { answers: { db: [granted] }, xr: { ...xr(), spec: {} } };
  const untaken = { answers: { db: [database({ annotations: {}, status: { ids: ["a"] } })] } };
  const two = { answers: { db: [granted, { ...granted, metadata: { name: "decoy" } }] } };
  const byLabels = { select: { matchLabels: { a: "b" }, maxMatch: 1 } };
  const ambiguous = `Ambiguous: db: found 2 XPostgres with labels a=b, more than maxMatch 1: change their labels, or set select.sortByFieldPath in the Composition, which uses the first in order; matches that grant access to this XR: orders; db: ${kept}`;
  const unnamed = `FieldsKept: db: ${kept}; db: spec.parameters.database of the XR is not set`;
  const unset = `FieldsKept: db: ${kept}; db: status.ids of XPostgres orders is not set`;
  const LOOKING_UP = "WaitingForRequiredResources: db: waiting for Crossplane to look up XPostgres";
  test.each<[reason: string, message: string, parts: CallParts, share?: JsonObject]>([
    ["its grant is taken back", `AccessNotGranted: db: XPostgres orders ${noGrant}; db: ${kept}`, untaken],
    ["the shared resource is gone", gone, { answers: { db: [] } }],
    ["the shared resource is gone, and its copies go with it", gone, { answers: { db: [] } }, deleting],
    ["several match", ambiguous, two, byLabels],
    ["the XR no longer names it", unnamed, nowhere],
    ["its source has no such field any more", unset, { answers: withStatus({}) }],
    ["its source is not looked up yet", LOOKING_UP, {}],
  ])("%s", (_reason, message, parts, share) => {
    const sharedResources = [{ ...alone, ...share, patches: [{ fromFieldPath, toResource }] }];
    const observed = { app: { kind: "App", spec: { size: 1, ids: ["a", "b"] } } };
    const draft = sharingDraft({ desired: { app }, observed, ...parts, sharedResources });
    expect([field(draft), says(draft)]).toEqual([{ size: 1, ids: ["a", "b"] }, message]);
  });

  test("but set while only the Secret of the shared resource is not there yet, which onSourceMissing: Delete does not mean", () => {
    const sharedResources = [{ ...alone, ...deleting, patches: [{ fromFieldPath, toResource }] }];
    const noSecret = { ...granted, spec: {} };
    const draft = sharingDraft({ desired: { app }, observed: { app }, answers: { db: [noSecret] }, sharedResources });
    expect([field(draft), says(draft)]).toEqual([
      { size: 1, ids: ["a", "b"] },
      expect.stringContaining("NoConnectionSecret"),
    ]);
  });

  const other = { kind: "App", spec: { ids: ["default"] } };
  test.each<[reason: string, before: JsonObject, spec: JsonObject, message: string]>([
    ["where the owner did not have to set it", app, { size: 1, ids: ["a"] }, "Available: undefined"],
    ["where an earlier step has another value, and this is reported", other, { ids: ["a"] }, `FieldsKept: db: ${kept}`],
  ])("%s", (_reason, before, spec, message) => {
    const there = { desired: { app: before }, observed: { app: { kind: "App", spec: { ids: ["a"] } } } };
    const draft = draftOf([optional({ fromFieldPath, toResource })], { answers: withStatus({}), ...there });
    expect([field(draft), says(draft)]).toEqual([spec, message]);
  });

  test("but is held back where the XR refers to an object of another kind in its place", () => {
    const free = { kind: "Free", spec: { ids: ["z"] } };
    const parts = { answers: { db: [refused] }, desired: { app }, observed: { app: free } };
    const draft = draftOf([{ fromFieldPath, toResource }], parts);
    expect([draft.resources.get("app")?.is, says(draft)]).toEqual([
      "removed",
      expect.stringContaining("not created until"),
    ]);
  });

  // Crossplane deletes what it controls and is not desired.
  test("nor is the resource of another kind, which the Composition desired before: it stays until the new one may be created", () => {
    const own = { ...xr(), metadata: { name: "shop-x7k2p", uid: "1" } };
    const former = {
      kind: "Former",
      metadata: { ownerReferences: [{ uid: "1", controller: true }] },
      spec: { size: 1 },
    };
    const parts = { xr: own, answers: { db: [refused] }, desired: { app }, observed: { app: former } };
    const draft = draftOf([{ fromFieldPath, toResource }], parts);
    expect([objectIn(draft, "app"), says(draft)]).toEqual([
      { kind: "Former", metadata: {}, spec: { size: 1 } },
      expect.stringContaining("not created until"),
    ]);
  });

  test("the XR's status follows the grant", () => {
    const shown = { ...xr(), status: { endpoint: "shown" } };
    const draft = draftOf([toStatus("endpoint")], { answers: { db: [refused] }, xr: shown });
    expect(draft.composite).toEqual([]);
  });
});

describe("a resource that no earlier step desires", () => {
  const toResource = (name: string) => ({
    fromFieldPath: "status.endpoint",
    toResource: { name, fieldPath: "spec.host" },
  });
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`r${count - n - 1}`, {}]));
  test("stops the XR, with all such names and those that there are", () => {
    const draft = draftOf(["instanse", "app", "r"].map(toResource), { desired: { instance: {}, app: {} } });
    expect(draft.results.find(({ severity }) => severity === "Fatal")?.reason).toBe("InvalidInput");
    expect(fatalsIn(draft)).toEqual([
      [
        "cannot use the input:",
        '  spec.sharedResources[0].patches[0].toResource.name: no earlier step desires "instanse"; earlier steps desire app, instance; did you mean instance?',
        '  spec.sharedResources[0].patches[2].toResource.name: no earlier step desires "r"; earlier steps desire app, instance; if a step such as function-sequencer holds "r" back, move that step behind this one; if earlier steps leave it out at times, set policy: Optional',
      ].join("\n"),
    ]);
    expect(says(draft)).toContain(
      'PatchFailed: db: cannot patch a resource: no earlier step desires "instanse"; earlier steps desire app, instance; did you mean instance?; db: ',
    );
  });

  const first = 'no earlier step desires "it"; earlier steps desire';
  const order =
    '; if a step such as function-sequencer holds "it" back, move that step behind this one; if earlier steps leave it out at times, set policy: Optional';
  const NONE = 'the steps before this one desire no resource: move this step behind the one that desires "it"';
  test.each<[reason: string, parts: CallParts, says: string]>([
    ["at the first call", { answers: {}, desired: { app: {} } }, `${first} app${order}`],
    ["without a step before it", {}, NONE],
    ["ten at most", { desired: names(12) }, `${first} r0, r1, r10, r11, r2, r3, r4, r5, r6, r7 and 2 more${order}`],
  ])("%s", (_reason, parts, message) => {
    expect(fatalsIn(draftOf([toResource("it")], parts))).toEqual([
      `cannot use the input:\n  spec.sharedResources[0].patches[0].toResource.name: ${message}`,
    ]);
  });

  test("goes where it is observed, and is not desired again", () => {
    const draft = draftOf([toResource("it")], { observed: { it: { spec: { host: "a" } } } });
    expect([fatalsIn(draft), draft.resources.size]).toEqual([[], 0]);
    expect(says(draft)).toBe(`PatchFailed: db: cannot patch a resource: ${NONE}`);
  });

  test("does not stop the XR where it was composed before, and an earlier step leaves it out for now", () => {
    const observed = recordOf({ it: { kind: "App.apps.example.org", name: "it-k2p" } });
    expect(fatalsIn(draftOf([toResource("it")], { observed }))).toEqual([]);
  });
});

describe("a field that is not set", () => {
  const patch = toStatus("port", "status.port");
  test("is left out where it is Optional", () => {
    const draft = draftOf([optional(patch)]);
    expect([says(draft), draft.composite]).toEqual(["Available: undefined", []]);
  });

  test("is waited for, and keeps what was there", () => {
    const draft = draftOf([patch], { xr: { ...xr(), status: { port: 5432 } } });
    expect([says(draft), draft.compositeReady, draft.composite]).toEqual([
      "FieldNotSet: db: status.port of XPostgres orders is not set",
      "False",
      [{ path: ["status", "port"], value: 5432 }],
    ]);
  });
});

test("a number that JSON cannot hold is not copied, and the condition says so", () => {
  const draft = draftOf([toStatus("port", "status.port")], { answers: withStatus({ port: Number.POSITIVE_INFINITY }) });
  const fault = "cannot read status.port of XPostgres orders: it is a number that JSON cannot hold";
  expect([says(draft), draft.composite]).toEqual([`PatchFailed: db: ${fault}`, []]);
});

describe("a field that is there and empty, as Compositions write it until their cloud has answered,", () => {
  const toResource = { name: "app", fieldPath: "spec.ids" };
  const app = { kind: "App", spec: { size: 1 } };
  const running = { app: { kind: "App", spec: { size: 1, ids: ["a"] } } };
  const answered = (ids: JsonValue) => withStatus({ ids });
  const WAITS = "FieldNotSet: db: status.ids of XPostgres orders is empty; db: composed resources";
  const patch = { fromFieldPath: "status.ids", toResource };
  describe.each<[reason: string, empty: JsonValue]>([
    ["a list", []],
    ["a list of an empty text", [""]],
    ["an object", {}],
    ["a text", ""],
  ])("%s", (_reason, empty) => {
    test("creates nothing where it is Required, and the condition says so", () => {
      const draft = draftOf([patch], { answers: answered(empty), desired: { app } });
      expect(draft.resources.get("app")).toEqual({ is: "removed" });
      expect(says(draft)).toBe(`${WAITS} are not created until these fields have values: app (spec.ids)`);
    });

    test("takes nothing from what runs", () => {
      const draft = draftOf([patch], { answers: answered(empty), desired: { app }, observed: running });
      expect(objectIn(draft, "app")).toEqual(running.app);
      const kept =
        "fields of composed resources keep their present values, because no new value can be set: app (spec.ids)";
      expect(says(draft)).toBe(`FieldsKept: db: ${kept}; db: status.ids of XPostgres orders is empty`);
    });

    test("is copied where it is Optional", () => {
      const draft = draftOf([optional(patch)], { answers: answered(empty), desired: { app }, observed: running });
      expect(objectIn(draft, "app")).toEqual({ kind: "App", spec: { size: 1, ids: empty } });
    });

    test("is waited for in the status of the XR", () => {
      const draft = draftOf([toStatus("ids", "status.ids")], { answers: answered(empty) });
      expect([says(draft), draft.composite]).toEqual(["FieldNotSet: db: status.ids of XPostgres orders is empty", []]);
    });

    test("is said once, however many patches read it", () => {
      const draft = draftOf([patch, toStatus("ids", "status.ids")], { answers: answered(empty), desired: { app } });
      expect(says(draft)).toBe(`${WAITS} are not created until these fields have values: app (spec.ids)`);
    });
  });

  test.each<[full: JsonValue]>([[["", "a"]], [[0]], [0], [false], [{ a: "" }], [[[]]]])(
    "%j is no such field",
    (full) => {
      const draft = draftOf([patch], { answers: answered(full), desired: { app } });
      expect(objectIn(draft, "app")).toEqual({ kind: "App", spec: { size: 1, ids: full } });
    },
  );
});

describe("where Kubernetes takes texts only", () => {
  const values = { port: 5432, tls: true, host: "db", base64: "ZGI=", tags: { cost: 42, spot: true }, list: ["a"] };
  const config = { apiVersion: "v1", kind: "ConfigMap", data: { HOST: "" } };
  const secret = { apiVersion: "v1", kind: "Secret" };
  const object = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" };
  const nested = { ...object, spec: { forProvider: { manifest: config } } };
  const PORT = "spec.forProvider.manifest.data.PORT";
  const patchOf = (field: string, fieldPath: string) =>
    optional({ fromFieldPath: `status.${field}`, toResource: { name: "app", fieldPath } });
  const draftWith = (app: JsonObject, field: string, fieldPath: string) =>
    draftOf([patchOf(field, fieldPath)], { answers: withStatus(values), desired: { app } });
  test.each<[reason: string, app: JsonObject, field: string, fieldPath: string, value: JsonValue]>([
    ["a number goes as its text into a ConfigMap", config, "port", "data.PORT", "5432"],
    ["a boolean goes as its text into a ConfigMap", config, "tls", "data.TLS", "true"],
    ["all of an object goes as texts into a ConfigMap", config, "tags", "data", { cost: "42", spot: "true" }],
    ["a number goes as its text into the manifest of an Object", nested, "port", PORT, "5432"],
    ["a number goes as its text into a label", app(), "port", "metadata.labels.port", "5432"],
    ["an object goes as texts into annotations", app(), "tags", "metadata.annotations", { cost: "42", spot: "true" }],
    ["a number goes as its text into stringData of a Secret", secret, "port", "stringData.port", "5432"],
    ["base64 goes into data of a Secret", secret, "base64", "data.host", "ZGI="],
    ["elsewhere a number stays a number", app(), "port", "spec.port", 5432],
    ["a number stays one in the data of another kind", app(), "port", "data.port", 5432],
  ])("%s", (_reason, wanted, field, fieldPath, value) => {
    const draft = draftWith(wanted, field, fieldPath);
    expect([says(draft), at(objectIn(draft, "app") ?? {}, fieldPath)]).toEqual(["Available: undefined", value]);
  });

  test.each<[reason: string, app: JsonObject, field: string, fieldPath: string, fault: string]>([
    ["a list", config, "list", "data.LIST", "the value must be a string"],
    ["a text in place of the whole map", config, "host", "data", "the values of this map must be strings"],
    ["a field below a text", config, "host", "data.db.host", "the values of this map must be strings"],
    [
      "other text in data of a Secret",
      secret,
      "host",
      "data.host",
      "the value must be base64; for a plain string, set stringData",
    ],
  ])("%s fails that patch alone", (_reason, wanted, field, fieldPath, fault) => {
    const draft = draftWith(wanted, field, fieldPath);
    expect([says(draft), fatalsIn(draft)]).toEqual([`PatchFailed: db: cannot set ${fieldPath}: ${fault}`, []]);
  });

  function app(): JsonObject {
    return { apiVersion: "apps.example.org/v1", kind: "App", metadata: { name: "app" } };
  }
});

const both = [toStatus("db"), toStatus("db.name", "metadata.name")];
const inApp = optional({ fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env.HOST" } });
const endpoint = { path: ["status", "db"], value: "orders.db.example.org" };
test.each<[where: string, draft: Draft, field: string, composite: readonly object[]]>([
  ["that another patch sets", draftOf(both), "status.db.name", [endpoint]],
  [
    "that an earlier step desires",
    draftOf(both.slice(1), { desiredXr: { status: { db: "text" } } }),
    "status.db.name",
    [],
  ],
  ["of a composed resource", draftOf([inApp], { desired: { app: { spec: { env: "text" } } } }), "spec.env.HOST", []],
])("a patch of a field below a text %s fails alone", (_where, draft, field, composite) => {
  const fault = `cannot set ${field}: a value on this path is not the object or the list that the path needs, or the list is too short`;
  expect([says(draft), draft.composite, draft.resources.size]).toEqual([`PatchFailed: db: ${fault}`, composite, 0]);
});

describe("the values of one shared resource come to 512 KB at most", () => {
  const large = "x".repeat(300_000);
  const answers = withStatus({ large, huge: large + large, small: "small", wide: "€".repeat(200_000) });
  const wholly = toStatus("large", "status.large");
  const before = { ...xr(), status: { huge: "before", again: "before", wide: "before" } };

  test.each<[reason: string, failed: string, bytes: number, ...patches: readonly JsonObject[]]>([
    ["one that is larger", "huge", 600_002, toStatus("huge", "status.huge")],
    ["one that is set in two places", "again", 300_002, wholly, toStatus("again", "status.large")],
    ["one whose characters have three bytes", "wide", 600_002, toStatus("wide", "status.wide")],
  ])("%s fails its patch, and the field keeps what it has", (_reason, failed, bytes, ...patches) => {
    const draft = draftOf([...patches, toStatus("small", "status.small")], { xr: before, answers });
    expect(says(draft)).toBe(
      `PatchFailed: db: cannot set status.${failed}: its value has ${bytes} bytes, and the patches of one shared resource may set 524288 bytes together`,
    );
    expect(draft.composite.slice(-2)).toEqual([
      { path: ["status", failed], value: "before" },
      { path: ["status", "small"], value: "small" },
    ]);
  });

  test("and those of another one to as much", () => {
    const sharedResources = ["db", "cache"].map((name) => ({ ...alone, name, patches: [wholly] }));
    const draft = sharingDraft({ answers: { ...answers, cache: answers.db }, sharedResources });
    expect(says(draft)).toBe("Available: undefined");
  });
});

describe("a composed resource whose field is Required, as it is unless the input says otherwise,", () => {
  const toResource = { name: "subnets", fieldPath: "spec.subnetIds" };
  const required = [{ fromFieldPath: "status.subnets", toResource }];
  const subnets = { kind: "SubnetGroup", spec: {} };
  test.each<[reason: string, parts: CallParts]>([
    ["while the shared resource is not there", { answers: { db: [] } }],
    ["while the shared resource is not looked up", { answers: {} }],
    ["while access is not granted", { answers: { db: [refused] } }],
    ["where an earlier step has a value for it", { desired: { subnets: { spec: { subnetIds: ["default"] } } } }],
  ])("is held back %s", (_reason, parts) => {
    const { resources } = draftOf(required, { desired: { subnets }, ...parts });
    expect(resources.get("subnets")).toEqual({ is: "removed" });
  });

  test("goes out with it, and stays once it is there", () => {
    const set = draftOf(required, { desired: { subnets }, answers: withStatus({ subnets: ["a"] }) });
    expect(objectIn(set, "subnets")).toEqual({ kind: "SubnetGroup", spec: { subnetIds: ["a"] } });
    expect(draftOf(required, { desired: { subnets }, observed: { subnets } }).resources.size).toBe(0);
  });

  test("is not held back where the field is Optional", () => {
    const patch = optional({ fromFieldPath: "status.subnets", toResource });
    expect(draftOf([patch], { desired: { subnets } }).resources.size).toBe(0);
  });

  test("is held back until it is set, and named, and the XR is not ready", () => {
    const draft = draftOf(required, { desired: { subnets } });
    expect(draft.resources.get("subnets")).toEqual({ is: "removed" });
    expect([says(draft), draft.compositeReady]).toEqual([
      "FieldNotSet: db: status.subnets of XPostgres orders is not set; " +
        "db: composed resources are not created until these fields have values: subnets (spec.subnetIds)",
      "False",
    ]);
  });
});

test("a patch into a list of the XR's status sends the list, with what an earlier step desires in it", () => {
  const { composite } = draftOf([toStatus("hosts[1]")], { desiredXr: { status: { hosts: ["a"] } } });
  expect(composite).toEqual([{ path: ["status", "hosts"], value: ["a", "orders.db.example.org"] }]);
});
