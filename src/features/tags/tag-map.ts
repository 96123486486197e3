import { valueAt } from "../../model/field-path.ts";
import { isList, isObject, type JsonObject, type JsonValue, toPlainText, toSortedObject } from "../../model/json.ts";

/** Tags by key, whatever shape a kind's field has. */
export type TagMap = ReadonlyMap<string, string>;

/** The shapes of a tag in a list: {key, value}, {tagKey, tagValue} in AWS KMS, and so on. */
const LIST_SHAPES = [
  { key: "key", value: "value" },
  { key: "tagKey", value: "tagValue" },
  { key: "Key", value: "Value" },
  { key: "name", value: "value" },
  { key: "tag", value: "value" }, // Redshift's Cluster of provider-aws
] as const;

/** Tells whether a value holds tags: it is a map, or a list that is empty or has objects. */
export const holdsTags = (field: JsonValue | undefined, mayBeList = true): field is JsonObject | readonly JsonValue[] =>
  isObject(field) || (mayBeList && isList(field) && (field.length === 0 || field.some(isObject)));

/**
 * Reads the tags in a map or a list of objects; undefined for another value. Numbers and booleans count as
 * their text: earlier steps may desire them, though the API server would refuse them. Ignores objects, lists and null.
 */
export function toTagMap(field: JsonValue | undefined): TagMap | undefined {
  if (!holdsTags(field)) return undefined;
  return isObject(field) ? textsIn(field) : new Map(field.filter(isObject).flatMap(readTagEntry));
}

/**
 * Reads the shape of tags from a field's OpenAPI schema, as an empty map or a list of one item for `fromTagMap`; undefined for a
 * field without tags, such as the list of texts in Azure's NamedValue.
 */
export function readShape(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(schema)) return undefined;
  if (schema["type"] !== "array") return schema["properties"] === undefined ? {} : undefined;
  const properties = valueAt(schema, ["items", "properties"]);
  const has = (name: string): boolean => isObject(properties) && Object.hasOwn(properties, name);
  const shape = LIST_SHAPES.find(({ key, value }) => has(key) && has(value));
  return shape && [{ [shape.key]: "" }];
}

/** Reads a map of tags, without a list of its entries: there may be tens of thousands. */
function textsIn(field: JsonObject): TagMap {
  const texts = new Map<string, string>();
  for (const key of Object.keys(field)) {
    const value = field[key];
    if (typeof value !== "object" && value !== undefined) texts.set(key, toPlainText(value));
  }
  return texts;
}

function readTagEntry(item: JsonObject): readonly (readonly [string, string])[] {
  const shape = LIST_SHAPES.find(({ key }) => typeof item[key] === "string");
  const [key, value] = shape === undefined ? [] : [item[shape.key], item[shape.value] ?? ""];
  return typeof key === "string" && value !== undefined && typeof value !== "object" ? [[key, toPlainText(value)]] : [];
}

/**
 * Converts tags to the shape of `like`: a map, or a list. Items of a list keep their order and their other fields, such as
 * propagateAtLaunch of an AutoScalingGroup. New items follow, sorted, with the other fields of the first item.
 */
export function fromTagMap(tags: TagMap, like: JsonValue | undefined): JsonValue {
  if (!Array.isArray(like)) return toSortedObject(tags);
  const items: readonly JsonObject[] = like.filter(isObject);
  const shape = LIST_SHAPES.find(({ key }) => items.some((item) => typeof item[key] === "string")) ?? LIST_SHAPES[0];
  const before = new Map(items.map((item) => [toPlainText(item[shape.key]), item]));
  const kept = [...before.keys()].filter((key) => tags.has(key));
  const added = [...tags.keys()].filter((key) => !before.has(key)).sort();
  const first = items[0] ?? {};
  return [...kept, ...added].map((key) => ({
    ...(before.get(key) ?? first),
    [shape.key]: key,
    [shape.value]: tags.get(key) ?? "",
  }));
}

export function isSameTags(a: TagMap, b: TagMap): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
