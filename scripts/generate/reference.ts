import { z } from "zod";
import { inputSchema } from "../../src/input/schema.ts";
import type { Schema } from "./crd.ts";

/** The tables of docs/input.md, in the order of the schema: one for plain fields of `spec`, then one for each section. */
export function inputReference(): string {
  const schema = z.toJSONSchema(inputSchema, { io: "input", target: "draft-7", unrepresentable: "any" });
  const spec = childOf(schema, "spec");
  const rows = Object.keys(spec.properties ?? {}).map((name) => rowsOf(spec, name, ""));
  const fields = rows.filter(({ length }) => length === 1).flat();
  return [table(fields), ...rows.filter(({ length }) => length > 1).flatMap(toSection)].join("\n\n");
}

interface Row {
  readonly path: string;
  readonly type: string;
  readonly description: string;
}

/** A heading, the section's own description, and its fields by their paths within it. */
function toSection([section, ...fields]: readonly Row[]): readonly string[] {
  if (section === undefined) return [];
  const prefix = `${section.path}.`;
  const rows = fields.map((field) => ({ ...field, path: field.path.slice(prefix.length) }));
  return [`## spec.${section.path.replace(/\[\]$/, "")}`, section.description, table(rows)];
}

function table(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| \`${row.path}\` | ${row.type} | ${row.description} |`);
  return ["| field | type | description |", "| --- | --- | --- |", ...lines].join("\n");
}

function rowsOf(parent: Schema, name: string, parentPath: string): readonly Row[] {
  const schema = childOf(parent, name);
  const items = itemsOf(schema);
  const path = `${parentPath}${name}${items === undefined ? "" : "[]"}`;
  const type = [typeOf(schema), defaultOf(schema, parent.required?.includes(name) === true)];
  const row = {
    path,
    type: type.filter(Boolean).join(", "),
    description: (schema.description ?? "").replaceAll("|", "\\|"),
  };
  const fields = alternativesOf(items ?? schema).find((one) => one.properties !== undefined && !isSource(one)) ?? {};
  return [row, ...Object.keys(fields.properties ?? {}).flatMap((child) => rowsOf(fields, child, `${path}.`))];
}

/** The schemas of which a value has to fit one. */
const alternativesOf = (schema: Schema): readonly Schema[] => schema.anyOf?.filter(isSchema) ?? [schema];

const isSchema = (schema: unknown): schema is Schema => typeof schema === "object";

/** Tells whether a schema is that of a field in which a value is found; the page explains it once, above the tables. */
const isSource = (schema: Schema): boolean => schema.properties?.["fromCompositeFieldPath"] !== undefined;

function typeOf(schema: Schema): string {
  const alternatives = alternativesOf(schema).filter((one) => !isSource(one));
  const types = [...new Set(alternatives.map(nameType))];
  if (types.length === alternativesOf(schema).length) return types.join(" or ");
  return ["value", ...types.filter((type) => type === "list")].join(" or ");
}

function nameType(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.type === "array") return "list";
  if (schema.type !== "object") return String(schema.type ?? "any value");
  return schema.properties === undefined ? mapOf(schema) : "object";
}

function mapOf({ additionalProperties: items }: Schema): string {
  if (typeof items !== "object") return "any object";
  if (alternativesOf(items).some(isSource)) return "map of values";
  return items.type === "string" ? "map of strings" : "any object";
}

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value === undefined || typeof value === "object" ? "" : `default \`${String(value)}\``;
}

function childOf(schema: Schema, name: string): Schema {
  const child = schema.properties?.[name];
  if (typeof child !== "object") throw new Error(`cannot find ${name} in the input's schema`);
  return child;
}

function itemsOf(schema: Schema): Schema | undefined {
  const [items] = alternativesOf(schema).flatMap(({ items: found }) => (Array.isArray(found) ? [] : (found ?? [])));
  // A value may be a list of texts, which has no fields.
  return isSchema(items) && (schema.type === "array" || items.properties !== undefined) ? items : undefined;
}
