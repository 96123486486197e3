import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";

/** Translates an input of another function to the spec of this one's. */
export type Translate = (reader: Reader, input: JsonObject) => JsonObject;

/** Collects remarks while an input is translated: on fields that were not translated, or have another meaning. */
export class Reader {
  readonly remarks: string[] = [];

  readInput(input: JsonObject, known: readonly string[]): JsonObject {
    return this.read("input", input, ["apiVersion", "kind", "metadata", ...known]);
  }

  /** Reads an object's fields, and remarks on those that are not in `known`; none if the object is not set. */
  read(path: string, value: JsonValue | undefined, known: readonly string[]): JsonObject {
    if (!isObject(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no object`);
    const object = isObject(value) ? value : {};
    for (const key of Object.keys(object)) {
      if (!known.includes(key)) this.remarks.push(`${path}.${key}: not translated`);
    }
    return object;
  }

  /** Reads the items of a list; none if it is not set. */
  readList(path: string, value: JsonValue | undefined): readonly JsonValue[] {
    if (!Array.isArray(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no list`);
    return Array.isArray(value) ? value : [];
  }
}

const isUnset = (value: JsonValue | undefined): boolean => value === undefined || value === null;

/** Drops the fields without a value. */
export const given = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
