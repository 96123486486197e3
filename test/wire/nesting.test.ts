import { describe, expect, test } from "vitest";
import { WireDocument } from "../../src/wire/document.ts";
import { toBytes } from "../../src/wire/slice.ts";
import { deepStruct, entry, group, list, nested, string } from "./bytes.ts";
import { invalid, thrownBy } from "./thrown.ts";

const wireDocument = (bytes: Buffer) => new WireDocument({ bytes: toBytes(bytes), start: 0, end: bytes.length });
const read = (bytes: Buffer) => wireDocument(bytes).toObject();

describe("nesting", () => {
  const lists = (depth: number) =>
    entry(
      "a",
      nested(depth - 1, (inner) => list(inner), Buffer.alloc(0)),
    );
  const path = (length: number) => new Array<string>(length).fill("a");
  const at = (bytes: Buffer, length: number) => wireDocument(bytes).at(path(length));
  const besideDeep = Buffer.concat([deepStruct(1001), entry("b", string("v"))]);

  test.each([
    {
      reason: "structs as deep as is allowed",
      run: () => JSON.stringify(read(deepStruct(1000))).length,
      is: 1000 * 6 - 4,
    },
    { reason: "structs one deeper", run: () => read(deepStruct(1001)), is: invalid("nesting deeper than 1000") },
    {
      reason: "a hundred thousand structs",
      run: () => read(deepStruct(100_000)),
      is: invalid("nesting deeper than 1000"),
    },
    { reason: "lists as deep as is allowed", run: () => JSON.stringify(read(lists(1000))).length, is: 6 + 2 * 999 + 4 },
    { reason: "lists one deeper", run: () => read(lists(1001)), is: invalid("nesting deeper than 1000") },
    {
      reason: "a value looked up at the bottom",
      run: () => at(deepStruct(1000, entry("a", string("v"))), 1000),
      is: "v",
    },
    { reason: "one below it", run: () => at(deepStruct(1001, entry("a", string("v"))), 1001), is: undefined },
    { reason: "the half of a document that is too deep", run: () => at(deepStruct(1001), 500), is: undefined },
    { reason: "one at the bottom of a hundred thousand", run: () => at(deepStruct(100_000), 99_999), is: undefined },
    { reason: "the struct at the top of a hundred thousand", run: () => at(deepStruct(100_000), 1), is: undefined },
    { reason: "what stands for it", run: () => wireDocument(deepStruct(1001)).at(["a"], "deep"), is: "deep" },
    { reason: "what stands for the whole", run: () => wireDocument(deepStruct(1001)).at([], "deep"), is: "deep" },
    {
      reason: "what stands for what was edited below",
      run: () =>
        wireDocument(deepStruct(1001))
          .with([{ path: ["a", "b"], value: 1 }])
          .at(["a"], "deep"),
      is: "deep",
    },
    { reason: "a field beside it", run: () => wireDocument(besideDeep).at(["b"], "deep"), is: "v" },
    {
      reason: "bytes in it that are no Struct",
      run: () => at(deepStruct(900, Buffer.from([0x80])), 1),
      is: invalid("a truncated varint"),
    },
    { reason: "a path longer than the document is deep", run: () => at(deepStruct(10), 100_000), is: undefined },
    {
      reason: "groups as deep as is allowed",
      run: () => read(nested(100, (inner) => group(9, inner), Buffer.alloc(0))),
      is: {},
    },
    {
      reason: "groups one deeper",
      run: () => read(nested(101, (inner) => group(9, inner), Buffer.alloc(0))),
      is: invalid("groups nested too deeply"),
    },
    {
      reason: "a hundred thousand groups",
      run: () => read(Buffer.alloc(100_000, 0x4b)),
      is: invalid("groups nested too deeply"),
    },
  ])("$reason", ({ run, is }) => {
    expect(thrownBy(run)).toEqual(is);
  });
});
