import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/model/json.ts";
import { concat, double, entry, field, list, number, string, struct, texts } from "./bytes.ts";
import { read } from "./reading.ts";

/** Where codecs go wrong, told in bytes. Where protobufjs and the specification disagree, the specification (and Go) wins. */

const own = (key: string, value: JsonValue) => Object.fromEntries([[key, value]]);

/** What no arbitrary object of struct-lookup.test.ts has, however unusually that encodes it. */
describe("a Struct", () => {
  test.each([
    ["nothing at all", Buffer.alloc(0), {}],
    ["numbers that JSON does not know", entry("a", double(2, Number.NaN)), { a: Number.NaN }],
    ["an enum's value that nobody knows", entry("a", number(1, 7)), { a: null }],
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
