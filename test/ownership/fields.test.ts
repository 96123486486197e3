import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import { hashText } from "../../src/model/hash.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { textAt } from "../../src/ownership/fields.ts";
import { findReferred } from "../../src/ownership/unknown-kind.ts";

const managed = (forProvider: JsonObject, status: JsonObject = {}) => documentOf({ spec: { forProvider }, status });
const synced = { conditions: [{ type: "Synced", status: "True" }] };

const path = ["spec", "forProvider", "parent", "id"];
const textOf = (desired: JsonObject, observed?: JsonObject) =>
  textAt({ desired: managed(desired), observed: observed && managed(observed) }, path);

const [byName, selected] = [{ parent: { idRef: { name: "a" } } }, { parent: { idSelector: {} } }];
const unsorted = { parent: { id: { b: 2, a: [1, { d: 4, c: 3 }] } } };
const resolved = { parent: { idRef: { name: "a" }, id: "id-of-a" } };
test.each<[reason: string, is: string | undefined, desired: JsonObject, observed?: JsonObject]>([
  ["a text", "a", { parent: { id: "a" } }],
  ["a number, as the text of its digits", "7", { parent: { id: 7 } }],
  ["false, which is set", "false", { parent: { id: false } }],
  ["null, which is not set", "", { parent: { id: null } }],
  ["not set", "", { parent: {} }],
  ["not set, since its block is a text", "", { parent: "a" }],
  ["not set, whatever is observed", "", { parent: {} }, { parent: { id: "b" } }],
  ["in a block that is a list", "a", { parent: [{ id: "a" }, { id: "b" }] }],
  ["an object, by its sorted keys", '{"a":[1,{"c":3,"d":4}],"b":2}', unsorted],
  ["referred to and not observed", undefined, byName],
  ["selected and not resolved", undefined, selected, selected],
  ["referred to and resolved", "id-of-a", byName, resolved],
  ["referred to, and observed as it was before that", undefined, byName, { parent: { id: "id-of-b" } }],
])("the text of a field that is %s is %j", (_, is, desired, observed?: JsonObject) => {
  expect(textOf(desired, observed)).toBe(is);
});

describe("the fields that are referred to", () => {
  const texts = ["a", '{"b":{"c":"1","cRef":{}},"bRef":{}}', "a[0].b", '{"c":"1","cRef":{}}'];
  const nested = { a: { b: { c: "1", cRef: {} }, bRef: {} }, aRef: {} };
  const inList = ["a", '[{"b":{"c":"1","cRef":{}},"bRef":{}}]', "as[0].b", '{"c":"1","cRef":{}}'];
  const values = { passwordSecretRef: {}, settingsConfigMapRef: {}, providerConfigRef: {}, secretRef: {} };
  const pods = { podSelector: {} };
  const long = "a".repeat(513);
  const both = { roleArn: "a", roleArnRef: { name: "a" } };
  const selector = { roleArnSelector: {} };
  const blocks = {
    z: "1",
    zRef: {},
    block: [
      { a: "2", aSelector: {} },
      { a: "3", aRef: {} },
    ],
  };
  type Row = [reason: string, are: readonly unknown[], desired: JsonObject, observed?: JsonObject, status?: JsonObject];
  test.each<Row>([
    ["there are none", [], { region: "r", tags: { a: "b" } }],
    ["it is not resolved", ["roleArn", undefined], { roleArnRef: { name: "a" } }],
    ["the pipeline sets the value as well", ["roleArn", "a"], both, { roleArn: "b" }],
    ["the observed one is resolved", ["roleArn", "b"], selector, { roleArn: "b", ...selector }],
    ["the observed one is what was desired before", ["roleArn", undefined], selector, { roleArn: "b" }],
    ["only the observed one refers", ["vpcId", "v"], {}, { vpcId: "v", vpcIdRef: {} }],
    ["it is a list", ["subnetId", '["1","2"]'], { subnetIds: ["1", "2"], subnetIdRefs: [] }],
    ["there are several, in blocks, too", ["block[0].a", "2", "block[1].a", "3", "z", "1"], blocks],
    ["it has no field beside it, and the provider has looked", ["pod", ""], pods, {}, synced],
    ["it has no field beside it, and the provider has not looked", ["pod", undefined], pods, {}],
    ["one is in another, and what is in that one counts by its text only", texts, nested],
    ["one is in a list that is referred to", inList, { as: [{ b: { c: "1", cRef: {} }, bRef: {} }], aRefs: [] }],
    ["the path is so long that it is hashed", [`${hashText(long)}[0].id`, "1"], { [long]: [{ id: "1", idRef: {} }] }],
    ["they hold values or choose a provider", [], values],
  ])("are found where %s", (_, are, desired, observed?: JsonObject, status: JsonObject = {}) => {
    expect(findReferred({ desired: managed(desired), observed: observed && managed(observed, status) }).flat()).toEqual(
      are,
    );
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
  { count: 9000, where: "side by side", isKnown: true },
  { count: 11_000, where: "side by side", isKnown: false },
  { count: 9000, where: "in blocks", isKnown: true },
  { count: 11_000, where: "in blocks", isKnown: false },
])("of $count fields $where, those that are referred to are known: $isKnown", ({ count, where, isKnown }) => {
  const all = Array.from({ length: count }, (_, index) => [`field-${index}`, "text"] as const);
  const half = (from: number): JsonObject => Object.fromEntries(all.filter((_, index) => index % 2 === from));
  const fields = where === "in blocks" ? { a: half(0), b: [half(1)] } : { ...half(0), ...half(1) };
  const [small, large] = [managed({ topic: "a", topicRef: {} }), managed({ ...fields, topic: "a", topicRef: {} })];
  const found = [
    findReferred({ desired: large, observed: undefined }),
    findReferred({ desired: small, observed: large }),
  ];
  expect(found.map((fields) => !fields.flat().includes(undefined))).toEqual([isKnown, isKnown]);
});
