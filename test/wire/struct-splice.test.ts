import fc from "fast-check";
import { expect, test } from "vitest";
import { withValueAt } from "../../src/model/field-path.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { readStruct } from "../../src/wire/struct-reader.ts";
import { writeStructWith } from "../../src/wire/struct-splice.ts";
import { writeStruct } from "../../src/wire/struct-writer.ts";
import { Writer } from "../../src/wire/writer.ts";
import * as arbitrary from "./arbitraries.ts";
import { choices, unusualStruct } from "./unusual.ts";

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 21, numRuns: 500 };

const encoded = (object: JsonObject): Buffer => {
  const writer = new Writer(16);
  writeStruct(writer, object);
  return writer.finish();
};

function spliced(bytes: Buffer, path: readonly (string | number)[], value: string): JsonObject {
  const writer = new Writer(16);
  writeStructWith(writer, { bytes, start: 0, end: bytes.length }, path, value);
  const result = writer.finish();
  return readStruct(result, 0, result.length);
}

/** The result of either, or what it threw. */
function outcomeOf(work: () => JsonObject): unknown {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
}

const somePath = fc.array(fc.oneof(arbitrary.key, fc.nat({ max: 2 })), { minLength: 1, maxLength: 4 });

/** Mostly paths that are there, or begin with one that is. */
const pathFor = (object: JsonObject) => {
  const paths = arbitrary.pathsIn(object).filter((path) => path.length > 0);
  return paths.length === 0 ? somePath : fc.oneof(fc.constantFrom(...paths), somePath);
};

const cases = arbitrary.object.chain((object) => fc.tuple(fc.constant(object), pathFor(object)));

test("a value spliced into a Struct's bytes is the one set in the object", () => {
  const property = fc.property(cases, ([object, path]) => {
    const expected = outcomeOf(() => withValueAt(object, path, "new"));
    const found = outcomeOf(() => spliced(encoded(object), path, "new"));
    // An error names the part of the path that was left where it was met.
    expect(typeof expected === "string" ? typeof found : found).toEqual(
      typeof expected === "string" ? "string" : expected,
    );
  });
  fc.assert(property, parameters);
});

test("is so however unusually the Struct is encoded", () => {
  const property = fc.property(cases, choices, ([object, path], choose) => {
    const expected = outcomeOf(() => withValueAt(object, path, "new"));
    const found = outcomeOf(() => spliced(unusualStruct(object, choose()), path, "new"));
    expect(typeof expected === "string" ? typeof found : found).toEqual(
      typeof expected === "string" ? "string" : expected,
    );
  });
  fc.assert(property, parameters);
});

test("what is not on the path is copied byte for byte", () => {
  const other = encoded({ spec: { a: [1, null, "x"] } });
  const bytes = Buffer.concat([other, encoded({ metadata: { labels: { a: "b" } } })]);
  const writer = new Writer(16);
  writeStructWith(writer, { bytes, start: 0, end: bytes.length }, ["metadata", "annotations", "a"], "b");
  expect(writer.finish().includes(other)).toBe(true);
});
