import { expect, test } from "vitest";
import { concat, deepStruct, entry, list, nested, texts } from "./bytes.ts";
import { invalid, read, thrownBy, wireDocument } from "./reading.ts";

const nothing = Buffer.alloc(0);
const lists = (depth: number) => entry("a", nested(depth - 1, list, nothing));
const edits = [{ path: ["a", "b"], value: 1 }];
const tooDeep = invalid("nesting deeper than 1000");
const path = (length: number) => new Array<string>(length).fill("a");
const at = (bytes: Buffer, length: number) => wireDocument(bytes).at(path(length));
const besideDeep = concat(deepStruct(1001), texts({ b: "v" }));

test.each([
  ["structs as deep as is allowed", () => JSON.stringify(read(deepStruct(1000))).length, 1000 * 6 - 4],
  ["structs one deeper", () => read(deepStruct(1001)), tooDeep],
  ["a hundred thousand structs", () => read(deepStruct(100_000)), tooDeep],
  ["lists as deep as is allowed", () => JSON.stringify(read(lists(1000))).length, 6 + 2 * 999 + 4],
  ["lists one deeper", () => read(lists(1001)), tooDeep],
  ["a value looked up at the bottom", () => at(deepStruct(1000, texts({ a: "v" })), 1000), "v"],
  ["one below it", () => at(deepStruct(1001, texts({ a: "v" })), 1001), undefined],
  ["the half of a document that is too deep", () => at(deepStruct(1001), 500), undefined],
  ["one at the bottom of a hundred thousand", () => at(deepStruct(100_000), 99_999), undefined],
  ["the struct at the top of a hundred thousand", () => at(deepStruct(100_000), 1), undefined],
  ["what stands for it", () => wireDocument(deepStruct(1001)).at(["a"], "deep"), "deep"],
  ["what stands for the whole", () => wireDocument(deepStruct(1001)).at([], "deep"), "deep"],
  ["what stands for what was edited", () => wireDocument(deepStruct(1001)).with(edits).at(["a"], "deep"), "deep"],
  ["a field beside it", () => wireDocument(besideDeep).at(["b"], "deep"), "v"],
  ["bytes that are no Struct", () => at(deepStruct(900, Buffer.from([0x80])), 1), invalid("a truncated varint")],
  ["a path longer than the document is deep", () => at(deepStruct(10), 100_000), undefined],
])("nesting: %s", (_, run, is) => {
  expect(thrownBy(run)).toEqual(is);
});
