import { isObject, type JsonObject, type JsonValue } from "../../../model/json.ts";

/** A value between two transforms, with Go's types: a bigint is an int64, a number a float64. */
export type GoValue = JsonValue | bigint;

/** The name of the value's type, as Go prints it. */
export function typeOf(value: GoValue): string {
  if (value === null) return "<nil>";
  if (isList(value)) return "[]interface {}";
  const names = { bigint: "int64", number: "float64", boolean: "bool", string: "string" } as const;
  return typeof value === "object" ? "map[string]interface {}" : names[typeof value as keyof typeof names];
}

/** Array.isArray does not tell readonly lists from other values. */
export const isList = (value: GoValue): value is readonly JsonValue[] => Array.isArray(value);

/** The fields in Go's order: by code points, not by UTF-16 units. */
export const sortedFields = (object: JsonObject): readonly (readonly [string, JsonValue])[] =>
  Object.entries(object).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** JSON as Go's encoding/json writes it: sorted keys, and characters that mean something to HTML escaped. */
export function toGoJson(value: GoValue): string {
  if (isList(value)) return `[${value.map(toGoJson).join(",")}]`;
  if (isObject(value)) {
    return `{${sortedFields(value as JsonObject)
      .map(([key, field]) => `${toGoJson(key)}:${toGoJson(field)}`)
      .join(",")}}`;
  }
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0";
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
