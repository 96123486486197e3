import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { documentOf } from "../../src/model/document.ts";
import { type FieldPath, valueAt } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyPlainRequest } from "../../testing/wire/plain.ts";
import { anyStruct } from "./any-bytes.ts";
import * as arbitrary from "./arbitraries.ts";
import { concat, contentsOf, entry, field, list, string, struct, texts } from "./bytes.ts";
import { wireDocument } from "./reading.ts";

/** Each path on a document of its own: once the whole of it is read, `at` no longer looks into the bytes. */
function expectEveryPath(bytes: Buffer, object: JsonObject, others: readonly (readonly (string | number)[])[]): void {
  const found: [string, JsonValue | undefined][] = [];
  const expected: [string, JsonValue | undefined][] = [];
  for (const path of [...arbitrary.pathsIn(object), ...others]) {
    found.push([JSON.stringify(path), wireDocument(bytes).at(path)]);
    expected.push([JSON.stringify(path), valueAt(object, path)]);
  }
  expect(found).toEqual(expected);
}

const step = fc.oneof(arbitrary.key, fc.nat({ max: 3 }), fc.constantFrom(-1, 0.5, Number.NaN));
const anyPath = fc.array(step, { maxLength: 4 });

describe("a value looked up in a document's bytes", () => {
  const encodedByProtobufjs = (object: JsonObject): Buffer => {
    const [input = Buffer.alloc(0)] = contentsOf(encodeRequest({ ...emptyPlainRequest, input: object }), 4);
    return input;
  };

  test.each<[string, Arbitrary<Buffer>]>([
    ["is the one that the whole document has there", arbitrary.object.map(encodedByProtobufjs)],
    ["is so in whatever bytes are a document", anyStruct],
  ])("%s", (_, documents) => {
    const property = fc.property(documents, fc.array(anyPath, { maxLength: 4 }), (bytes, paths) =>
      expectEveryPath(bytes, wireDocument(bytes).toObject(), paths),
    );
    fc.assert(property, { ...arbitrary.parameters, numRuns: 1000 });
  });

  const item = (text: string) => field(1, string(text));
  const entryLike = field(1, field(1, "a"), field(2, string("w")));
  const [listOfV, structOfV] = [list(string("v")), struct(texts({ b: "v" }))];
  test.each<[string, Buffer, path: FieldPath, is?: string]>([
    ["a key after a value that is like an entry", field(1, field(1, "a"), field(2, string("v")), entryLike), ["a"]],
    ["a list that another kind replaces", entry("a", concat(listOfV, string("w"))), ["a", 0]],
    ["a list that goes on", entry("a", concat(listOfV, list(string("w")))), ["a", 1], "w"],
    ["a list with an unknown field in it", entry("a", field(6, item("v"), field(77), item("w"))), ["a", 1], "w"],
    ["a struct that goes on", entry("a", concat(structOfV, struct(texts({ b: "w" })))), ["a", "b"], "w"],
  ])("is that of %s", (_, bytes, path, is) => {
    expect([wireDocument(bytes).at(path), valueAt(wireDocument(bytes).toObject(), path)]).toEqual([is, is]);
  });

  test("is found again after the whole document was read", () => {
    fc.assert(
      fc.property(arbitrary.object, anyPath, (object, path) => {
        const document = wireDocument(encodedByProtobufjs(object));
        document.toObject();
        expect(document.at(path)).toEqual(documentOf(object).at(path));
      }),
      arbitrary.parameters,
    );
  });

  test("is checked only as far as it is read: what comes later may be broken", () => {
    const bytes = encodedByProtobufjs({ a: [1, 2] });
    const broken = entry("a", field(6, field(1, string("one")), field(1, "\u001a\u007f")));
    expect(wireDocument(bytes).at(["a", 1])).toBe(2);
    expect(wireDocument(broken).at(["a", 0])).toBe("one");
    expect(() => wireDocument(broken).toObject()).toThrow("a field longer than its message");
  });
});

/** A key, and others that differ from it in one character, or have one more or less. */
const similar = (key: string): readonly string[] => {
  const changed = Array.from(key, (_, i) => `${key.slice(0, i)}-${key.slice(i + 1)}`);
  return [...changed, `${key}x`, `x${key}`, key.slice(1)];
};

describe("a key that is looked for is not taken for another one", () => {
  test.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 58, 59, 127, 128, 320, 321])("of %i bytes", (length) => {
    const key = "abcdefghij".repeat(33).slice(0, length);
    const others = similar(key).filter((other) => other !== key);
    const entries = others.map((other) => entry(other, string("another's")));
    const without = wireDocument(Buffer.concat(entries));
    const among = [0, 1, entries.length].map((place) =>
      wireDocument(Buffer.concat(entries.toSpliced(place, 0, entry(key, string("its own"))))),
    );
    expect(without.at([key])).toBeUndefined();
    for (const document of among) expect(document.at([key])).toBe("its own");
  });

  test("of characters that take several bytes", () => {
    const keys = ["é", "è", "日", "😀", "e"];
    const document = wireDocument(Buffer.concat(keys.map((key) => entry(key, string(key)))));
    expect([...keys, "e\u0301"].map((key) => document.at([key]))).toEqual([...keys, undefined]);
  });
});
