import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { compareKeys } from "./compare-keys.ts";
import { formatNumber } from "./number.ts";
import { formatKey, formatString } from "./scalar.ts";

/** A value as the YAML that Kubernetes' tools print: go-yaml v2's block style, keys sorted, lists not indented. */
export const formatYaml = (value: JsonValue): string => endLine(isBlock(value) ? block(value, 0) : inline(value, 2, 0));

type Block = JsonObject | readonly JsonValue[];

/** A list or object with something in it, which takes lines of its own. Empty ones are `[]` and `{}`. */
function isBlock(value: JsonValue): value is Block {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

/** The lines of a block, all but the first indented: the first stands where the caller is. */
function block(value: Block, indent: number): string {
  const entries = Array.isArray(value)
    ? value.map((item: JsonValue) => `- ${nested(item, indent)}`)
    : Object.entries(value)
        .sort(([a], [b]) => compareKeys(a, b))
        .map(([key, item]) => entry(key, item, indent));
  return entries.map(endLine).join(" ".repeat(indent));
}

/** A value after `- `: a block begins on the same line, two columns further in. */
const nested = (value: JsonValue, indent: number): string =>
  isBlock(value) ? block(value, indent + 2) : inline(value, indent + 2, indent + 2);

/** The longest key, in bytes, that YAML allows before a `:`. */
const MAX_KEY = 128;

function entry(key: string, value: JsonValue, indent: number): string {
  if (Buffer.byteLength(key) > MAX_KEY || /[\n\r]/.test(key)) {
    return `? ${endLine(nested(key, indent))}${" ".repeat(indent)}: ${nested(value, indent)}`;
  }
  const name = formatKey(key);
  if (!isBlock(value)) return `${name}: ${inline(value, indent + 2, indent + [...name].length + 2)}`;
  const inner = Array.isArray(value) ? indent : indent + 2;
  return `${name}:\n${" ".repeat(inner)}${block(value, inner)}`;
}

function inline(value: JsonValue, indent: number, column: number): string {
  if (typeof value === "string") return formatString(value, { indent, column });
  if (typeof value === "number") return formatNumber(value);
  if (Array.isArray(value)) return "[]";
  return isObject(value) ? "{}" : String(value);
}

/** Block scalars bring the end of their last line with them. */
const endLine = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
