import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { WireDocument } from "../../src/wire/document.ts";
import { toBytes } from "../../src/wire/slice.ts";
import { double, entry, field, group, list, number, string, struct } from "./bytes.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

const read = (bytes: Buffer) => new WireDocument({ bytes: toBytes(bytes), start: 0, end: bytes.length }).toObject();

const own = (key: string, value: JsonValue) => Object.fromEntries([[key, value]]);

describe("keys that were read before are not taken for others", () => {
  /** More keys than are remembered. */
  const count = 5000;
  const numbers = Array.from({ length: count }, (_, i) => i.toString(36));

  test.each([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 59, 60, 61, 100])(
    "%i bytes long, differing at the end, the start or in between",
    (length) => {
      const [atEnd, atStart] = [numbers.map((n) => n.padStart(length, "x")), numbers.map((n) => n.padEnd(length, "x"))];
      const between = numbers.map((n) => `${"x".repeat(length >> 1)}${n}`.padEnd(length, "x"));
      const keys = [...new Set([...atEnd, ...atStart, ...between].filter((key) => key.length === length))];
      const bytes = Buffer.concat(keys.map((key) => entry(key, string(key))));
      const expected = Object.fromEntries(keys.map((key) => [key, key]));
      expect([read(bytes), read(bytes)]).toEqual([expected, expected]);
    },
  );
});

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
    {
      // Its length has two bytes, of which the second looks like a key's tag, and its key has what looks like a value.
      reason: "a long entry that could be read as a short one",
      bytes: entry("123456789\x12|987654321", string("x".repeat(1290 - 22 - 3 - 3))),
      is: own("123456789\x12|987654321", "x".repeat(1290 - 22 - 3 - 3)),
    },
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
