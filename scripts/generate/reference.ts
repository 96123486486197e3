import { inputJsonSchema, type Schema } from "./crd.ts";

/** The input's reference for the README: a row for each field, in the order of the schema. */
export function inputReference(): string {
  const rows = rowsOf(childOf(inputJsonSchema(), "spec"), "spec");
  return ["| field | what it takes | default | what it is |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** The three ways to give a value stand above the table and not in each row. */
const SOURCES = ["value", "fromCompositeFieldPath", "fromEnvironmentFieldPath"];

function rowsOf(schema: Schema, path: string): string[] {
  const names = Object.keys(schema.properties ?? {}).filter((name) => !isValue(schema) || !SOURCES.includes(name));
  return names.flatMap((name) => {
    const child = childOf(schema, name);
    const items = itemsOf(child);
    const childPath = `${path}.${name}${items === undefined ? "" : "[]"}`;
    const isRequired = schema.required?.includes(name) === true;
    const cells = [
      `\`${childPath}\``,
      typeOf(child),
      defaultOf(child, isRequired),
      (child.description ?? "").replaceAll("|", "\\|"),
    ];
    return [`| ${cells.join(" | ")} |`, ...rowsOf(items ?? child, childPath)];
  });
}

const isValue = (schema: Schema): boolean => SOURCES.every((source) => schema.properties?.[source] !== undefined);

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(" or ");
  if (isValue(schema)) return "a value";
  if (schema.type === "array") return "a list";
  if (schema.type === "object") return schema.properties === undefined ? mapOf(schema) : "an object";
  return schema.type === "integer" ? "a whole number" : `a ${schema.type}`;
}

const mapOf = ({ additionalProperties: items }: Schema): string =>
  typeof items === "object" && items.type === "string" ? "a map of strings" : "any object";

function defaultOf({ default: value }: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  return value === undefined || typeof value === "object" ? "" : `\`${String(value)}\``;
}

function childOf(schema: Schema, name: string): Schema {
  const child = schema.properties?.[name];
  if (typeof child !== "object") throw new Error(`cannot find ${name} in the input's schema`);
  return child;
}

const itemsOf = ({ items }: Schema): Schema | undefined =>
  typeof items === "object" && !Array.isArray(items) ? items : undefined;
