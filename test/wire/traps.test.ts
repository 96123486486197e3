import { describe, expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import type { JsonValue } from "../../src/model/json.ts";
import { WireDocument } from "../../src/wire/document.ts";
import { readRequest } from "../../src/wire/request.ts";
import { decodeRequest } from "../support/oracle.ts";
import { deepStruct, double, entry, field, group, list, nested, number, string, struct, varint } from "./bytes.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

const read = (bytes: Buffer) => new WireDocument({ bytes, start: 0, end: bytes.length }).toObject();

const invalid = (what: RegExp) =>
  expect.objectContaining({ code: "InvalidMessage", message: expect.stringMatching(what) });

/** What `run` throws; a stack overflow and the like are no FunctionErrors. */
function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error instanceof FunctionError ? error : String(error);
  }
}

const own = (key: string, value: JsonValue) => Object.fromEntries([[key, value]]);

describe("a Struct", () => {
  test.each([
    { reason: "nothing at all", bytes: Buffer.alloc(0), is: {} },
    { reason: "an empty struct inside", bytes: entry("a", struct()), is: { a: {} } },
    { reason: "an empty list inside", bytes: entry("a", list()), is: { a: [] } },
    { reason: "a Value without a kind is null", bytes: entry("a", Buffer.alloc(0)), is: { a: null } },
    { reason: "so is one in a list", bytes: entry("a", list(Buffer.alloc(0))), is: { a: [null] } },
    { reason: "an empty string", bytes: entry("a", string("")), is: { a: "" } },
    { reason: "negative zero", bytes: entry("a", double(2, -0)), is: { a: -0 } },
    { reason: "numbers that JSON does not know", bytes: entry("a", double(2, Number.NaN)), is: { a: Number.NaN } },
    { reason: "true is whatever is not zero", bytes: entry("a", number(4, 2n ** 63n)), is: { a: true } },
    { reason: "an enum's value that nobody knows", bytes: entry("a", number(1, 7)), is: { a: null } },
    { reason: "a value before its key", bytes: field(1, field(2, string("v")), field(1, "a")), is: { a: "v" } },
    { reason: "an entry without a key", bytes: field(1, field(2, string("v"))), is: { "": "v" } },
    { reason: "an entry without a value", bytes: field(1, field(1, "a")), is: { a: null } },
    { reason: "an entry without anything", bytes: field(1), is: { "": null } },
    { reason: "an entry with two keys: the last", bytes: field(1, field(1, "b"), field(1, "a")), is: { a: null } },
    {
      reason: "a key twice: the last",
      bytes: Buffer.concat([entry("a", string("1")), entry("a", string("2"))]),
      is: { a: "2" },
    },
    {
      reason: "a Value's kind twice: the last",
      bytes: entry("a", Buffer.concat([string("v"), number(4, 0)])),
      is: { a: false },
    },
    {
      reason: "a key `__proto__`",
      bytes: entry("__proto__", struct(entry("polluted", number(4, 1)))),
      is: own("__proto__", { polluted: true }),
    },
    {
      reason: "it, twice",
      bytes: Buffer.concat([entry("__proto__", string("1")), entry("__proto__", string("2"))]),
      is: own("__proto__", "2"),
    },
    {
      reason: "names of Object's methods",
      bytes: Buffer.concat([entry("toString", string("v")), entry("constructor", struct())]),
      is: { toString: "v", constructor: {} },
    },
    {
      reason: "the replacement character itself",
      bytes: entry("\ufffd", string("\ufffd")),
      is: { "\ufffd": "\ufffd" },
    },
    { reason: "a byte order mark", bytes: entry("\ufeff", string("\ufeff")), is: { "\ufeff": "\ufeff" } },
    { reason: "a long key", bytes: entry("k".repeat(10_000), string("v")), is: own("k".repeat(10_000), "v") },
    {
      reason: "a known field of another wire type is unknown",
      bytes: Buffer.concat([number(1, 5), entry("a", number(3, 5))]),
      is: { a: null },
    },
    {
      reason: "an unknown group",
      bytes: Buffer.concat([group(9, group(8, number(1, 1)), field(2, "x")), entry("a", string("v"))]),
      is: { a: "v" },
    },
  ])("may hold $reason", ({ bytes, is }) => {
    expect(read(bytes)).toEqual(is);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  /** protobufjs takes the last of two messages; the specification merges them: "as if the messages had been concatenated". */
  test.each([
    {
      reason: "structs, by key",
      value: [struct(entry("a", string("1"))), struct(entry("b", string("2")))],
      is: { a: "1", b: "2" },
    },
    {
      reason: "structs with the same key, whose value is replaced",
      value: [struct(entry("a", struct(entry("b", string("1"))))), struct(entry("a", struct()))],
      is: { a: {} },
    },
    {
      reason: "structs with `__proto__`",
      value: [struct(entry("__proto__", string("1"))), struct(entry("a", string("2")))],
      is: { ...own("__proto__", "1"), a: "2" },
    },
    { reason: "lists, one after the other", value: [list(string("1")), list(string("2"))], is: ["1", "2"] },
    {
      reason: "but not over another kind between them",
      value: [struct(entry("a", string("1"))), string("v"), struct(entry("b", string("2")))],
      is: { b: "2" },
    },
    { reason: "but not a list into a struct", value: [struct(entry("a", string("1"))), list(string("2"))], is: ["2"] },
    { reason: "a kind that stays where nothing follows it", value: [string("v"), Buffer.alloc(0)], is: "v" },
  ])("given twice is merged: $reason", ({ value, is }) => {
    expect(read(entry("v", Buffer.concat(value)))).toEqual({ v: is });
    const values = value.map((part) => field(2, part));
    expect(read(field(1, field(1, "v"), ...values))).toEqual({ v: is });
  });
});

describe("a request's fields", () => {
  const resource = (...parts: readonly Buffer[]) => field(1, ...parts);
  const composed = (name: string, ...parts: readonly Buffer[]) => field(2, field(1, name), field(2, ...parts));
  const observedOf = (...parts: readonly Buffer[]) => {
    const { composite, resources } = readRequest(Buffer.concat(parts)).observed;
    return {
      composite: composite.document.toObject(),
      ready: composite.ready,
      resources: [...resources].map(([name, { document }]) => [name, document.toObject()]),
    };
  };
  const is = { composite: {}, ready: "Unspecified", resources: [] };

  test.each([
    {
      reason: "a State given twice is merged",
      parts: [field(2, composed("a", resource()), field(1, number(3, 1))), field(2, composed("b", resource()))],
      is: {
        ...is,
        ready: "True",
        resources: [
          ["a", {}],
          ["b", {}],
        ],
      },
    },
    {
      reason: "a composite given three times is merged",
      parts: [
        field(
          2,
          resource(number(3, 1)),
          field(1, field(1, entry("a", string("1")))),
          field(1, field(1, entry("b", string("2")))),
        ),
      ],
      is: { ...is, ready: "True", composite: { a: "1", b: "2" } },
    },
    {
      reason: "a resource's name given twice: the last",
      parts: [
        field(2, composed("a", field(1, entry("x", string("1")))), composed("a", field(1, entry("y", string("2"))))),
      ],
      is: { ...is, resources: [["a", { y: "2" }]] },
    },
    {
      reason: "a map entry's value given twice is merged",
      parts: [
        field(
          2,
          field(
            2,
            field(1, "a"),
            field(2, field(1, entry("x", string("1")))),
            field(2, field(1, entry("y", string("2")))),
          ),
        ),
      ],
      is: { ...is, resources: [["a", { x: "1", y: "2" }]] },
    },
    {
      reason: "an entry's value before its name, or without one",
      parts: [field(2, field(2, field(2, field(1, entry("x", string("1")))), field(1, "a")), field(2, field(2)))],
      is: {
        ...is,
        resources: [
          ["a", { x: "1" }],
          ["", {}],
        ],
      },
    },
    {
      reason: "names like any other",
      parts: [field(2, composed("__proto__", resource()), composed("constructor"), composed("", resource()))],
      is: {
        ...is,
        resources: [
          ["__proto__", {}],
          ["constructor", {}],
          ["", {}],
        ],
      },
    },
    {
      reason: "readiness given twice: the last",
      parts: [field(2, field(1, number(3, 1), number(3, 2)))],
      is: { ...is, ready: "False" },
    },
    { reason: "a readiness that nobody knows", parts: [field(2, field(1, number(3, 3)))], is },
    { reason: "a negative readiness", parts: [field(2, field(1, number(3, 2n ** 64n - 1n)))], is },
    {
      reason: "fields of other wire types are unknown",
      parts: [number(2, 1), field(2, number(1, 1), double(2, 1), field(1, field(3, varint(1))))],
      is,
    },
  ])("$reason", ({ parts, is }) => {
    expect(observedOf(...parts)).toEqual(is);
  });

  test.each([
    { reason: "packed", meta: [field(2, Buffer.from([1, 2]))] },
    { reason: "one by one", meta: [number(2, 1), number(2, 2)] },
    { reason: "both ways, with nothing packed between", meta: [field(2, varint(1)), field(2), number(2, 2)] },
    {
      reason: "with some that nobody knows",
      meta: [field(2, Buffer.from([1, 9, 0]), varint(2n ** 64n - 1n), varint(2))],
    },
  ])("capabilities come $reason", ({ meta }) => {
    expect(readRequest(field(1, ...meta)).capabilities).toEqual(new Set(["Capabilities", "RequiredResources"]));
  });

  test("are only those of the message: what surrounds it in its buffer is none of it", () => {
    const message = field(1, field(1, "tag"));
    const surrounded = Buffer.concat([field(1, field(1, "before")), message, field(1, field(1, "after"))]);
    const start = field(1, field(1, "before")).length;
    const part = new Uint8Array(surrounded.buffer, surrounded.byteOffset + start, message.length);
    expect(readRequest(part).tag).toBe("tag");
    expect(thrownBy(() => readRequest(part.subarray(0, -1)))).toEqual(invalid(/longer than its message/));
  });

  test("are named as the protocol's own codec names them where `__proto__` is a name", () => {
    const bytes = field(2, composed("__proto__", field(1, entry("__proto__", string("v")))));
    expect(decodeRequest(bytes).observed.resources).toEqual(
      new Map([["__proto__", { object: own("__proto__", "v"), ready: "Unspecified" }]]),
    );
  });
});

describe("nesting", () => {
  const lists = (depth: number) =>
    entry(
      "a",
      nested(depth - 1, (inner) => list(inner), Buffer.alloc(0)),
    );
  const path = (length: number) => new Array<string>(length).fill("a");
  const at = (bytes: Buffer, length: number) =>
    new WireDocument({ bytes, start: 0, end: bytes.length }).at(path(length));

  test.each([
    {
      reason: "structs as deep as is allowed",
      run: () => JSON.stringify(read(deepStruct(1000))).length,
      is: 1000 * 6 - 4,
    },
    { reason: "structs one deeper", run: () => read(deepStruct(1001)), is: invalid(/nesting deeper than 1000/) },
    {
      reason: "a hundred thousand structs",
      run: () => read(deepStruct(100_000)),
      is: invalid(/nesting deeper than 1000/),
    },
    { reason: "lists as deep as is allowed", run: () => JSON.stringify(read(lists(1000))).length, is: 6 + 2 * 999 },
    { reason: "lists one deeper", run: () => read(lists(1001)), is: invalid(/nesting deeper than 1000/) },
    {
      reason: "a value looked up at the bottom",
      run: () => at(deepStruct(1000, entry("a", string("v"))), 1000),
      is: "v",
    },
    {
      reason: "one below it",
      run: () => at(deepStruct(1001, entry("a", string("v"))), 1001),
      is: invalid(/nesting deeper/),
    },
    {
      reason: "one at the bottom of a hundred thousand",
      run: () => at(deepStruct(100_000), 99_999),
      is: invalid(/nesting deeper/),
    },
    {
      reason: "the struct at the top of a hundred thousand",
      run: () => at(deepStruct(100_000), 1),
      is: invalid(/nesting deeper/),
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
      is: invalid(/groups nested too deeply/),
    },
    {
      reason: "a hundred thousand groups",
      run: () => read(Buffer.alloc(100_000, 0x4b)),
      is: invalid(/groups nested too deeply/),
    },
  ])("$reason", ({ run, is }) => {
    expect(thrownBy(run)).toEqual(is);
  });
});
