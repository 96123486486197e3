import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { concat, double, entry, field, group, list, number, string, struct, texts } from "./bytes.ts";
import { read } from "./documents.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

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
    ["nothing at all", Buffer.alloc(0), {}],
    ["an empty struct inside", entry("a", struct()), { a: {} }],
    ["an empty list inside", entry("a", list()), { a: [] }],
    ["a Value without a kind is null", entry("a", Buffer.alloc(0)), { a: null }],
    ["so is one in a list", entry("a", list(Buffer.alloc(0))), { a: [null] }],
    ["an empty string", entry("a", string("")), { a: "" }],
    ["negative zero", entry("a", double(2, -0)), { a: -0 }],
    ["numbers that JSON does not know", entry("a", double(2, Number.NaN)), { a: Number.NaN }],
    ["true is whatever is not zero", entry("a", number(4, 2n ** 63n)), { a: true }],
    ["an enum's value that nobody knows", entry("a", number(1, 7)), { a: null }],
    ["a value before its key", field(1, field(2, string("v")), field(1, "a")), { a: "v" }],
    ["an entry without a key", field(1, field(2, string("v"))), { "": "v" }],
    ["an entry without a value", field(1, field(1, "a")), { a: null }],
    ["an entry without anything", field(1), { "": null }],
    // Its length has two bytes, of which the second looks like a key's tag, and its key has what looks like a value.
    [
      "a long entry that could be read as a short one",
      entry("123456789\x12|987654321", string("x".repeat(1290 - 22 - 3 - 3))),
      own("123456789\x12|987654321", "x".repeat(1290 - 22 - 3 - 3)),
    ],
    ["an entry with two keys: the last", field(1, field(1, "b"), field(1, "a")), { a: null }],
    ["a key twice: the last", concat(texts({ a: "1" }), texts({ a: "2" })), { a: "2" }],
    ["a Value's kind twice: the last", entry("a", concat(string("v"), number(4, 0))), { a: false }],
    [
      "a key `__proto__`",
      entry("__proto__", struct(entry("polluted", number(4, 1)))),
      own("__proto__", { polluted: true }),
    ],
    ["it, twice", concat(entry("__proto__", string("1")), entry("__proto__", string("2"))), own("__proto__", "2")],
    [
      "names of Object's methods",
      concat(entry("toString", string("v")), entry("constructor", struct())),
      { toString: "v", constructor: {} },
    ],
    ["the replacement character itself", entry("\ufffd", string("\ufffd")), { "\ufffd": "\ufffd" }],
    ["a byte order mark", entry("\ufeff", string("\ufeff")), { "\ufeff": "\ufeff" }],
    ["a long key", entry("k".repeat(10_000), string("v")), own("k".repeat(10_000), "v")],
    ["a known field of another wire type is unknown", concat(number(1, 5), entry("a", number(3, 5))), { a: null }],
    ["an unknown group", concat(group(9, group(8, number(1, 1)), field(2, "x")), texts({ a: "v" })), { a: "v" }],
  ])("may hold %s", (_, bytes, is) => {
    expect(read(bytes)).toEqual(is);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  /** protobufjs takes the last of two messages; the specification merges them: "as if the messages had been concatenated". */
  test.each([
    ["structs, by key", [struct(texts({ a: "1" })), struct(texts({ b: "2" }))], { a: "1", b: "2" }],
    [
      "structs with the same key, whose value is replaced",
      [struct(entry("a", struct(texts({ b: "1" })))), struct(entry("a", struct()))],
      { a: {} },
    ],
    [
      "structs with `__proto__`",
      [struct(entry("__proto__", string("1"))), struct(texts({ a: "2" }))],
      { ...own("__proto__", "1"), a: "2" },
    ],
    ["lists, one after the other", [list(string("1")), list(string("2"))], ["1", "2"]],
    [
      "but not over another kind between them",
      [struct(texts({ a: "1" })), string("v"), struct(texts({ b: "2" }))],
      { b: "2" },
    ],
    ["but not a list into a struct", [struct(texts({ a: "1" })), list(string("2"))], ["2"]],
    ["a kind that stays where nothing follows it", [string("v"), Buffer.alloc(0)], "v"],
  ])("given twice is merged: %s", (_, value, is) => {
    expect(read(entry("v", Buffer.concat(value)))).toEqual({ v: is });
    const values = value.map((part) => field(2, part));
    expect(read(field(1, field(1, "v"), ...values))).toEqual({ v: is });
  });
});
