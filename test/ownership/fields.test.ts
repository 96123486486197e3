import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import { hashText } from "../../src/model/hash.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { findReferred, textAt } from "../../src/ownership/fields.ts";

const managed = (forProvider: JsonObject, status: JsonObject = {}) => documentOf({ spec: { forProvider }, status });
const synced = { conditions: [{ type: "Synced", status: "True" }] };

describe("the text of a field", () => {
  const path = ["spec", "forProvider", "parent", "id"];
  const textOf = (desired: JsonObject, observed?: JsonObject) =>
    textAt({ desired: managed(desired), observed: observed && managed(observed) }, path);

  test.each<{ reason: string; desired: JsonObject; observed?: JsonObject; is: string | undefined }>([
    { reason: "a text", desired: { parent: { id: "a" } }, is: "a" },
    { reason: "a number, as the text of its digits", desired: { parent: { id: 7 } }, is: "7" },
    { reason: "false, which is set", desired: { parent: { id: false } }, is: "false" },
    { reason: "null, which is not set", desired: { parent: { id: null } }, is: "" },
    { reason: "not set", desired: { parent: {} }, is: "" },
    { reason: "not set, since its block is a text", desired: { parent: "a" }, is: "" },
    { reason: "not set, whatever is observed", desired: { parent: {} }, observed: { parent: { id: "b" } }, is: "" },
    { reason: "in a block that is a list", desired: { parent: [{ id: "a" }, { id: "b" }] }, is: "a" },
    {
      reason: "an object, by its sorted keys",
      desired: { parent: { id: { b: 2, a: [1, { d: 4, c: 3 }] } } },
      is: '{"a":[1,{"c":3,"d":4}],"b":2}',
    },
    { reason: "referred to and not observed", desired: { parent: { idRef: { name: "a" } } }, is: undefined },
    {
      reason: "selected and not resolved",
      desired: { parent: { idSelector: {} } },
      observed: { parent: { idSelector: {} } },
      is: undefined,
    },
    {
      reason: "referred to and resolved",
      desired: { parent: { idRef: { name: "a" } } },
      observed: { parent: { id: "id-of-a" } },
      is: "id-of-a",
    },
  ])("is $is where it is $reason", ({ desired, observed, is }) => {
    expect(textOf(desired, observed)).toBe(is);
  });
});

describe("the fields that are referred to", () => {
  test.each<{
    reason: string;
    desired: JsonObject;
    observed?: JsonObject;
    status?: JsonObject;
    are: readonly unknown[];
  }>([
    { reason: "there are none", desired: { region: "r", tags: { a: "b" } }, are: [] },
    { reason: "it is not resolved", desired: { roleArnRef: { name: "a" } }, are: ["roleArn", undefined] },
    {
      reason: "the pipeline sets the value as well",
      desired: { roleArn: "a", roleArnRef: { name: "a" } },
      observed: { roleArn: "b" },
      are: ["roleArn", "a"],
    },
    {
      reason: "the observed one is resolved",
      desired: { roleArnSelector: {} },
      observed: { roleArn: "b" },
      are: ["roleArn", "b"],
    },
    {
      reason: "only the observed one refers",
      desired: {},
      observed: { vpcId: "v", vpcIdRef: {} },
      are: ["vpcId", "v"],
    },
    { reason: "it is a list", desired: { subnetIds: ["1", "2"], subnetIdRefs: [] }, are: ["subnetId", '["1","2"]'] },
    {
      reason: "there are several, in blocks, too",
      desired: {
        z: "1",
        zRef: {},
        block: [
          { a: "2", aSelector: {} },
          { a: "3", aRef: {} },
        ],
      },
      are: ["block[0].a", "2", "block[1].a", "3", "z", "1"],
    },
    {
      reason: "it has no field beside it, and the provider has looked",
      desired: { podSelector: {} },
      observed: {},
      status: synced,
      are: ["pod", ""],
    },
    {
      reason: "it has no field beside it, and the provider has not looked",
      desired: { podSelector: {} },
      observed: {},
      are: ["pod", undefined],
    },
    {
      reason: "one is in another, and what is in that one counts by its text only",
      desired: { a: { b: { c: "1", cRef: {} }, bRef: {} }, aRef: {} },
      are: ["a", '{"b":{"c":"1","cRef":{}},"bRef":{}}', "a[0].b", '{"c":"1","cRef":{}}'],
    },
    {
      reason: "the path is so long that it is hashed",
      desired: { ["a".repeat(513)]: [{ id: "1", idRef: {} }] },
      are: [`${hashText("a".repeat(513))}[0].id`, "1"],
    },
    {
      reason: "they hold values or choose a provider",
      desired: { passwordSecretRef: {}, settingsConfigMapRef: {}, providerConfigRef: {}, secretRef: {} },
      are: [],
    },
  ])("are $are where $reason", ({ desired, observed, status = {}, are }) => {
    const resource = { desired: managed(desired), observed: observed && managed(observed, status) };
    expect(findReferred(resource)).toEqual(are);
  });
});

const nested = (levels: number, innermost: JsonObject): JsonObject =>
  Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ a: inner, aRef: {} }), innermost);

test.each<[string, JsonObject]>([
  ["nested", nested(990, { a: "a".repeat(100_000) })],
  ["below a long name", { ["a".repeat(100_000)]: Array.from({ length: 3000 }, () => ({ a: 1, aRef: {} })) }],
])("what is hashed grows with the bytes, and not with their product, where references are %s", (_, desired) => {
  const texts = findReferred({ desired: managed(desired), observed: undefined });
  expect(JSON.stringify(texts).length).toBeLessThan(10 * JSON.stringify(desired).length);
});

test.each([
  { count: 9000, isKnown: true },
  { count: 11_000, isKnown: false },
])("of $count fields, those that are referred to are known: $isKnown", ({ count, isKnown }) => {
  const fields = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field-${index}`, "text"]));
  const [small, large] = [managed({ topic: "a", topicRef: {} }), managed({ ...fields, topic: "a", topicRef: {} })];
  const found = [
    findReferred({ desired: large, observed: undefined }),
    findReferred({ desired: small, observed: large }),
  ];
  expect(found.map((texts) => !texts.includes(undefined))).toEqual([isKnown, isKnown]);
});
