import { describe, expect, test } from "vitest";
import { formatFieldPath, parseFieldPath, valueAt, withValueAt } from "../../src/model/field-path.ts";
import type { JsonObject } from "../../src/model/json.ts";

describe("a field path", () => {
  test.each([
    ["spec", ["spec"]],
    ["spec.subnets[0].id", ["spec", "subnets", 0, "id"]],
    ["metadata.annotations[crossplane.io/external-name]", ["metadata", "annotations", "crossplane.io/external-name"]],
    ["data['tls.crt']", ["data", "tls.crt"]],
    ['data["tls.crt"]', ["data", "tls.crt"]],
    ["a[01]", ["a", "01"]],
    ["[0].a", [0, "a"]],
    ["a[0][1]", ["a", 0, 1]],
    ["__proto__.polluted", ["__proto__", "polluted"]],
  ])("is parsed from %s to %j", (text, path) => {
    expect(parseFieldPath(text)).toEqual(path);
  });

  test.each([
    { text: "", reason: "it is empty" },
    { text: ".a", reason: "it starts with a period" },
    { text: "a.", reason: "it ends with a period" },
    { text: "a..b", reason: "a field between the periods is missing" },
    { text: "a[", reason: "the bracket is not closed" },
    { text: "a[]", reason: "the brackets are empty" },
    { text: "a]", reason: "the bracket was not opened" },
    { text: "a.[0]", reason: "a period stands before a bracket" },
    { text: "a[0]b", reason: "a field needs a period before it" },
    { text: "a".concat(".a".repeat(100)), reason: "it has more steps than any object" },
    { text: "a[*]", reason: "a wildcard is no path to one value" },
  ])("is not parsed from $text, because $reason", ({ text }) => {
    expect(() => parseFieldPath(text)).toThrow("not a field path");
  });

  test("is formatted as it was parsed", () => {
    for (const text of ["spec.subnets[0].id", "metadata.annotations[crossplane.io/paused]", "a[0][1].b"]) {
      expect(formatFieldPath(parseFieldPath(text))).toBe(text);
    }
  });
});

const root: JsonObject = { a: { b: [{ c: 1 }, null] }, "0": "zero", n: null };
test.each([
  { path: ["a", "b", 0, "c"], value: 1 },
  { path: ["a", "b", 1], value: null },
  { path: ["n"], value: null },
  { path: [0], value: "zero" },
  { path: ["a", "b", 2], value: undefined },
  { path: ["a", "b", "0"], value: undefined },
  { path: ["a", "b", "length"], value: undefined },
  { path: ["n", "x"], value: undefined },
  { path: ["toString"], value: undefined },
  { path: ["__proto__", "toString"], value: undefined },
])("the value of a field at $path is $value", ({ path, value }) => {
  expect(valueAt(root, path)).toEqual(value);
});

describe("a value", () => {
  test.each([
    { reason: "a new field", root: {}, path: ["a"], value: 1, result: { a: 1 } },
    { reason: "a field of a new object", root: { x: 1 }, path: ["a", "b"], value: 1, result: { x: 1, a: { b: 1 } } },
    { reason: "a field below a null", root: { a: null }, path: ["a", "b"], value: 1, result: { a: { b: 1 } } },
    { reason: "an item of a list", root: { a: [1, 2] }, path: ["a", 0], value: 3, result: { a: [3, 2] } },
    { reason: "a new last item of a list", root: { a: [1] }, path: ["a", 1], value: 2, result: { a: [1, 2] } },
    { reason: "a field in an item of a new list", root: {}, path: ["a", 0, "b"], value: 2, result: { a: [{ b: 2 }] } },
  ])("can be set as $reason, which leaves the original as it was", ({ root, path, value, result }) => {
    const before = JSON.stringify(root);
    expect(withValueAt(root, path, value)).toEqual(result);
    expect(JSON.stringify(root)).toBe(before);
  });

  test.each([
    { reason: "through a string", root: { a: "x" }, path: ["a", "b"] },
    { reason: "through a list by name", root: { a: [] }, path: ["a", "b"] },
    { reason: "past the end of a list", root: { a: [1] }, path: ["a", 2] },
    { reason: "through an object by index", root: { a: {} }, path: ["a", 0] },
  ])("cannot be set $reason, and the error names the path", ({ root, path }) => {
    expect(() => withValueAt(root, path, 1)).toThrow(`cannot set ${formatFieldPath(path)}`);
  });

  test("at __proto__ is set as a field and changes no prototype", () => {
    const object = withValueAt({}, ["__proto__", "polluted"], true);
    expect(Object.keys(object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
