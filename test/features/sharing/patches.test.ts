import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { transform } from "../../../src/features/sharing/transform.ts";
import type { Transform } from "../../../src/input/patch.ts";
import { documentOf } from "../../../src/model/document.ts";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { type CallParts, callOf, database, shared, xr } from "../../../testing/builders/sharing.ts";

const { connection: _, ...alone } = shared();
const draftOf = (patches: readonly JsonObject[], parts: CallParts = {}): Draft =>
  sharing(callOf({ answers: { db: [database()] }, ...parts, sharedResources: [{ ...alone, patches }] }), emptyDraft);
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

test("a transform that fails says so", () => {
  const transforms = [{ type: "map", map: { a: "b" } }];
  expect(says(draftOf([{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.x", transforms }]))).toBe(
    'PatchFailed: db: cannot transform status.endpoint of XPostgres orders: "orders.db.example.org" is not in the map',
  );
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
    expect(says(sharing({ ...call, request }, emptyDraft))).toBe(failed);
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

describe("transforms do what function-patch-and-transform's do", () => {
  const string = (fmt: string): Transform => ({ string: { type: "Format", fmt } });
  const convert = (toType: "string" | "bool" | "int64" | "float64"): Transform => ({ convert: { toType } });
  test.each<{ value: JsonValue; transforms: Transform[]; becomes: JsonValue }>([
    { value: "a", transforms: [], becomes: "a" },
    { value: "a", transforms: [string("x-%s-100%%")], becomes: "x-a-100%" },
    { value: 5, transforms: [string("%d GB")], becomes: "5 GB" },
    { value: "eu", transforms: [{ map: { eu: "eu-west-1" } }, string("%s a")], becomes: "eu-west-1 a" },
    { value: 5432, transforms: [convert("string")], becomes: "5432" },
    { value: "5432", transforms: [convert("int64")], becomes: 5432 },
    { value: " 1", transforms: [convert("int64")], becomes: { fault: '" 1" is no int64' } },
    { value: "9007199254740993", transforms: [convert("int64")], becomes: { fault: '"9007199254740993" is no int64' } },
    { value: "1.5", transforms: [convert("float64")], becomes: 1.5 },
    { value: true, transforms: [convert("int64")], becomes: 1 },
    { value: "T", transforms: [convert("bool")], becomes: true },
    { value: 0, transforms: [convert("bool")], becomes: false },
    { value: "yes", transforms: [convert("bool"), string("%s")], becomes: { fault: '"yes" is no bool' } },
    { value: "__proto__", transforms: [{ map: {} }], becomes: { fault: '"__proto__" is not in the map' } },
    { value: {}, transforms: [convert("int64")], becomes: { fault: "{} is no int64" } },
  ])("$value through $transforms becomes $becomes", ({ value, transforms, becomes }) => {
    const transformed = transform(value, transforms);
    expect(transformed.is === "failed" ? { fault: transformed.fault } : transformed.value).toEqual(becomes);
  });
});
