import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../src/model/json.ts";
import { RenderError, whileDoing } from "./error.ts";
import { objectAt } from "./objects.ts";
import type { Schema, SchemaSelector } from "./protocol.ts";

/** The `components.schemas` of one OpenAPI v3 document. */
export type Schemas = JsonObject;

const REF = "#/components/schemas/";

/**
 * Reads the schemas of all JSON files below a directory; none without a directory.
 *
 * @throws {RenderError} where there is no JSON file, or one is invalid.
 */
export function readSchemas(directory: string | undefined): readonly Schemas[] {
  if (directory === undefined) return [];
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(
    (file) => extname(file) === ".json",
  );
  if (files.length === 0) throw new RenderError(`no JSON files found in ${JSON.stringify(directory)}`);
  return files.sort().map((file) => {
    const path = join(directory, file);
    const document: JsonValue = whileDoing(`cannot parse OpenAPI JSON from ${JSON.stringify(path)}`, () =>
      JSON.parse(readFileSync(path, "utf8")),
    );
    return objectAt(objectAt(document, "components"), "schemas");
  });
}

/**
 * Finds the schema of a kind, with its references resolved; the answer is empty if there is none.
 *
 * Source: crossplane v2.2, cmd/crank/render/schemas.go FilteringSchemaFetcher.
 */
export function fetchSchema(selector: SchemaSelector, documents: readonly Schemas[]): Schema {
  for (const schemas of documents) {
    for (const [name, schema] of Object.entries(schemas)) {
      if (isSchemaOf(schema, selector)) return { openapiV3: resolve(schema, schemas, new Set([REF + name])) };
    }
  }
  return {};
}

/** Tells whether a schema is that of the kind alone: those of several kinds, such as DeleteOptions, do not count. */
function isSchemaOf(schema: JsonValue, { apiVersion, kind }: SchemaSelector): schema is JsonObject {
  const kinds = isObject(schema) ? schema["x-kubernetes-group-version-kind"] : undefined;
  const [only] = Array.isArray(kinds) && kinds.length === 1 ? kinds : [];
  if (!isObject(only)) return false;
  const group = ownValue(only, "group") || "";
  const version = String(ownValue(only, "version") ?? "");
  return (
    `${group ? `${String(group)}/` : ""}${version}`.toLowerCase() === apiVersion.toLowerCase() && only["kind"] === kind
  );
}

/** Resolves a schema's references. A recursive one becomes an object without properties. */
function resolve(schema: JsonObject, schemas: Schemas, visited: ReadonlySet<string>): JsonObject {
  const ref = findRef(schema);
  if (ref !== undefined) {
    if (visited.has(ref)) return { type: "object" };
    const target = ownValue(schemas, ref.slice(REF.length));
    if (!isObject(target)) throw new RenderError(`cannot flatten schema references: cannot resolve ${ref}`);
    return withResolved(target, schemas, new Set([...visited, ref]));
  }
  return withResolved(schema, schemas, visited);
}

function withResolved(schema: JsonObject, schemas: Schemas, visited: ReadonlySet<string>): JsonObject {
  const resolveAt = (value: JsonValue): JsonValue => (isObject(value) ? resolve(value, schemas, visited) : value);
  const properties = Object.entries(objectAt(schema, "properties")).map(([name, value]) => [name, resolveAt(value)]);
  return {
    ...schema,
    ...("properties" in schema && { properties: Object.fromEntries(properties) }),
    ...(isObject(schema["additionalProperties"]) && {
      additionalProperties: resolveAt(schema["additionalProperties"]),
    }),
    ...(isObject(schema["items"]) && { items: resolveAt(schema["items"]) }),
  };
}

/** Finds a schema's reference, which may be wrapped in `allOf` to keep a description. */
function findRef(schema: JsonObject): string | undefined {
  const ref = schema["$ref"];
  if (typeof ref === "string") return ref;
  const all = schema["allOf"];
  return Array.isArray(all)
    ? all
        .filter(isObject)
        .map(findRef)
        .find((found) => found !== undefined)
    : undefined;
}
