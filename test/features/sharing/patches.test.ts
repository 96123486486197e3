import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { type CallParts, callOf, database, shared, xr } from "../../../testing/builders/sharing.ts";

const { connection: _, ...alone } = shared();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  runFeature(sharing, callOf({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] }));
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

  test("fails where no earlier step desires it", () => {
    expect(says(draftOf([patch]))).toBe("PatchFailed: db: cannot patch resource app: no earlier step desires it");
  });
});

describe("a field that is not set", () => {
  const patch = { fromFieldPath: "status.port", toCompositeFieldPath: "status.port" };
  test("is left out", () => {
    const draft = draftOf([patch]);
    expect([says(draft), draft.composite]).toEqual(["Available: undefined", []]);
  });

  test("is waited for where it is Required, and keeps what was there", () => {
    const required = { ...patch, policy: { fromFieldPath: "Required" } };
    const draft = draftOf([required], { xr: { ...xr(), status: { port: 5432 } } });
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
    const draft = draftOf([patch], { desired: { app: { spec: { env: "text" } } } });
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
    policy: { toFieldPath: "AppendArray" },
    fault: "cannot set spec.text: a list cannot be added to something else",
  },
])("a patch fails and leaves its resource as it is where it has $reason", ({ toResource, policy, fault }) => {
  const draft = draftOf([{ fromFieldPath: "status.found", toResource, policy }], {
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
    const patches = [{ fromFieldPath: "status.large", toResource }, toStatus("large", "large")];
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

describe("a composed resource whose field is Required", () => {
  const toResource = { name: "subnets", fieldPath: "spec.subnetIds" };
  const required = [{ fromFieldPath: "status.subnets", toResource, policy: { fromFieldPath: "Required" } }];
  const subnets = { kind: "SubnetGroup", spec: {} };
  const withIds = database({ status: { subnets: ["a"] } });
  test.each<{ reason: string; parts: CallParts; edit: unknown }>([
    { reason: "is held back until it is set", parts: {}, edit: { is: "removed" } },
    { reason: "also while the shared resource is not there", parts: { answers: { db: [] } }, edit: { is: "removed" } },
    { reason: "or not looked up yet", parts: { answers: {} }, edit: { is: "removed" } },
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
    expect(draftOf([{ fromFieldPath: "status.subnets", toResource }], { desired: { subnets } }).resources.size).toBe(0);
  });
});

describe("a target path with [*]", () => {
  const app = { kind: "App", spec: { env: [{ name: "a", value: "" }, { name: "b" }, { name: "c", value: "old" }] } };
  const patch = { fromFieldPath: "status.endpoint", toResource: { name: "app", fieldPath: "spec.env[*].value" } };
  const env = (draft: Draft) => (draft.resources.get("app") as { object: typeof app } | undefined)?.object.spec.env;

  test("sets the fields that are there, and adds none", () => {
    expect(env(draftOf([patch], { desired: { app } }))).toEqual([
      { name: "a", value: "orders.db.example.org" },
      { name: "b" },
      { name: "c", value: "orders.db.example.org" },
    ]);
  });

  test("keeps the value of each while the shared resource is gone", () => {
    const observed = { app: { ...app, spec: { env: [{ value: "1" }, {}, { value: "3" }] } } };
    expect(env(draftOf([patch], { answers: { db: [] }, desired: { app }, observed }))).toEqual([
      { name: "a", value: "1" },
      { name: "b" },
      { name: "c", value: "3" },
    ]);
  });

  test.each([
    { value: "x".repeat(10_000), before: "", toFieldPath: "Replace", bytes: "10002" },
    { value: Array.from({ length: 1000 }, String), before: [], toFieldPath: "AppendArray", bytes: "12001" },
    { value: { text: "x".repeat(10_000) }, before: {}, toFieldPath: "MergeObjects", bytes: "10011" },
  ])("$toFieldPath fails before the value is set so often that the product is large", (example) => {
    const { value, before, toFieldPath, bytes } = example;
    const items = Array.from({ length: 100 }, () => ({ value: before }));
    const patches = [{ ...patch, fromFieldPath: "status.found", policy: { toFieldPath } }];
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
    const patch = { fromFieldPath: "status.value", toResource, policy: { toFieldPath: "AppendArray" } };
    const draft = draftOf([patch], {
      answers: { db: [database({ status: { value: [{ b: 1, a: 2 }, 3] } })] },
      desired: { app: { spec: [{ a: 2, b: 1 }] } },
    });
    expect(draft.resources.get("app")).toMatchObject({ object: { spec: [{ a: 2, b: 1 }, 3] } });
  });
});
