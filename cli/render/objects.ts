import { documentOf, stringAt } from "../../src/model/document.ts";
import { valueAt } from "../../src/model/field-path.ts";
import { type JsonObject, type JsonValue, objectOf } from "../../src/model/json.ts";

/** Reads the object at a path; empty if there is none. */
export function objectAt(value: JsonValue, ...path: readonly string[]): JsonObject {
  return objectOf(valueAt(value, path));
}

/** Reads a string of the metadata, such as `name`; empty if there is none. */
export const metadataString = (object: JsonObject, field: string): string =>
  stringAt(documentOf(object), ["metadata", field]) ?? "";

/** Reads the labels or annotations. As in Crossplane's CLI there are none if one value is not a string (`n` is a boolean in YAML). */
export function metadataMap(object: JsonObject, field: "labels" | "annotations"): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(object, "metadata", field));
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return strings.length === entries.length ? Object.fromEntries(strings) : {};
}

/** Copies the object with these fields in its metadata. As in Go, an empty string removes a field. */
export function withMetadata(object: JsonObject, fields: Readonly<Record<string, JsonValue>>): JsonObject {
  const entries = Object.entries({ ...objectAt(object, "metadata"), ...fields }).filter(
    ([key, value]) => !(key in fields && value === ""),
  );
  return entries.length === 0 ? object : { ...object, metadata: Object.fromEntries(entries) };
}
