import { type JsonObject, type JsonValue, ownValue } from "../../model/json.ts";
import { objectAt } from "./objects.ts";

export const readMetadata = (object: JsonObject): JsonObject => objectAt(object, "metadata");

/** A string of the metadata, `name` for example; empty where there is none. */
export function metadataString(object: JsonObject, field: string): string {
  const value = ownValue(readMetadata(object), field);
  return typeof value === "string" ? value : "";
}

/**
 * The labels or annotations of the metadata. As in Crossplane's CLI, where one value is no string (`n` is a boolean in YAML)
 * there are none.
 */
export function metadataMap(object: JsonObject, field: "labels" | "annotations"): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(readMetadata(object), field));
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return strings.length === entries.length ? Object.fromEntries(strings) : {};
}

/** A copy of the object with these fields in its metadata. As in Go, an empty string is no value: the field goes. */
export function withMetadata(object: JsonObject, fields: Readonly<Record<string, JsonValue>>): JsonObject {
  const entries = Object.entries({ ...readMetadata(object), ...fields }).filter(
    ([key, value]) => !(key in fields && value === ""),
  );
  return entries.length === 0 ? object : { ...object, metadata: Object.fromEntries(entries) };
}
