import { describe, expect, test } from "vitest";
import type { Result } from "../../../src/model/condition.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  ALLOWED,
  type CallParts,
  callOf,
  database,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const { connection: _, ...alone } = shared();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  runSharing(callOf({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] }));
const optional = (patch: JsonObject): JsonObject => ({ ...patch, policy: "Optional" });
const isFatal = ({ severity }: Result): boolean => severity === "Fatal";
const says = ({ conditions }: Draft) => `${conditions[0]?.reason}: ${conditions[0]?.message}`;

describe("a patch of a composed resource", () => {
  const patch = { fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env[0].value" } };
  const app = { apiVersion: "v1", kind: "App", spec: { env: [{ name: "HOST", value: "" }] } };
  const withHost = (value: string) => ({ ...app, spec: { env: [{ name: "HOST", value }] } });

  test("sets its field beside those of earlier steps and patches", () => {
    const second = { fromFieldPath: "metadata.name", toResource: { name: "app", fieldPath: "metadata.labels.db" } };
    const { resources } = draftOf([patch, second], { desired: { app, other: {} } });
    expect([...resources]).toEqual([
      [
        "app",
        {
          is: "set",
          ready: undefined,
          object: { ...withHost("orders.db.example.org"), metadata: { labels: { db: "orders" } } },
        },
      ],
    ]);
  });

  test("keeps what it has while the shared resource is gone", () => {
    const { resources } = draftOf([patch], {
      answers: { db: [] },
      desired: { app },
      observed: { app: withHost("old") },
    });
    expect(resources.get("app")).toMatchObject({ object: withHost("old") });
  });

  test("does nothing where no earlier step desires it and its field is Optional", () => {
    const draft = draftOf([optional(patch)]);
    expect([says(draft), draft.results.filter(isFatal)]).toEqual(["Available: undefined", []]);
  });
});

describe("a field of a composed resource that exists is not taken back", () => {
  const toResource = { name: "app", fieldPath: "spec.ids" };
  const fromFieldPath = "status.ids";
  const granted = database({ status: { ids: ["a", "b"] } });
  const app = { kind: "App", spec: { size: 1 } };
  const kept = "composed resources keep the present value of their field: app (spec.ids)";
  const refused = `does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
  const field = (draft: Draft) => (draft.resources.get("app") as { object?: typeof app } | undefined)?.object?.spec;

  test.each<{ reason: string; parts: CallParts; share?: JsonObject; message: string }>([
    {
      reason: "its grant is taken back",
      parts: { answers: { db: [database({ annotations: {}, status: { ids: ["a"] } })] } },
      message: `AccessNotGranted: db: XPostgres orders ${refused}; db: ${kept}`,
    },
    {
      reason: "the shared resource is gone",
      parts: { answers: { db: [] } },
      message: `NotFound: db: found no XPostgres orders; db: ${kept}`,
    },
    {
      reason: "the shared resource is gone, and its copies go with it",
      parts: { answers: { db: [] } },
      share: { connection: { copies: [{ secretName: "s" }], onSourceMissing: "Delete" } },
      message: `NotFound: db: found no XPostgres orders; db: ${kept}`,
    },
    {
      reason: "several match",
      parts: { answers: { db: [granted, { ...granted, metadata: { name: "decoy" } }] } },
      share: { select: { matchLabels: { a: "b" }, maxMatch: 1 } },
      message: `Ambiguous: db: found 2 XPostgres with labels a=b, more than maxMatch: 1: orders; db: ${kept}`,
    },
    {
      reason: "the XR no longer names it",
      parts: { xr: { ...xr(), spec: {} } },
      message: `FieldsKept: db: ${kept}; db: spec.parameters.database of the XR is not set`,
    },
    {
      reason: "its source has no such field any more",
      parts: { answers: { db: [database({ status: {} })] } },
      message: `FieldsKept: db: ${kept}; db: status.ids of XPostgres orders is not set`,
    },
    {
      reason: "its source is not looked up yet",
      parts: { answers: {} },
      message: "WaitingForRequiredResources: db: waiting for Crossplane to look up XPostgres",
    },
  ])("$reason", ({ parts, share, message }) => {
    const sharedResources = [{ ...alone, ...share, patches: [{ fromFieldPath, toResource }] }];
    const observed = { app: { kind: "App", spec: { size: 1, ids: ["a", "b"] } } };
    const call = callOf({ desired: { app }, observed, answers: { db: [granted] }, ...parts, sharedResources });
    const draft = runSharing(call);
    expect([field(draft), says(draft)]).toEqual([{ size: 1, ids: ["a", "b"] }, message]);
  });

  test("nor is one that the owner did not have to set", () => {
    const draft = draftOf([optional({ fromFieldPath, toResource })], {
      answers: { db: [database({ status: {} })] },
      desired: { app },
      observed: { app: { spec: { ids: ["a"] } } },
    });
    expect([field(draft), says(draft)]).toEqual([{ size: 1, ids: ["a"] }, "Available: undefined"]);
  });

  test("and the condition says so where an earlier step has something else for it", () => {
    const draft = draftOf([optional({ fromFieldPath, toResource })], {
      answers: { db: [database({ status: {} })] },
      desired: { app: { spec: { ids: ["default"] } } },
      observed: { app: { spec: { ids: ["a"] } } },
    });
    expect([field(draft), says(draft)]).toEqual([{ ids: ["a"] }, `FieldsKept: db: ${kept}`]);
  });

  test("the XR's status follows the grant", () => {
    const answers = { db: [database({ annotations: {} })] };
    const patch = { fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" };
    const draft = draftOf([patch], { answers, xr: { ...xr(), status: { endpoint: "shown" } } });
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
  const fatal = (draft: Draft) => draft.results.filter(isFatal).map(({ reason, message }) => `${reason}: ${message}`);

  test("stops the XR, with all such names and those that there are", () => {
    const draft = draftOf([toResource("instanse"), toResource("app"), toResource("r")], {
      desired: { instance: {}, app: {} },
    });
    expect(fatal(draft)).toEqual([
      [
        "InvalidInput: cannot use the input:",
        '  spec.sharedResources[0].patches[0].toResource.name: no earlier step desires "instanse"; they desire app, instance; did you mean instance?',
        '  spec.sharedResources[0].patches[2].toResource.name: no earlier step desires "r"; they desire app, instance',
      ].join("\n"),
    ]);
    expect(says(draft)).toContain(
      'PatchFailed: db: cannot patch a resource: no earlier step desires "instanse"; they desire app, instance; did you mean instance?; db: ',
    );
  });

  test.each<{ reason: string; parts: CallParts; says: string }>([
    {
      reason: "at the first call",
      parts: { answers: {}, desired: { app: {} } },
      says: 'no earlier step desires "it"; they desire app',
    },
    {
      reason: "without a step before it",
      parts: {},
      says: 'no earlier step desires "it", or any other resource: this step has to come after the one that does',
    },
    {
      reason: "with ten names at most",
      parts: { desired: names(12) },
      says: 'no earlier step desires "it"; they desire r0, r1, r10, r11, r2, r3, r4, r5, r6, r7 and 2 more',
    },
  ])("$reason", ({ parts, says: message }) => {
    expect(fatal(draftOf([toResource("it")], parts))).toEqual([
      `InvalidInput: cannot use the input:\n  spec.sharedResources[0].patches[0].toResource.name: ${message}`,
    ]);
  });

  test("goes where it is observed, and is not desired again", () => {
    const draft = draftOf([toResource("it")], { observed: { it: { spec: { host: "a" } } } });
    expect([draft.results.filter(isFatal), draft.resources.size, says(draft)]).toEqual([
      [],
      0,
      'PatchFailed: db: cannot patch a resource: no earlier step desires "it", or any other resource: this step has to come after the one that does',
    ]);
  });
});

describe("a field that is not set", () => {
  const patch = { fromFieldPath: "status.port", toCompositeFieldPath: "status.port" };
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
  const both = [
    { fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db" },
    { fromFieldPath: "metadata.name", toCompositeFieldPath: "status.db.name" },
  ];
  const failed =
    "PatchFailed: db: cannot set status.db.name: a value on the path has another type, or the list is too short";

  test("a field that has become a text, in the way of another patch", () => {
    const draft = draftOf(both);
    expect([says(draft), draft.composite]).toEqual([
      failed,
      [{ path: ["status", "db"], value: "orders.db.example.org" }],
    ]);
  });

  test("nor in the way of what an earlier step desires", () => {
    const call = callOf({ answers: { db: [database()] }, sharedResources: [{ ...alone, patches: both.slice(1) }] });
    const composite = { ...call.request.desired.composite, document: documentOf({ status: { db: "text" } }) };
    const request = { ...call.request, desired: { ...call.request.desired, composite } };
    expect(says(runSharing({ ...call, request }))).toBe(failed);
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

test("a patch fails and leaves its resource as it is where its index leaves a gap in a list", () => {
  const toResource = { name: "app", fieldPath: "spec.env[2]" };
  const draft = draftOf([optional({ fromFieldPath: "status.found", toResource })], {
    answers: { db: [database({ status: { found: ["a"] } })] },
    desired: { app: { spec: { env: [] } } },
  });
  const failed =
    "PatchFailed: db: cannot set spec.env[2]: a value on the path has another type, or the list is too short";
  expect([says(draft), draft.resources.size]).toEqual([failed, 0]);
});

describe("the values of one shared resource come to 512 KB at most", () => {
  const toStatus = (field: string, to: string) => ({
    fromFieldPath: `status.${field}`,
    toCompositeFieldPath: `status.${to}`,
  });
  const large = "x".repeat(300_000);
  const answers = {
    db: [database({ status: { large, huge: large + large, small: "small", wide: "€".repeat(200_000) } })],
  };
  const before = { ...xr(), status: { huge: "before", again: "before", wide: "before" } };

  test.each([
    { reason: "one that is larger", patches: [toStatus("huge", "huge")], failed: "huge", bytes: 600_002 },
    {
      reason: "one that is set in two places",
      patches: [toStatus("large", "large"), toStatus("large", "again")],
      failed: "again",
      bytes: 300_002,
    },
    {
      reason: "one whose characters have three bytes",
      patches: [toStatus("wide", "wide")],
      failed: "wide",
      bytes: 600_002,
    },
  ])("$reason fails its patch, and the field keeps what it has", ({ patches, failed, bytes }) => {
    const draft = draftOf([...patches, toStatus("small", "small")], { xr: before, answers });
    expect(says(draft)).toBe(
      `PatchFailed: db: cannot set status.${failed}: the value has ${bytes} bytes; at most 524288 are set in all`,
    );
    expect(draft.composite.slice(-2)).toEqual([
      { path: ["status", failed], value: "before" },
      { path: ["status", "small"], value: "small" },
    ]);
  });

  test("but another shared resource has as much", () => {
    const patches = [toStatus("large", "large")];
    const sharedResources = ["db", "cache"].map((name) => ({ ...alone, name, patches }));
    const call = callOf({ answers: { ...answers, cache: answers.db }, sharedResources });
    expect(says(runSharing(call))).toBe("Available: undefined");
  });
});

describe("a composed resource whose field is Required, as it is unless the input says otherwise,", () => {
  const toResource = { name: "subnets", fieldPath: "spec.subnetIds" };
  const required = [{ fromFieldPath: "status.subnets", toResource }];
  const subnets = { kind: "SubnetGroup", spec: {} };
  const withIds = database({ status: { subnets: ["a"] } });
  test.each<{ reason: string; parts: CallParts; edit: unknown }>([
    { reason: "is held back until it is set", parts: {}, edit: { is: "removed" } },
    { reason: "also while the shared resource is not there", parts: { answers: { db: [] } }, edit: { is: "removed" } },
    { reason: "or not looked up yet", parts: { answers: {} }, edit: { is: "removed" } },
    {
      reason: "or not granted",
      parts: { answers: { db: [database({ annotations: {} })] } },
      edit: { is: "removed" },
    },
    {
      reason: "also where an earlier step has a value for it",
      parts: { desired: { subnets: { spec: { subnetIds: ["default"] } } } },
      edit: { is: "removed" },
    },
    {
      reason: "goes out with it",
      parts: { answers: { db: [withIds] } },
      edit: { is: "set", object: { kind: "SubnetGroup", spec: { subnetIds: ["a"] } }, ready: undefined },
    },
    { reason: "stays once it is there", parts: { observed: { subnets } }, edit: undefined },
  ])("$reason", ({ parts, edit }) => {
    expect(draftOf(required, { desired: { subnets }, ...parts }).resources.get("subnets")).toEqual(edit);
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

describe("a patch into a list of the XR's status", () => {
  test("sends the list, with what an earlier step desires in it", () => {
    const patch = { fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.hosts[1]" };
    const call = callOf({ answers: { db: [database()] }, sharedResources: [{ ...alone, patches: [patch] }] });
    const composite = { ...call.request.desired.composite, document: documentOf({ status: { hosts: ["a"] } }) };
    const request = { ...call.request, desired: { ...call.request.desired, composite } };
    expect(runSharing({ ...call, request }).composite).toEqual([
      { path: ["status", "hosts"], value: ["a", "orders.db.example.org"] },
    ]);
  });
});
