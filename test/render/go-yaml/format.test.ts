import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/model/json.ts";
import { formatYaml } from "../../../src/render/go-yaml/format.ts";
import { parseYaml } from "../../../src/render/go-yaml/parse.ts";

const sixty = "x".repeat(60);

/** What go-yaml v2 makes of the same values: each row was run through sigs.k8s.io/yaml v1.6.0. */
describe("values are written as go-yaml v2 writes them", () => {
  test.each<{ reason: string; value: JsonValue; yaml: string }>([
    { reason: "keys are sorted", value: { b: 1, a: 2 }, yaml: "a: 2\nb: 1\n" },
    { reason: "digits sort by their number", value: { a10: 1, a9: 2 }, yaml: "a9: 2\na10: 1\n" },
    { reason: "lists in objects are not indented", value: { a: ["b", "c"] }, yaml: "a:\n- b\n- c\n" },
    { reason: "objects in lists begin on the line", value: [{ a: 1, b: { c: 2 } }], yaml: "- a: 1\n  b:\n    c: 2\n" },
    { reason: "lists in lists begin on the line", value: [["a", ["b"]]], yaml: "- - a\n  - - b\n" },
    { reason: "what is empty stays on the line", value: { a: [], b: {} }, yaml: "a: []\nb: {}\n" },
    { reason: "null is null", value: { a: null }, yaml: "a: null\n" },
    { reason: "booleans are bare", value: { a: true }, yaml: "a: true\n" },
    {
      reason: "what YAML 1.1 takes for a boolean is quoted",
      value: ["true", "on", "y"],
      yaml: '- "true"\n- "on"\n- "y"\n',
    },
    { reason: "such keys are quoted as well", value: { n: 1 }, yaml: '"n": 1\n' },
    { reason: "numbers are quoted", value: ["1", "0x1F", "1e3"], yaml: '- "1"\n- "0x1F"\n- "1e3"\n' },
    { reason: "octal and underscores too", value: ["017", "1_000"], yaml: '- "017"\n- "1_000"\n' },
    { reason: "base 60 as well", value: "1:30", yaml: '"1:30"\n' },
    { reason: "timestamps are quoted", value: "2024-01-01T00:00:00Z", yaml: '"2024-01-01T00:00:00Z"\n' },
    { reason: "a day that does not exist is no timestamp", value: "2024-02-30", yaml: "2024-02-30\n" },
    { reason: "the empty string is quoted", value: { a: "" }, yaml: 'a: ""\n' },
    { reason: "a colon and a blank need single quotes", value: "a: b", yaml: "'a: b'\n" },
    {
      reason: "indicators need single quotes",
      value: ["#a", "*a", "- a", "a #b"],
      yaml: "- '#a'\n- '*a'\n- '- a'\n- 'a #b'\n",
    },
    { reason: "blanks at an end need single quotes", value: [" a", "a "], yaml: "- ' a'\n- 'a '\n" },
    { reason: "quotes in single quotes are doubled", value: "'a'", yaml: "'''a'''\n" },
    { reason: "control characters need double quotes", value: 'a\tb"', yaml: '"a\\tb\\""\n' },
    { reason: "letters of any script are bare", value: "ü€", yaml: "ü€\n" },
    { reason: "beyond the first plane all is escaped", value: "😀", yaml: '"\\U0001F600"\n' },
    { reason: "several lines are a literal", value: { a: "b\nc\n" }, yaml: "a: |\n  b\n  c\n" },
    { reason: "no line end at the end", value: { a: "b\nc" }, yaml: "a: |-\n  b\n  c\n" },
    { reason: "several line ends at the end", value: { a: "b\n\n" }, yaml: "a: |+\n  b\n\n" },
    { reason: "a blank at the start of a literal", value: { a: " b\nc" }, yaml: "a: |2-\n   b\n  c\n" },
    { reason: "a blank before a line end is no literal", value: "a \nb", yaml: '"a \\nb"\n' },
    {
      reason: "long lines are folded after column 80",
      value: { a: `${sixty} ${sixty} b` },
      yaml: `a: ${sixty} ${sixty}\n  b\n`,
    },
    { reason: "so are quoted ones", value: { a: `${sixty}: ${sixty} b c` }, yaml: `a: '${sixty}: ${sixty}\n  b c'\n` },
    { reason: "double quotes too", value: [`\t${sixty} ${sixty} b`], yaml: `- "\\t${sixty} ${sixty}\n  b"\n` },
    { reason: "keys are not", value: { [`${sixty} ${sixty} b`]: 1 }, yaml: `${sixty} ${sixty} b: 1\n` },
    { reason: "keys over 128 bytes", value: { ["k".repeat(129)]: { a: 1 } }, yaml: `? ${"k".repeat(129)}\n: a: 1\n` },
  ])("$reason", ({ value, yaml }) => {
    expect(formatYaml(value)).toBe(yaml);
  });

  test.each([
    { value: 0, yaml: "0" },
    { value: -0, yaml: "0" },
    { value: 1000000, yaml: "1000000" },
    { value: 2 ** 53, yaml: "9007199254740992" },
    { value: 1e20, yaml: "1e+20" },
    { value: -(2 ** 63), yaml: "-9.223372036854776e+18" },
    { value: 1.5, yaml: "1.5" },
    { value: 123456.75, yaml: "123456.75" },
    { value: 1234567.5, yaml: "1.2345675e+06" },
    { value: 0.0001, yaml: "0.0001" },
    { value: 0.00001, yaml: "1e-05" },
    { value: 1e100, yaml: "1e+100" },
  ])("the number $yaml", ({ value, yaml }) => {
    expect(formatYaml(value)).toBe(`${yaml}\n`);
  });
});

test("whatever is written is read as what it was", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('"<<":')); // go-yaml writes this key bare, and reads it as a merge
      const json: JsonValue = JSON.parse(text);
      expect(parseYaml(formatYaml(json))).toEqual(json);
    }),
  );
});
