import * as z from "zod";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../src/model/json.ts";
import { RenderError } from "./error.ts";
import type { Schemas } from "./fetch-schema.ts";
import { listOf, narrow, objectAt, orElse } from "./objects.ts";

const text = orElse("", z.string());
const anyObject = z.custom<JsonObject>(isObject, "expected an object");

const definition = z.object({
  spec: orElse(
    {},
    z.object({
      group: text,
      scope: orElse("LegacyCluster", z.string()),
      defaultCompositionUpdatePolicy: orElse(undefined, z.string().optional()),
      versions: listOf({ name: text, schema: orElse(undefined, z.object({ openAPIV3Schema: anyObject }).optional()) }),
    }),
  ),
});

/**
 * Adds the defaults of the XR's definition (XRD) below `spec` and `status`, as the API server does.
 *
 * Source: crossplane v2.2, cmd/crank/render/xrd.go DefaultValues and internal/xcrd ForCompositeResource.
 *
 * @throws {RenderError} where the XRD lacks the XR's version, or a schema for it.
 */
export function withDefaults(xr: JsonObject, xrd: JsonObject): JsonObject {
  const { spec, schema } = findSchema(xr, xrd);
  const properties = objectAt(schema, "properties");
  const { scope, defaultCompositionUpdatePolicy: policy } = spec;
  return defaultObject(xr, {
    properties: {
      spec: { properties: { ...propertiesAt(properties, "spec"), ...crossplaneProperties(scope, policy) } },
      status: { properties: propertiesAt(properties, "status") },
    },
  });
}

/** The schema of the XR's kind, as a control plane with that XRD answers with it, but for the fields that Crossplane adds. */
export function toSchemas(xr: JsonObject, xrd: JsonObject): Schemas {
  const { spec, version, schema } = findSchema(xr, xrd);
  const kind = String(xr["kind"]);
  return { [kind]: { ...schema, "x-kubernetes-group-version-kind": [{ group: spec.group, version, kind }] } };
}

/** @throws {RenderError} where the XRD lacks the XR's version, or a schema for it. */
function findSchema(xr: JsonObject, xrd: JsonObject) {
  const { spec } = narrow(definition, xrd);
  const apiVersion = String(xr["apiVersion"]);
  const found = spec.versions.find(({ name }) => `${spec.group}/${name}` === apiVersion);
  if (found === undefined) {
    throw new RenderError(`the specified API version '${apiVersion}' does not exist in the XRD`);
  }
  if (found.schema === undefined) throw new RenderError(`version ${found.name} of the XRD has no schema`);
  return { spec, version: found.name, schema: found.schema.openAPIV3Schema };
}

/** The one field of Crossplane's own that an XRD can give a default. */
function crossplaneProperties(scope: string, policy: string | undefined): JsonObject {
  if (policy === undefined) return {};
  const properties = { compositionUpdatePolicy: { default: policy } };
  return scope === "LegacyCluster" ? properties : { crossplane: { properties } };
}

/** Applies Kubernetes' structural defaulting: to absent fields, and to nulls that are not allowed. */
function defaulted(value: JsonValue, schema: JsonObject): JsonValue {
  if (isObject(value)) return defaultObject(value, schema);
  if (!Array.isArray(value)) return value;
  const items = objectAt(schema, "items");
  return value.map((item: JsonValue) => defaulted(orDefault(item, items) ?? item, items));
}

function defaultObject(object: JsonObject, schema: JsonObject): JsonObject {
  const properties = objectAt(schema, "properties");
  const others = objectAt(schema, "additionalProperties");
  const keys = new Set([...Object.keys(object), ...Object.keys(properties)]);
  const entries = [...keys].flatMap((key): [string, JsonValue][] => {
    const field = Object.hasOwn(properties, key) ? objectAt(properties, key) : others;
    const value = orDefault(ownValue(object, key), field);
    return value === undefined ? [] : [[key, defaulted(value, field)]];
  });
  return Object.fromEntries(entries);
}

function orDefault(value: JsonValue | undefined, schema: JsonObject): JsonValue | undefined {
  const isMissing = value === undefined || (value === null && schema["nullable"] !== true);
  return isMissing ? (ownValue(schema, "default") ?? value) : value;
}

const propertiesAt = (object: JsonObject, key: string): JsonObject => objectAt(objectAt(object, key), "properties");
