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

/** The keys in Go's order: by code points, not by UTF-16 units. */
const sortedKeys = (object: JsonObject): readonly string[] =>
  Object.keys(object)
    .map((key) => ({ key, rank: toRank(key) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ key }) => key);

/** Surrogates stand for the highest code points and are not the highest units: here they change places with those above. */
const toRank = (key: string): string =>
  key.replace(/[\ud800-\uffff]/g, (unit) =>
    String.fromCharCode(unit.charCodeAt(0) + (unit < "\ue000" ? 0x2000 : -0x800)),
  );

/** The characters of lists and objects, of keys, and of what is neither list nor object. */
interface Notation {
  readonly list: readonly [open: string, close: string];
  readonly object: readonly [open: string, close: string];
  readonly separator: string;
  readonly toKey: (key: string) => string;
  readonly toLeaf: (value: GoValue) => string;
}

/** Writes a value. Joining texts at each level would copy them as often as they are deep. */
export function write(value: GoValue, notation: Notation): string {
  const pieces: string[] = [];
  addTo(pieces, value, notation);
  return pieces.join("");
}

function addTo(pieces: string[], value: GoValue, notation: Notation): void {
  if (isList(value)) addItems(pieces, value, notation);
  else if (isObject(value)) addFields(pieces, value as JsonObject, notation);
  else pieces.push(notation.toLeaf(value));
}

function addItems(pieces: string[], list: readonly JsonValue[], notation: Notation): void {
  pieces.push(notation.list[0]);
  for (const [index, item] of list.entries()) {
    if (index > 0) pieces.push(notation.separator);
    addTo(pieces, item, notation);
  }
  pieces.push(notation.list[1]);
}

function addFields(pieces: string[], object: JsonObject, notation: Notation): void {
  pieces.push(notation.object[0]);
  for (const [index, key] of sortedKeys(object).entries()) {
    pieces.push(index > 0 ? notation.separator : "", notation.toKey(key));
    addTo(pieces, object[key] as JsonValue, notation);
  }
  pieces.push(notation.object[1]);
}

const JSON_NOTATION: Notation = {
  list: ["[", "]"],
  object: ["{", "}"],
  separator: ",",
  toKey: (key) => `${toJsonLeaf(key)}:`,
  toLeaf: toJsonLeaf,
};

/** JSON as Go's encoding/json writes it: sorted keys, and characters that mean something to HTML escaped. */
export const toGoJson = (value: GoValue): string => write(value, JSON_NOTATION);

function toJsonLeaf(value: GoValue): string {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0";
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
