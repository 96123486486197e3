import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/model/json.ts";
import { parseYaml, splitYamlStream } from "../../../src/render/go-yaml/parse.ts";

describe("plain scalars mean what they mean to go-yaml v2", () => {
  test.each<{ reason: string; yaml: string; value: JsonValue }>([
    { reason: "YAML 1.1's booleans", yaml: "[y, On, no, 'n']", value: [true, true, false, "n"] },
    { reason: "so are such keys", yaml: "on: 1", value: { true: 1 } },
    { reason: "nulls", yaml: "[~, null, Null, ]", value: [null, null, null] },
    {
      reason: "integers of all bases",
      yaml: "[0x1F, 017, 0o17, 0b11, -0x10, +1_000]",
      value: [31, 15, 15, 3, -16, 1000],
    },
    { reason: "what looks octal and is not", yaml: "089", value: 89 },
    { reason: "floats", yaml: "[.5, 1e3, 1., -1.5E-3]", value: [0.5, 1000, 1, -0.0015] },
    { reason: "a number that is none", yaml: "[1e999, 0x, _1, 1.2.3]", value: ["1e999", "0x", "_1", "1.2.3"] },
    { reason: "base 60 is not read", yaml: "1:30", value: "1:30" },
    { reason: "timestamps stay as they are written", yaml: "2024-01-01", value: "2024-01-01" },
    { reason: "merge keys", yaml: "{a: &a {b: 1}, c: {<<: *a, d: 2}}", value: { a: { b: 1 }, c: { b: 1, d: 2 } } },
    { reason: "the last of equal keys", yaml: "a: 1\na: 2", value: { a: 2 } },
    { reason: "numbers as keys", yaml: "1: a", value: { "1": "a" } },
    { reason: "the first document", yaml: "a: 1\n---\nb: 2", value: { a: 1 } },
    { reason: "nothing but a comment", yaml: "# nothing", value: null },
  ])("$reason", ({ yaml, value }) => {
    expect(parseYaml(yaml)).toEqual(value);
  });

  test.each([
    { reason: "no YAML", yaml: "a: [", error: /at line 1/ },
    { reason: "no number that JSON has", yaml: "a: .inf", error: ".inf is not a JSON value" },
  ])("$reason is an error", ({ yaml, error }) => {
    expect(() => parseYaml(yaml)).toThrow(error);
  });
});

test.each([
  { reason: "documents end where a line begins with ---", text: "a: 1\n---\nb: 2\n", parts: ["a: 1\n", "b: 2\n"] },
  { reason: "nothing before the first", text: "---\na: 1\n", parts: ["a: 1\n"] },
  { reason: "a comment behind the dashes", text: "a: 1\n--- # next\nb: 2\n", parts: ["a: 1\n", "b: 2\n"] },
  { reason: "dashes within a line", text: "a: b---\n", parts: ["a: b---\n"] },
])("a stream is split: $reason", ({ text, parts }) => {
  expect(splitYamlStream(text)).toEqual(parts);
});
