import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import type { Result } from "../../../src/model/condition.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { ALLOWED, type CallParts, callOf, database, shared, xr } from "../../../testing/builders/sharing.ts";

const { connection: _, ...alone } = shared();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  runFeature(sharing, callOf({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] }));
const optional = (patch: JsonObject): JsonObject => ({
  ...patch,
  policy: { ...(patch["policy"] as JsonObject | undefined), fromFieldPath: "Optional" },
});
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
      message: `FieldNotSet: db: spec.parameters.database of the XR is not set; db: ${kept}`,
    },
    {
      reason: "its source has no such field any more",
      parts: { answers: { db: [database({ status: {} })] } },
      message: `FieldNotSet: db: status.ids of XPostgres orders is not set; db: ${kept}`,
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
    const draft = runFeature(sharing, call);
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

  test.each([
    { toFieldPath: "Replace", desired: ["x"], observed: ["x", "a"], becomes: ["x", "a"] },
    { toFieldPath: "ForceMergeObjectsAppendArrays", desired: ["x"], observed: ["x", "a"], becomes: ["x", "a"] },
    {
      toFieldPath: "ForceMergeObjectsAppendArrays",
      desired: ["new"],
      observed: ["x", "a"],
      becomes: ["new", "x", "a"],
    },
    { toFieldPath: "MergeObjects", desired: { x: 2 }, observed: { x: 1, a: 1 }, becomes: { x: 2, a: 1 } },
    { toFieldPath: "ForceMergeObjects", desired: { x: 2 }, observed: { x: 1, a: 1 }, becomes: { x: 1, a: 1 } },
    {
      toFieldPath: "MergeObjectsAppendArrays",
      desired: { x: [1, 2] },
      observed: { x: [1, 2, 2, 3], a: 1 },
      becomes: { x: [1, 2, 2, 3], a: 1 },
    },
  ])("$toFieldPath of $observed with $desired is $becomes", ({ toFieldPath, desired, observed, becomes }) => {
    const draft = draftOf([{ fromFieldPath, toResource, policy: { toFieldPath } }], {
      answers: { db: [database({ annotations: {} })] },
      desired: { app: { spec: { ids: desired } } },
      observed: { app: { spec: { ids: observed } } },
    });
    expect(field(draft)).toEqual({ ids: becomes });
  });

  test("a list that two shared resources add to keeps what the one gave and takes what the other gives", () => {
    const patches = [{ fromFieldPath, toResource, policy: { toFieldPath: "ForceMergeObjectsAppendArrays" } }];
    const sharedResources = ["net", "db"].map((name) => ({ ...alone, name, patches }));
    for (const shares of [sharedResources, sharedResources.toReversed()]) {
      const draft = runFeature(
        sharing,
        callOf({
          sharedResources: shares,
          answers: { net: [database({ annotations: {} })], db: [database({ status: { ids: ["new"] } })] },
          desired: { app },
          observed: { app: { spec: { ids: ["of net"] } } },
        }),
      );
      expect((field(draft) as JsonObject | undefined)?.["ids"]).toHaveLength(2);
    }
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
    expect(says(draft)).toContain("PatchFailed: db: cannot patch resource instanse: no earlier step desires it");
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
      "PatchFailed: db: cannot patch resource it: no earlier step desires it",
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
  const failed = "PatchFailed: db: cannot set status.db.name: something else is on the way";

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
    expect(says(runFeature(sharing, { ...call, request }))).toBe(failed);
  });

  test("nor in a composed resource", () => {
    const patch = { fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env.HOST" } };
    const draft = draftOf([optional(patch)], { desired: { app: { spec: { env: "text" } } } });
    expect([says(draft), draft.resources.size]).toEqual([
      "PatchFailed: db: cannot set spec.env.HOST: something else is on the way",
      0,
    ]);
  });
});

