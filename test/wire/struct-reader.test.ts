import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { concat, double, entry, field, list, number, string, struct, texts } from "./bytes.ts";
import { read } from "./reading.ts";

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

  test("whose characters have the numbers of its bytes", () => {
    for (let i = 0; i < 1000; i++) {
      for (const key of [`\u00c3\u00a9-${i}`, `\u00e9-${i}`])
        expect(read(entry(key, string("v")))).toEqual({ [key]: "v" });
    }
  });
});

/** What no arbitrary object of struct-lookup.test.ts has, however unusually that encodes it. */
describe("a Struct", () => {
  const looksShort = "123456789\x12|987654321";
  const rest = "x".repeat(1290 - 22 - 3 - 3);
  test.each([
    ["nothing at all", Buffer.alloc(0), {}],
    ["numbers that JSON does not know", entry("a", double(2, Number.NaN)), { a: Number.NaN }],
    ["an enum's value that nobody knows", entry("a", number(1, 7)), { a: null }],
    // Its length has two bytes, of which the second looks like a key's tag, and its key has what looks like a value.
    ["a long entry that could be read as a short one", entry(looksShort, string(rest)), own(looksShort, rest)],
    ["a key `__proto__`", entry("__proto__", struct(texts({ polluted: "v" }))), own("__proto__", { polluted: "v" })],
    ["it, twice", concat(entry("__proto__", string("1")), entry("__proto__", string("2"))), own("__proto__", "2")],
    ["a known field of another wire type is unknown", concat(number(1, 5), entry("a", number(3, 5))), { a: null }],
  ])("may hold %s", (_, bytes, is) => {
    expect(read(bytes)).toEqual(is);
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  const [one, other] = [struct(texts({ a: "1" })), struct(texts({ b: "2" }))];
  const [withStruct, withNothing] = [struct(entry("a", one)), struct(entry("a", struct()))];
  /** protobufjs takes the last of two messages; the specification merges them: "as if the messages had been concatenated". */
  test.each([
    ["structs, by key", [one, other], { a: "1", b: "2" }],
    ["structs with the same key, whose value is replaced", [withStruct, withNothing], { a: {} }],
    ["but not over another kind between them", [one, string("v"), other], { b: "2" }],
    ["but not a list into a struct", [one, list(string("2"))], ["2"]],
    ["a kind that stays where nothing follows it", [string("v"), Buffer.alloc(0)], "v"],
  ])("given twice is merged: %s", (_, value, is) => {
    expect(read(entry("v", Buffer.concat(value)))).toEqual({ v: is });
    const values = value.map((part) => field(2, part));
    expect(read(field(1, field(1, "v"), ...values))).toEqual({ v: is });
  });
});
