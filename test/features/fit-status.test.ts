import { describe, expect, test } from "vitest";
import { consumers } from "../../src/features/consumers/consumers.ts";
import type { Feature } from "../../src/features/feature.ts";
import { fitStatus } from "../../src/features/fit-status.ts";
import { sharing } from "../../src/features/sharing/sharing.ts";
import { formatFieldPath, parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { begin, runFeature } from "../../testing/builders/run-feature.ts";
import { type CallParts, callOf, database, shared, xr } from "../../testing/builders/sharing.ts";

const V2_2: readonly Capability[] = ["Capabilities", "RequiredResources", "Conditions", "RequiredSchemas"];

type Schemas = Readonly<Record<string, JsonObject>>;

/** The schema of the XR, with these fields in its status. */
const withStatus = (properties: JsonObject, more: JsonObject = {}): Schemas => ({
  XShop: { type: "object", properties: { status: { type: "object", properties, ...more } } },
});
const text = { type: "string" };

describe("a value for the XR's status", () => {
  const fitted = (path: string, value: JsonValue, schemas: Schemas) => {
    const call = begin(callOf({ sharedResources: [], capabilities: V2_2, schemas }));
    const { values, lacking } = fitStatus([{ path: parseFieldPath(path), value }], call);
    return [values.map((edit) => edit.value), lacking.map(formatFieldPath)];
  };

  test.each<{
    reason: string;
    path?: string;
    value: JsonValue;
    schema?: JsonObject;
    more?: JsonObject;
    is?: JsonValue;
  }>([
    { reason: "of a field that the schema has", value: "a", schema: { x: text } },
    { reason: "below additionalProperties: true", value: { a: [1] }, more: { additionalProperties: true } },
    { reason: "below additionalProperties with a schema", value: "a", more: { additionalProperties: text } },
    { reason: "below unknown fields", value: { a: [1] }, more: { "x-kubernetes-preserve-unknown-fields": true } },
    {
      reason: "that is all unknown fields",
      value: [{ a: 1 }],
      schema: { x: { "x-kubernetes-preserve-unknown-fields": true } },
    },
    { reason: "that is an int or a string", value: 1, schema: { x: { "x-kubernetes-int-or-string": true } } },
    { reason: "that may be null", value: null, schema: { x: { ...text, nullable: true } } },
    { reason: "that is a whole number", value: 1, schema: { x: { type: "integer" } } },
    {
      reason: "in a list's item",
      path: "status.x[0].y",
      value: "a",
      schema: { x: { type: "array", items: { properties: { y: text } } } },
    },
    {
      reason: "with a list of objects",
      value: [{ y: "a" }],
      schema: { x: { type: "array", items: { type: "object", properties: { y: text } } } },
    },
  ])("$reason is set", ({ path = "status.x", value, schema = {}, more }) => {
    expect(fitted(path, value, withStatus(schema, more))).toEqual([[value], []]);
  });

  test.each<{ reason: string; value: JsonValue; schemas: Schemas; set?: JsonValue; lacking: string }>([
    { reason: "no such field", value: "a", schemas: withStatus({ y: text }), lacking: "status.x" },
    { reason: "no status", value: "a", schemas: { XShop: { type: "object" } }, lacking: "status.x" },
    { reason: "no fields", value: "a", schemas: withStatus({}, { additionalProperties: false }), lacking: "status.x" },
    { reason: "another type for it", value: "a", schemas: withStatus({ x: { type: "integer" } }), lacking: "status.x" },
    { reason: "no null", value: null, schemas: withStatus({ x: text }), lacking: "status.x" },
    { reason: "no list", value: ["a"], schemas: withStatus({ x: text }), lacking: "status.x" },
    { reason: "no place below a text", value: { y: 1 }, schemas: withStatus({ x: text }), lacking: "status.x" },
    {
      reason: "one of its fields only",
      value: { a: "a", b: "b" },
      schemas: withStatus({ x: { type: "object", properties: { a: text } } }),
      set: { a: "a" },
      lacking: "status.x.b",
    },
    {
      reason: "one of the fields of a list's items only",
      value: [{ a: "a", b: "b" }, { b: "b" }],
      schemas: withStatus({ x: { type: "array", items: { type: "object", properties: { a: text } } } }),
      set: [{ a: "a" }, {}],
      lacking: "status.x[*].b",
    },
  ])("is left out where the schema has $reason", ({ value, schemas, set, lacking }) => {
    expect(fitted("status.x", value, schemas)).toEqual([set === undefined ? [] : [set], [lacking]]);
  });

  test("leaves the value that is shown in its place where it has another type", () => {
    const call = begin(
      callOf({
        sharedResources: [],
        capabilities: V2_2,
        schemas: withStatus({ x: text }),
        xr: { ...xr(), status: { x: "shown" } },
      }),
    );
    const path = ["status", "x"];
    expect(fitStatus([{ path, value: 1 }], call)).toEqual({ values: [{ path, value: "shown" }], lacking: [path] });
  });

  test("named like what a prototype holds is left out", () => {
    expect(fitted("status.constructor", "a", withStatus({}))).toEqual([[], ["status.constructor"]]);
  });
});

describe("the schema is asked for", () => {
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db" }];
  const { connection: _, ...alone } = shared({ patches });
  const run = (parts: CallParts) =>
    runFeature(
      sharing,
      callOf({ answers: { db: [database()] }, capabilities: V2_2, sharedResources: [alone], ...parts }),
    );
  const asked = [{ apiVersion: "apps.example.org/v1", kind: "XShop" }];
  const shown = { ...xr(), status: { db: "orders.db.example.org", other: 1 } };

  test.each<{ reason: string; parts: CallParts; is: unknown }>([
    { reason: "while the XR does not show a value", parts: {}, is: asked },
    { reason: "while it shows another value", parts: { xr: { ...xr(), status: { db: "old" } } }, is: asked },
    { reason: "never by a steady XR", parts: { xr: shown }, is: [] },
    { reason: "never before there is a value", parts: { answers: {} }, is: [] },
    { reason: "never of a Crossplane that cannot be asked", parts: { capabilities: [] }, is: [] },
  ])("$reason", ({ parts, is }) => {
    expect([...run(parts).requiredSchemas.values()]).toEqual(is);
  });

  test.each<{ reason: string; schemas: Schemas | undefined }>([
    { reason: "is not answered yet: another call follows", schemas: {} },
    { reason: "is known to nobody", schemas: undefined },
  ])("nothing is left out where it $reason", ({ schemas }) => {
    const call = callOf({
      answers: { db: [database()] },
      capabilities: V2_2,
      sharedResources: [alone],
      schemas: schemas ?? {},
    });
    const request = schemas ? call.request : { ...call.request, requiredSchema: () => ({ is: "unknown" }) as const };
    expect(runFeature(sharing, { ...call, request }).composite).toHaveLength(1);
  });
});

describe("a field of the status that the XRD lacks is named", () => {
  const lacks = (path: string, kind: string) =>
    `cannot set ${path}: the XRD of ${kind} has no such field, or has it with another type; add it to the XRD's schema, or change toCompositeFieldPath`;
  const { connection: _, ...alone } = shared();
  test.each<{ reason: string; feature: Feature; parts: CallParts; says: readonly string[] }>([
    {
      reason: "by the share whose patch sets it",
      feature: sharing,
      parts: {
        answers: { db: [database()], cache: [database()] },
        sharedResources: [
          { ...alone, patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.there" }] },
          {
            ...alone,
            name: "cache",
            patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.typo[0]" }],
          },
        ],
      },
      says: ["status.there", `PatchFailed: cache: ${lacks("status.typo", "XShop")}`],
    },
    {
      reason: "by the list of consumers",
      feature: consumers,
      parts: {
        sharedResources: [],
        spec: { consumers: { protect: false, list: { toCompositeFieldPath: "status.consumers" } } },
        answers: { "consumers/ConfigMap": [], "consumers/EnvironmentConfig": [] },
      },
      says: [`StatusFieldMissing: ${lacks("status.consumers", "XShop")}`],
    },
  ])("$reason", ({ feature, parts, says }) => {
    const { composite, conditions } = runFeature(
      feature,
      callOf({ capabilities: V2_2, schemas: withStatus({ there: text }), ...parts }),
    );
    const said = conditions.map(({ reason, message }) => `${reason}: ${message}`);
    expect([...composite.map(({ path }) => formatFieldPath(path)), ...said]).toEqual(says);
  });
});
