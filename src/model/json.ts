/** A decoded JSON value, such as a Kubernetes object. Never mutated: an edit makes a new value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A copy of `object` in which `key` is `value`. Assignment would set the prototype where the key is `__proto__`; a
 * computed property and a spread define it.
 */
export const withKey = (object: JsonObject, key: string, value: JsonValue): JsonObject => ({ ...object, [key]: value });

/** The object's own value at `key`: what a prototype holds (`constructor`, `toString`) is not data. */
export const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Parses JSON; undefined for other text. Without text nothing is parsed: an exception for each copy is expensive. */
export function parseJson(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
