import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { type CallParts, callOf, runSharing, sharingDraft } from "../../../testing/builders/calls.ts";
import { objectIn, withoutCopies } from "../../../testing/builders/copies.ts";
import { fatalsIn, says } from "../../../testing/builders/read-draft.ts";
import { resourceOf } from "../../../testing/builders/request.ts";
import { refused, toStatus } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, xr } from "../../../testing/builders/sharing.ts";

const alone = withoutCopies();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  sharingDraft({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] });
/** The same, where an earlier step desires something for the XR. */
function draftBeside(patches: readonly JsonObject[], object: JsonObject): Draft {
  const { request, ...call } = callOf({ answers: { db: [database()] }, sharedResources: [{ ...alone, patches }] });
  const desired = { ...request.desired, composite: resourceOf(object) };
  return runSharing({ ...call, request: { ...request, desired } });
}
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
  const kept = "composed resources keep the present value of their field: app (spec.ids)";
  const noGrant = `does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
  const field = (draft: Draft) => objectIn(draft, "app")?.["spec"];

  const gone = `NotFound: db: found no XPostgres orders; db: ${kept}`;
  const deleting = { connection: { copies: [{ secretName: "s" }], onSourceMissing: "Delete" } };
  const nowhere: CallParts = { answers: { db: [granted] }, xr: { ...xr(), spec: {} } };
  const untaken = { answers: { db: [database({ annotations: {}, status: { ids: ["a"] } })] } };
  const two = { answers: { db: [granted, { ...granted, metadata: { name: "decoy" } }] } };
  const byLabels = { select: { matchLabels: { a: "b" }, maxMatch: 1 } };
  const ambiguous = `Ambiguous: db: found 2 XPostgres with labels a=b, more than maxMatch: 1: orders; db: ${kept}`;
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

  const other = { kind: "App", spec: { ids: ["default"] } };
  test.each<[reason: string, before: JsonObject, spec: JsonObject, message: string]>([
    ["nor is one that the owner did not have to set", app, { size: 1, ids: ["a"] }, "Available: undefined"],
    ["though an earlier step has another value, and this is said", other, { ids: ["a"] }, `FieldsKept: db: ${kept}`],
  ])("%s", (_reason, before, spec, message) => {
    const there = { desired: { app: before }, observed: { app: { kind: "App", spec: { ids: ["a"] } } } };
    const draft = draftOf([optional({ fromFieldPath, toResource })], { answers: withStatus({}), ...there });
    expect([field(draft), says(draft)]).toEqual([spec, message]);
  });

  test("nor held back for an object of another kind that the XR refers to in its place", () => {
    const parts = {
      answers: { db: [refused] },
      desired: { app },
      observed: { app: { kind: "Free", spec: { ids: ["z"] } } },
    };
    const draft = draftOf([{ fromFieldPath, toResource }], parts);
    expect([draft.resources.get("app")?.is, says(draft)]).toEqual([
      "removed",
      expect.stringContaining("not created before"),
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
        '  spec.sharedResources[0].patches[0].toResource.name: no earlier step desires "instanse"; they desire app, instance; did you mean instance?',
        '  spec.sharedResources[0].patches[2].toResource.name: no earlier step desires "r"; they desire app, instance',
      ].join("\n"),
    ]);
    expect(says(draft)).toContain(
      'PatchFailed: db: cannot patch a resource: no earlier step desires "instanse"; they desire app, instance; did you mean instance?; db: ',
    );
  });

  const first = 'no earlier step desires "it"; they desire';
  const NONE = 'no earlier step desires "it", or any other resource: this step has to come after the one that does';
  test.each<[reason: string, parts: CallParts, says: string]>([
    ["at the first call", { answers: {}, desired: { app: {} } }, `${first} app`],
    ["without a step before it", {}, NONE],
    ["with ten names at most", { desired: names(12) }, `${first} r0, r1, r10, r11, r2, r3, r4, r5, r6, r7 and 2 more`],
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

describe("what an owner writes does not stop its consumers", () => {
  const both = [toStatus("db"), toStatus("db.name", "metadata.name")];
  const failed =
    "PatchFailed: db: cannot set status.db.name: a value on the path has another type, or the list is too short";

  test("a field that has become a text, in the way of another patch", () => {
    const draft = draftOf(both);
    expect(says(draft)).toBe(failed);
    expect(draft.composite).toEqual([{ path: ["status", "db"], value: "orders.db.example.org" }]);
  });

  test("nor in the way of what an earlier step desires", () => {
    expect(says(draftBeside(both.slice(1), { status: { db: "text" } }))).toBe(failed);
  });

  test("nor in a composed resource", () => {
    const patch = { fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env.HOST" } };
    const draft = draftOf([optional(patch)], { desired: { app: { spec: { env: "text" } } } });
    expect([says(draft), draft.resources.size]).toEqual([
      "PatchFailed: db: cannot set spec.env.HOST: a value on the path has another type, or the list is too short",
      0,
    ]);
  });
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
      `PatchFailed: db: cannot set status.${failed}: the value has ${bytes} bytes; at most 524288 are set in all`,
    );
    expect(draft.composite.slice(-2)).toEqual([
      { path: ["status", failed], value: "before" },
      { path: ["status", "small"], value: "small" },
    ]);
  });

  test("but another shared resource has as much", () => {
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
    ["is held back until it is set", {}],
    ["also while the shared resource is not there", { answers: { db: [] } }],
    ["or not looked up yet", { answers: {} }],
    ["or not granted", { answers: { db: [refused] } }],
    ["also where an earlier step has a value for it", { desired: { subnets: { spec: { subnetIds: ["default"] } } } }],
  ])("%s", (_reason, parts) => {
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

  test("is named while it is held back, and the XR is not ready", () => {
    const draft = draftOf(required, { desired: { subnets } });
    expect([says(draft), draft.compositeReady]).toEqual([
      "FieldNotSet: db: status.subnets of XPostgres orders is not set; " +
        "db: composed resources are not created before their field is available: subnets (spec.subnetIds)",
      "False",
    ]);
  });
});

test("a patch into a list of the XR's status sends the list, with what an earlier step desires in it", () => {
  expect(draftBeside([toStatus("hosts[1]")], { status: { hosts: ["a"] } }).composite).toEqual([
    { path: ["status", "hosts"], value: ["a", "orders.db.example.org"] },
  ]);
});
