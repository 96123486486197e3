import { expect, test } from "vitest";
import { fetchSchema } from "../../../cli/render/fetch-schema.ts";
import { toSchemas, withDefaults } from "../../../cli/render/xrd.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const size = { type: "integer", default: 3 };

/** An XRD whose XR has these fields below spec. */
const xrdOf = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  spec: {
    group: "example.org",
    versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { spec: { properties, default: {} } } } } }],
    ...more,
  },
});

const xrOf = (spec?: JsonObject): JsonObject => ({ apiVersion: "example.org/v1", ...(spec && { spec }) });

test.each<{ reason: string; fields: JsonObject; more?: JsonObject; spec?: JsonObject; defaulted?: JsonObject }>([
  { reason: "a field that is not there", fields: { size }, spec: {}, defaulted: { size: 3 } },
  { reason: "not one that is", fields: { size }, spec: { size: 4 }, defaulted: { size: 4 } },
  { reason: "null where it is not allowed", fields: { size }, spec: { size: null }, defaulted: { size: 3 } },
  {
    reason: "not null where it is",
    fields: { size: { ...size, nullable: true } },
    spec: { size: null },
    defaulted: { size: null },
  },
  {
    reason: "below an object with a default",
    fields: { a: { default: {}, properties: { size } } },
    spec: {},
    defaulted: { a: { size: 3 } },
  },
  { reason: "not below one without", fields: { a: { properties: { size } } }, spec: {}, defaulted: {} },
  {
    reason: "in lists",
    fields: { a: { items: { properties: { size } } } },
    spec: { a: [{}, { size: 1 }] },
    defaulted: { a: [{ size: 3 }, { size: 1 }] },
  },
  {
    reason: "in maps",
    fields: { a: { additionalProperties: { properties: { size } } } },
    spec: { a: { b: {} } },
    defaulted: { a: { b: { size: 3 } } },
  },
  { reason: "nothing where there is no spec", fields: { size } },
  {
    reason: "Crossplane's update policy, where the XRD has one",
    fields: {},
    more: { scope: "Namespaced", defaultCompositionUpdatePolicy: "Manual" },
    spec: { crossplane: {} },
    defaulted: { crossplane: { compositionUpdatePolicy: "Manual" } },
  },
  {
    reason: "a legacy XR's as well",
    fields: {},
    more: { defaultCompositionUpdatePolicy: "Manual" },
    spec: {},
    defaulted: { compositionUpdatePolicy: "Manual" },
  },
])("defaults fill in $reason", ({ fields, more, spec, defaulted }) => {
  expect(withDefaults(xrOf(spec), xrdOf(fields, more))).toEqual(xrOf(defaulted));
});

test.each([
  { reason: "another version", more: { versions: [{ name: "v2" }] }, error: "version 'example.org/v1' does not exist" },
  { reason: "no schema", more: { versions: [{ name: "v1" }] }, error: "version v1 of the XRD has no schema" },
])("$reason is an error", ({ more, error }) => {
  expect(() => withDefaults(xrOf({}), xrdOf({}, more))).toThrow(error);
});

test("the XRD answers for the schema of the XR's kind, as it is in the XR's version", () => {
  const xr = { ...xrOf(), kind: "XApp" };
  const schemas = [toSchemas(xr, xrdOf({ size }))];
  const { openapiV3 } = fetchSchema({ apiVersion: "example.org/v1", kind: "XApp" }, schemas);
  expect(openapiV3?.["properties"]).toEqual({ spec: { properties: { size }, default: {} } });
  expect(fetchSchema({ apiVersion: "example.org/v2", kind: "XApp" }, schemas)).toEqual({});
});
