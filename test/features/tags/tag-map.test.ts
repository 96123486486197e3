import { describe, expect, test } from "vitest";
import { fromTagMap, readShape, toTagMap } from "../../../src/features/tags/tag-map.ts";
import type { JsonValue } from "../../../src/model/json.ts";

describe("the tags of a field", () => {
  test.each<{ reason: string; field: JsonValue | undefined; tags: Record<string, string> | undefined }>([
    {
      reason: "a map",
      field: { a: "1", count: 2, spot: true, none: null, list: [] },
      tags: { a: "1", count: "2", spot: "true" },
    },
    { reason: "a list", field: [{ key: "a", value: "1" }], tags: { a: "1" } },
    { reason: "a list as KMS has it", field: [{ tagKey: "a", tagValue: "1" }], tags: { a: "1" } },
    { reason: "a list without values", field: [{ key: "a" }, { other: "b" }, "c"], tags: { a: "" } },
    { reason: "a text", field: "a=1", tags: undefined },
  ])("are $tags when it holds $reason", ({ field, tags }) => {
    const found = toTagMap(field);
    expect(found && Object.fromEntries(found)).toEqual(tags);
  });
});

const tags = new Map(Object.entries({ b: "2", a: "1" }));
const aws = (tagKey: string, tagValue: string) => ({ tagKey, tagValue, propagateAtLaunch: true });
const sorted = Object.entries({ a: "1", b: "2" }).map(([key, value]) => ({ key, value }));
test.each<[reason: string, like: JsonValue | undefined, field: JsonValue]>([
  ["a field that is not set becomes a sorted map", undefined, { a: "1", b: "2" }],
  ["an empty list becomes a sorted list", [], sorted],
  ["a list keeps its order and other fields", [aws("b", "old"), aws("c", "x")], [aws("b", "2"), aws("a", "1")]],
])("tags are written in the shape of the field: %s", (_reason, like, field) => {
  expect(JSON.stringify(fromTagMap(tags, like))).toBe(JSON.stringify(field));
});

const listOf = (...names: readonly string[]) => ({
  type: "array",
  items: { properties: Object.fromEntries(names.map((name) => [name, {}])) },
});
test.each<[field: string, schema: JsonValue | undefined, shape: JsonValue | undefined]>([
  ["a map", { type: "object", additionalProperties: { type: "string" } }, {}],
  ["a list of keys and values", listOf("key", "value"), [{ key: "" }]],
  ["a list as KMS has it", listOf("other", "tagKey", "tagValue"), [{ tagKey: "" }]],
  ["no tags: an object with fields of its own", { type: "object", properties: { a: {} } }, undefined],
  ["no tags: a list of keys without values", listOf("key"), undefined],
  ["no tags: a list of values without keys", listOf("value"), undefined],
  ["no tags: a list of texts", { type: "array", items: { type: "string" } }, undefined],
  ["no tags: a field that the schema does not have", undefined, undefined],
])("a schema tells that a field holds %s", (_field, schema, shape) => {
  expect(readShape(schema)).toEqual(shape);
});
