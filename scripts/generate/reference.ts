import { inputJsonSchema, type Schema } from "./crd.ts";

/** The tables of docs/input.md, in the order of the schema: one for plain fields of `spec`, then one for each section. */
export function inputReference(): string {
  const spec = childOf(inputJsonSchema(), "spec");
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

/** The three ways to give a value; the page explains them once, above the tables. */
const SOURCES = ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"];

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
  const fields = items ?? schema;
  const names = Object.keys(fields.properties ?? {}).filter((child) => !isValue(fields) || !SOURCES.includes(child));
  return [row, ...names.flatMap((child) => rowsOf(fields, child, `${path}.`))];
}

const isValue = (schema: Schema): boolean => SOURCES.every((source) => schema.properties?.[source] !== undefined);

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (isValue(schema)) return "value";
  if (schema.type === "array") return "list";
  if (schema.type === "object") return schema.properties === undefined ? mapOf(schema) : "object";
  // A CRD cannot say "one of two types", as a key's name has: such a field has no type, as one that takes any.
  return String(schema.type ?? "any value");
}

const mapOf = ({ additionalProperties: items }: Schema): string =>
  typeof items === "object" && items.type === "string" ? "map of strings" : "any object";

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value === undefined || typeof value === "object" ? "" : `default \`${String(value)}\``;
}

function childOf(schema: Schema, name: string): Schema {
  const child = schema.properties?.[name];
  if (typeof child !== "object") throw new Error(`cannot find ${name} in the input's schema`);
  return child;
}

const itemsOf = ({ items }: Schema): Schema | undefined =>
  typeof items === "object" && !Array.isArray(items) ? items : undefined;