test.each([
  {
    reason: "an index that leaves a gap in a list",
    toResource: { name: "app", fieldPath: "spec.env[2]" },
    policy: {},
    fault: "cannot set spec.env[2]: something else is on the way",
  },
  {
    reason: "a list for what is none",
    toResource: { name: "app", fieldPath: "spec.text" },
    policy: { toFieldPath: "ForceMergeObjectsAppendArrays" },
    fault: "cannot set spec.text: a list cannot be added to something else",
  },
])("a patch fails and leaves its resource as it is where it has $reason", ({ toResource, policy, fault }) => {
  const draft = draftOf([optional({ fromFieldPath: "status.found", toResource, policy })], {
    answers: { db: [database({ status: { found: ["a"] } })] },
    desired: { app: { spec: { env: [], text: "a" } } },
  });
  expect([says(draft), draft.resources.size]).toEqual([`PatchFailed: db: ${fault}`, 0]);
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

  test("and a patch that fails leaves room for others", () => {
    const toResource = { name: "app", fieldPath: "spec.env[*].value" };
    const app = { spec: { env: [{ value: "" }, { value: "" }] } };
    const patches = [optional({ fromFieldPath: "status.large", toResource }), toStatus("large", "large")];
    const draft = draftOf(patches, { answers, desired: { app } });
    expect([draft.resources.size, draft.composite]).toEqual([0, [{ path: ["status", "large"], value: large }]]);
  });

  test("but another shared resource has as much", () => {
    const patches = [toStatus("large", "large")];
    const sharedResources = ["db", "cache"].map((name) => ({ ...alone, name, patches }));
    const call = callOf({ answers: { ...answers, cache: answers.db }, sharedResources });
    expect(says(runFeature(sharing, call))).toBe("Available: undefined");
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

describe("a target path with [*]", () => {
  const app = { kind: "App", spec: { env: [{ name: "a", value: "" }, { name: "b" }, { name: "c", value: "old" }] } };
  const patch = optional({
    fromFieldPath: "status.endpoint",
    toResource: { name: "app", fieldPath: "spec.env[*].value" },
  });
  const env = (draft: Draft) => (draft.resources.get("app") as { object: typeof app } | undefined)?.object.spec.env;

  test("sets the fields that are there, and adds none", () => {
    expect(env(draftOf([patch], { desired: { app } }))).toEqual([
      { name: "a", value: "orders.db.example.org" },
      { name: "b" },
      { name: "c", value: "orders.db.example.org" },
    ]);
  });

  test.each([
    { reason: "the shared resource is gone", answers: { db: [] } },
    { reason: "it is not granted", answers: { db: [database({ annotations: {} })] } },
    { reason: "its field is gone", answers: { db: [database({ status: {} })] } },
  ])("keeps the value of each while $reason", ({ answers }) => {
    const observed = { app: { ...app, spec: { env: [{ value: "1" }, {}, { value: "3" }] } } };
    expect(env(draftOf([patch], { answers, desired: { app }, observed }))).toEqual([
      { name: "a", value: "1" },
      { name: "b" },
      { name: "c", value: "3" },
    ]);
  });

  test.each([
    { value: "x".repeat(10_000), before: "", toFieldPath: "Replace", bytes: "10002" },
    {
      value: Array.from({ length: 1000 }, String),
      before: [],
      toFieldPath: "ForceMergeObjectsAppendArrays",
      bytes: "12001",
    },
    { value: { text: "x".repeat(10_000) }, before: {}, toFieldPath: "MergeObjects", bytes: "10011" },
  ])("$toFieldPath fails before the value is set so often that the product is large", (example) => {
    const { value, before, toFieldPath, bytes } = example;
    const items = Array.from({ length: 100 }, () => ({ value: before }));
    const patches = [optional({ ...patch, fromFieldPath: "status.found", policy: { toFieldPath } })];
    const answers = { db: [database({ status: { found: value } })] };
    const draft = draftOf(patches, { answers, desired: { app: { kind: "App", spec: { env: items } } } });
    expect(says(draft)).toBe(
      `PatchFailed: db: cannot set spec.env[*].value: the value has ${bytes} bytes; at most 524288 are set in all`,
    );
    expect(env(draft)).toBeUndefined();
  });

  test("fails where nothing is there", () => {
    expect(says(draftOf([patch], { desired: { app: { kind: "App", spec: { env: [] } } } }))).toBe(
      "PatchFailed: db: cannot set spec.env[*].value: nothing is there",
    );
  });
});

describe("a patch into a list of the XR's status", () => {
  test("sends the list, with what an earlier step desires in it", () => {
    const patch = { fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.hosts[1]" };
    const call = callOf({ answers: { db: [database()] }, sharedResources: [{ ...alone, patches: [patch] }] });
    const composite = { ...call.request.desired.composite, document: documentOf({ status: { hosts: ["a"] } }) };
    const request = { ...call.request, desired: { ...call.request.desired, composite } };
    expect(runFeature(sharing, { ...call, request }).composite).toEqual([
      { path: ["status", "hosts"], value: ["a", "orders.db.example.org"] },
    ]);
  });
});

describe("policy.toFieldPath says what becomes of a value that is there", () => {
  const before = { keep: 1, same: "old", list: [1, 2] };
  const value = { same: "new", list: [2, 3], added: true };
  test.each([
    { policy: "Replace", becomes: value },
    { policy: "MergeObjects", becomes: { ...before, added: true } },
    { policy: "MergeObjectsAppendArrays", becomes: { ...before, list: [1, 2, 2, 3], added: true } },
    { policy: "ForceMergeObjects", becomes: { ...before, ...value } },
    { policy: "ForceMergeObjectsAppendArrays", becomes: { ...before, ...value, list: [1, 2, 2, 3] } },
  ])("$policy", ({ policy, becomes }) => {
    const toResource = { name: "app", fieldPath: "spec" };
    const patch = { fromFieldPath: "status.value", toResource, policy: { toFieldPath: policy } };
    const draft = draftOf([patch], {
      answers: { db: [database({ status: { value } })] },
      desired: { app: { spec: before } },
    });
    expect(draft.resources.get("app")).toMatchObject({ object: { spec: becomes } });
  });

  test("adds to a list at the path itself only items that are not there", () => {
    const toResource = { name: "app", fieldPath: "spec" };
    const patch = {
      fromFieldPath: "status.value",
      toResource,
      policy: { toFieldPath: "ForceMergeObjectsAppendArrays" },
    };
    const draft = draftOf([patch], {
      answers: { db: [database({ status: { value: [{ b: 1, a: 2 }, 3] } })] },
      desired: { app: { spec: [{ a: 2, b: 1 }] } },
    });
    expect(draft.resources.get("app")).toMatchObject({ object: { spec: [{ a: 2, b: 1 }, 3] } });
  });
});
