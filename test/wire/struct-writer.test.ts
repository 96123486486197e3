import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Document, documentOf, type ValueEdit } from "../../src/model/document.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import type { FieldPath } from "../../src/model/field-path.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { WireDocument } from "../../src/wire/document.ts";
import { readRequest, type WireRequest } from "../../src/wire/request.ts";
import { writeResponse } from "../../src/wire/response.ts";
import { readStruct } from "../../src/wire/struct-reader.ts";
import { writeStruct } from "../../src/wire/struct-writer.ts";
import { Writer } from "../../src/wire/writer.ts";
import { decodeResponse } from "../../testing/wire/oracle.ts";
import { anyStruct, unknownField } from "./any-bytes.ts";
import * as arbitrary from "./arbitraries.ts";
import { concat, entry, field, list, number, string, struct, texts } from "./bytes.ts";
import { thrownBy, wireDocument } from "./reading.ts";

// Values set in a Struct's bytes, beside the slow way: the object decoded, changed and encoded.

/** The same cases in every run: what fails here fails for everybody. */
const parameters = { seed: 21, numRuns: 500 };

const withAll = (document: Document, edits: readonly ValueEdit[]): Document =>
  edits.reduce((before, edit) => before.with([edit]), document);

function encoded(document: Document): Buffer {
  const writer = new Writer(16);
  writeStruct(writer, document);
  return writer.finish();
}

const decoded = (bytes: Buffer): JsonObject => readStruct(bytes, 0, bytes.length);

const somePath: fc.Arbitrary<FieldPath> = fc.array(fc.oneof(arbitrary.key, fc.nat({ max: 2 })), { maxLength: 4 });

/** Mostly paths that are there, or begin with one that is. */
const pathFor = (object: JsonObject): fc.Arbitrary<FieldPath> =>
  fc.oneof(fc.constantFrom<FieldPath>(...arbitrary.pathsIn(object)), somePath);

const editOf = (object: JsonObject) => fc.record({ path: pathFor(object), value: arbitrary.json });

/** The bytes of an object, and values to set in it one after the other. */
const withEdits = (bytes: Buffer) =>
  fc.tuple(fc.constant(bytes), fc.array(editOf(decoded(bytes)), { minLength: 1, maxLength: 4 }));

const usual = arbitrary.object.map((object) => encoded(documentOf(object)));

/**
 * Compares an edited document in each of its forms, and what setting a value throws, with the slow way: values set one after the
 * other, and all at once.
 */
function expectSameEdits(bytes: Buffer, edits: readonly ValueEdit[]): void {
  const slow = thrownBy(() => withAll(documentOf(decoded(bytes)), edits).toObject());
  const ways = [() => withAll(wireDocument(bytes), edits), () => wireDocument(bytes).with(edits)];
  for (const way of ways) expectSame(thrownBy(way), slow);
}

function expectSame(fast: unknown, slow: unknown): void {
  if (!(fast instanceof WireDocument)) {
    expect(isDocument(fast) ? fast.toObject() : fast).toEqual(slow);
    return;
  }
  expect(decoded(encoded(fast))).toEqual(slow);
  const others = arbitrary.pathsIn(slow as JsonObject);
  expect(others.map((path) => fast.at(path))).toEqual(others.map((path) => documentOf(slow as JsonObject).at(path)));
  expect(fast.toObject()).toEqual(slow);
}

const isDocument = (value: unknown): value is Document => value instanceof Object && "toObject" in value;

