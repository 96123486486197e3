import { valueAt } from "../../src/model/field-path.ts";
import { isObject, type JsonValue } from "../../src/model/json.ts";
import type { Inputs } from "./inputs.ts";
import { objectAt } from "./objects.ts";
import { type Schema, type SchemaSelector, toStruct } from "./protocol.ts";

/** The prefix of requirements that ask whether a kind is served. */
const SERVED = "served/";

/** Finds schemas. A kind with a resource in the files is served, even if no file has its schema. */
export function findSchemas(selectors: Readonly<Record<string, SchemaSelector>>, { schemas, required }: Inputs) {
  const isThere = (name: string, { apiVersion, kind }: SchemaSelector): boolean =>
    name.startsWith(SERVED) && required.some((each) => each["apiVersion"] === apiVersion && each["kind"] === kind);
  const entries = Object.entries(selectors).map(([name, selector]): readonly [string, Schema] => {
    const found = findSchema(selector, schemas);
    return [name, isThere(name, selector) && found.openapiV3 === undefined ? { openapiV3: toStruct({}) } : found];
  });
  return Object.fromEntries(entries);
}

/** Finds the schema of a kind, with references unresolved; empty if there is none. */
export function findSchema(selector: SchemaSelector, schemas: readonly JsonValue[]): Schema {
  const found = schemas.find((schema) => isSchemaOf(schema, selector));
  return isObject(found) ? { openapiV3: toStruct(found) } : {};
}

/** Tells whether a schema is that of the kind alone. Schemas of several kinds, such as DeleteOptions, do not count. */
function isSchemaOf(schema: JsonValue, { apiVersion, kind }: SchemaSelector): boolean {
  const kinds = valueAt(schema, ["x-kubernetes-group-version-kind"]);
  const [only = null] = Array.isArray(kinds) && kinds.length === 1 ? kinds : [];
  const { group = "", version = "", kind: own } = objectAt(only);
  return (group === "" ? version : `${group}/${version}`) === apiVersion && own === kind;
}
