import { describe, expect, test } from "vitest";
import { consumers } from "../../src/features/consumers/consumers.ts";
import type { Feature } from "../../src/features/feature.ts";
import { fitStatus } from "../../src/features/fit-status.ts";
import { sharing } from "../../src/features/sharing/sharing.ts";
import { formatFieldPath, parseFieldPath } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import type { Capability } from "../../src/model/request.ts";
import { type CallParts, callOf } from "../../testing/builders/calls.ts";
import { withoutCopies } from "../../testing/builders/copies.ts";
import { begin, runFeature } from "../../testing/builders/run-feature.ts";
import { database, xr } from "../../testing/builders/sharing.ts";

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

  const unknown = { "x-kubernetes-preserve-unknown-fields": true };
  const list = (properties: JsonObject) => ({ x: { type: "array", items: { type: "object", properties } } });
  test.each<[reason: string, value: JsonValue, schemas: Schemas, path?: string]>([
    ["of a field that the schema has", "a", withStatus({ x: text })],
    ["below additionalProperties: true", { a: [1] }, withStatus({}, { additionalProperties: true })],
    ["below additionalProperties with a schema", "a", withStatus({}, { additionalProperties: text })],
    ["below unknown fields", { a: [1] }, withStatus({}, unknown)],
    ["that is all unknown fields", [{ a: 1 }], withStatus({ x: unknown })],
    ["that is an int or a string", 1, withStatus({ x: { "x-kubernetes-int-or-string": true } })],
    ["that may be null", null, withStatus({ x: { ...text, nullable: true } })],
    ["that is a whole number", 1, withStatus({ x: { type: "integer" } })],
    ["in a list's item", "a", withStatus(list({ y: text })), "status.x[0].y"],
    ["with a list of objects", [{ y: "a" }], withStatus(list({ y: text }))],
  ])("%s is set", (_reason, value, schemas, path = "status.x") => {
    expect(fitted(path, value, schemas)).toEqual([[value], []]);
  });

  const items = [{ a: "a", b: "b" }, { b: "b" }];
  const objects = { type: "object", properties: { a: text } };
  type Lacking = [reason: string, value: JsonValue, schemas: Schemas, lacking?: string, set?: JsonValue];
  test.each<Lacking>([
    ["no such field", "a", withStatus({ y: text })],
    ["no status", "a", { XShop: { type: "object" } }],
    ["no fields", "a", withStatus({}, { additionalProperties: false })],
    ["another type for it", "a", withStatus({ x: { type: "integer" } })],
    ["no null", null, withStatus({ x: text })],
    ["no list", ["a"], withStatus({ x: text })],
    ["no place below a text", { y: 1 }, withStatus({ x: text })],
    ["one of its fields only", { a: "a", b: "b" }, withStatus({ x: objects }), "status.x.b", { a: "a" }],
    ["one of its items' fields only", items, withStatus(list({ a: text })), "status.x[*].b", [{ a: "a" }, {}]],
  ])("is left out where the schema has %s", (_reason, value, schemas, lacking = "status.x", set) => {
    expect(fitted("status.x", value, schemas)).toEqual([set === undefined ? [] : [set], [lacking]]);
  });

  test("leaves the value that is shown in its place where it has another type", () => {
    const shown = { ...xr(), status: { x: "shown" } };
    const parts = { sharedResources: [], capabilities: V2_2, schemas: withStatus({ x: text }), xr: shown };
    const call = begin(callOf(parts));
    const path = ["status", "x"];
    expect(fitStatus([{ path, value: 1 }], call)).toEqual({ values: [{ path, value: "shown" }], lacking: [path] });
  });

  test("named like what a prototype holds is left out", () => {
    expect(fitted("status.constructor", "a", withStatus({}))).toEqual([[], ["status.constructor"]]);
  });
});

describe("the schema is asked for", () => {
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db" }];
  const steady = { answers: { db: [database()] }, capabilities: V2_2, sharedResources: [withoutCopies({ patches })] };
  const asked = [{ apiVersion: "apps.example.org/v1", kind: "XShop" }];
  const shown = { ...xr(), status: { db: "orders.db.example.org", other: 1 } };

  test.each<{ reason: string; parts: CallParts; is: unknown }>([
    { reason: "while the XR does not show a value", parts: {}, is: asked },
    { reason: "while it shows another value", parts: { xr: { ...xr(), status: { db: "old" } } }, is: asked },
    { reason: "never by a steady XR", parts: { xr: shown }, is: [] },
    { reason: "never before there is a value", parts: { answers: {} }, is: [] },
    { reason: "never of a Crossplane that cannot be asked", parts: { capabilities: [] }, is: [] },
  ])("$reason", ({ parts, is }) => {
    expect([...runFeature(sharing, callOf({ ...steady, ...parts })).requiredSchemas.values()]).toEqual(is);
  });

  test.each<{ reason: string; schemas: NonNullable<CallParts["schemas"]> }>([
    { reason: "is not answered yet: another call follows", schemas: {} },
    { reason: "is known to nobody", schemas: { XShop: null } },
  ])("nothing is left out where it $reason", ({ schemas }) => {
    expect(runFeature(sharing, callOf({ ...steady, schemas })).composite).toHaveLength(1);
  });
});

const lacks = (path: string, kind: string) =>
  `cannot set ${path}: the XRD of ${kind} has no such field, or has it with another type; correct the XRD's schema, or change toCompositeFieldPath`;
const patching = (name: string, toCompositeFieldPath: string) =>
  withoutCopies({ name, patches: [{ fromFieldPath: "status.endpoint", toCompositeFieldPath }] });
const patched: CallParts = {
  answers: { db: [database()], cache: [database()] },
  sharedResources: [patching("db", "status.there"), patching("cache", "status.typo[0]")],
};
const listed: CallParts = {
  sharedResources: [],
  spec: { consumers: { protect: false, list: { toCompositeFieldPath: "status.consumers" } } },
  answers: { "consumers/ConfigMap": [], "consumers/EnvironmentConfig": [] },
};
const patchFailed = `PatchFailed: cache: ${lacks("status.typo", "XShop")}`;
const listFailed = `StatusFieldMissing: ${lacks("status.consumers", "XShop")}`;
test.each<[reason: string, feature: Feature, parts: CallParts, ...says: readonly string[]]>([
  ["by the share whose patch sets it", sharing, patched, "status.there", patchFailed],
  ["by the list of consumers", consumers, listed, listFailed],
])("a field of the status that the XRD lacks is named: %s", (_reason, feature, parts, ...says) => {
  const schemas = withStatus({ there: text });
  const { composite, conditions } = runFeature(feature, callOf({ capabilities: V2_2, schemas, ...parts }));
  const said = conditions.map(({ reason, message }) => `${reason}: ${message}`);
  expect([...composite.map(({ path }) => formatFieldPath(path)), ...said]).toEqual(says);
});