describe("values set in a Struct's bytes", () => {
  test("are those set in the decoded object, or fail with the same error, in whatever bytes are a Struct", () => {
    const cases = fc.oneof(usual, anyStruct).chain(withEdits);
    const property = fc.property(cases, ([bytes, edits]) => expectSameEdits(bytes, edits));
    fc.assert(property, { ...parameters, numRuns: 2000 });
  });

  test("are written byte for byte as the whole object would be, if encoders wrote it", () => {
    const property = fc.property(usual.chain(withEdits), ([bytes, edits]) => {
      const object = decoded(bytes);
      const fast = thrownBy(() => withAll(wireDocument(bytes), edits));
      // Objects sort keys that are whole numbers to the front.
      const isSorted =
        /"\d+":/.test(JSON.stringify([object, edits])) || edits.some(({ path }) => /\d/.test(path.join()));
      if (fast instanceof WireDocument && !isSorted)
        expect(encoded(fast)).toEqual(encoded(withAll(documentOf(object), edits)));
    });
    fc.assert(property, { ...parameters, numRuns: 1000 });
  });

  const set: ValueEdit = { path: ["a", "b"], value: "new" };
  const last = concat(entry("a", struct(texts({ x: "1" }))), entry("a", struct(texts({ y: "2" }))));
  test.each<[string, Buffer, JsonObject]>([
    ["a key given twice, of which the last counts", last, { a: { y: "2", b: "new" } }],
    ["one whose earlier value is no struct", concat(texts({ a: "text" }), entry("a", struct())), { a: { b: "new" } }],
  ])("come after %s", (_, bytes, is) => {
    expect(decoded(encoded(wireDocument(bytes).with([set])))).toEqual(is);
    expectSameEdits(bytes, [set]);
  });

  test.each([
    ["a text", string("text")],
    ["a list", list(string("item"))],
    ["a number", number(4, 1)],
  ])("are refused where %s is on the way, naming the path", (_, value) => {
    const document = wireDocument(entry("a", value));
    const why = "a value on this path is not the object or the list that the path needs";
    expect(() => document.with([set])).toThrow(`cannot set a.b: ${why}`);
    expect(() => document.with([{ path: [...set.path, "c"], value: "new" }])).toThrow(`cannot set a.b.c: ${why}`);
  });

  test.each([0, 1, 3, 4, 63, 64, 65, 127, 128, 16_383, 16_384, 2 ** 21 - 1, 2 ** 21])(
    "come beside what stays, with keys and texts of %i characters",
    (size) => {
      const key = (id: number): string => `${"k".repeat(size)}${id}`;
      const text = "v".repeat(size);
      const object = { before: { [key(1)]: text, [key(2)]: 1 }, last: text };
      const edits = [2, 3, 4, 5].map((id) => ({ path: ["before", key(id)], value: text }));
      const edited = wireDocument(encoded(documentOf(object))).with(edits);
      expect(edited).toBeInstanceOf(WireDocument);
      expect(encoded(edited).equals(encoded(documentOf(object).with(edits)))).toBe(true);
    },
  );

  test("leave all else as it came: other fields, unknown ones, their order and an unusual encoding", () => {
    fc.assert(
      fc.property(unknownField, unknownField, (one, other) => {
        const swapped = field(1, field(2, one, string("v")), field(1, "swapped"));
        const inner = (value: string) => struct(concat(one, entry("b", string(value)), other, swapped));
        const outer = (value: string) => concat(swapped, other, entry("a", inner(value)), one, field(9));
        expect(encoded(wireDocument(outer("old")).with([set]))).toEqual(outer("new"));
      }),
      { ...parameters, numRuns: 200 },
    );
  });

  const resourceOf = (...more: readonly Buffer[]) =>
    readRequest(field(3, field(2, field(1, "db"), field(2, field(1, entry("a", struct())), ...more))));
  const respond = (request: WireRequest, edit: ValueEdit): Buffer => {
    const document = request.desired.resources.get("db")?.document.with([edit]);
    return writeResponse(request, { ...emptyDraft, resources: new Map([["db", { is: "set", object: document }]]) });
  };

  test("come back in the response, beside what the resource has but its object", () => {
    const request = resourceOf(field(2, field(1, "password"), field(2, "secret")), number(3, 1));
    const details = new Map([["password", Buffer.from("secret").toString("base64")]]);
    const resource = decodeResponse(respond(request, set)).desired.resources.get("db");
    expect(resource).toEqual({ object: { a: { b: "new" } }, ready: "True", details });
  });

  test("that JSON does not know are refused", () => {
    const refused = () => respond(resourceOf(), { ...set, value: [Number.NaN] });
    expect(refused).toThrow("cannot return NaN as a JSON number");
  });
});
