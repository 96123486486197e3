/** A decoded JSON value, such as a Kubernetes object. Never mutated: an edit makes a new value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the fields of an object; none of another value. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Narrows a value to a readonly list, unlike Array.isArray. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The deepest nesting that is decoded, to prevent a stack overflow. Kubernetes' JSON decoder stops at 10,000. */
export const MAX_DEPTH = 1000;

export type MutableObject = Record<string, JsonValue>;

/** Sets a key. Assigning to `__proto__` would change the prototype instead. */
export function define(object: MutableObject, key: string, value: JsonValue): void {
  if (key !== "__proto__") {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}

export function pick(object: JsonObject, isWanted: (key: string, value: JsonValue) => boolean): JsonObject {
  const picked: MutableObject = {};
  for (const key of Object.keys(object)) {
    const value = object[key] as JsonValue;
    if (isWanted(key, value)) define(picked, key, value);
  }
  return picked;
}

/** Converts a map to an object, sorted by key: the same entries become the same bytes. */
export function toSortedObject(entries: ReadonlyMap<string, JsonValue>): JsonObject {
  const object: MutableObject = {};
  for (const key of [...entries.keys()].sort()) define(object, key, entries.get(key) as JsonValue);
  return object;
}

/** Formats a value as JSON with sorted keys: the same fields in another order become the same text. */
export const toSortedJson = (value: JsonValue): string =>
  JSON.stringify(value, (_key, part) => (isObject(part) ? toSortedObject(new Map(Object.entries(part))) : part));

/** Reads an object's own value at `key`, not one of its prototype, such as `constructor` or `toString`. */
export const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Converts a string, number or boolean to text; other values to "". `String` throws for an object with a key `toString`. */
export function toPlainText(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Parses JSON; undefined for other text. Objects and lists nested deeper than MAX_DEPTH become null: a team may write them. */
export function parseJson(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    if (text.length > 2 * MAX_DEPTH) cutDepth(value); // a level has two brackets
    return value;
  } catch {
    return undefined;
  }
}

/** Changes a value just parsed, level by level, since recursion would overflow the stack. */
function cutDepth(value: JsonValue): void {
  let level = [value].filter(isNested);
  for (let depth = 1; depth < MAX_DEPTH && level.length > 0; depth++) level = level.flatMap(listNested);
  for (const outer of level)
    for (const [key, inner] of Object.entries(outer)) if (isNested(inner)) define(outer, key, null);
}

/** Recognizes an object or a list, which has keys as well. */
const isNested = (value: JsonValue): value is MutableObject => typeof value === "object" && value !== null;

const listNested = (outer: MutableObject): MutableObject[] => Object.values(outer).filter(isNested);
