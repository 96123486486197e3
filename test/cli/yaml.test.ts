import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseYaml, splitYamlStream, toYamlStream } from "../../cli/yaml.ts";
import { anyDocument } from "../../testing/builders/yaml-texts.ts";

describe("plain scalars mean what they mean to Kubernetes' tools", () => {
  test.each([
    { text: "on", value: true },
    { text: "y", value: true },
    { text: "No", value: false },
    { text: "~", value: null },
    { text: "0x1F", value: 31 },
    { text: "017", value: 15 },
    { text: "1_000", value: 1000 },
    { text: "1e3", value: 1000 },
    { text: "1:30", value: "1:30" },
    { text: "2024-01-01T00:00:00Z", value: "2024-01-01T00:00:00Z" },
    { text: "2024-01-01", value: "2024-01-01" },
    { text: '"on"', value: "on" },
    { text: "{a: 1, a: 2}", value: { a: 2 } },
    { text: "{<<: {a: 1, b: 1}, b: 2}", value: { a: 1, b: 2 } },
    { text: "a: 1\n---\nb: 2\n", value: { a: 1 } },
    { text: "# nothing", value: null },
  ])("$text is $value", ({ text, value }) => {
    expect(parseYaml(text)).toEqual(value);
  });

  test.each([
    { reason: "an unfinished list", text: "[" },
    { reason: "a number that JSON does not have", text: "a: .inf" },
  ])("$reason is an error", ({ text }) => {
    expect(() => parseYaml(text)).toThrow();
  });
});

test("a stream is split where a line begins with ---, and empty documents are dropped", () => {
  expect(splitYamlStream("---\na: 1\n--- # next\n---\nb: --- 2\n")).toEqual(["a: 1\n", "b: --- 2\n"]);
});

test("what is written is read as the same, in sorted order", () => {
  const texts = ["on", "1:30", "017", "2024-01-01", "null", "a: b", "two\nlines\n", "", "~", "0x1F", "é"];
  const document = { z: texts, a: { number: 1.5, nothing: null, ready: true } };
  const yaml = toYamlStream([document]);
  expect(splitYamlStream(yaml).map(parseYaml)).toEqual([document]);
  expect(yaml.startsWith('---\na:\n  nothing: null\n  number: 1.5\n  ready: true\nz:\n- "on"\n')).toBe(true);
});

test("whatever text goes in comes out, in one document", () => {
  fc.assert(
    fc.property(anyDocument, (document) => {
      const yaml = toYamlStream([document, { next: true }]);
      expect(splitYamlStream(yaml).map(parseYaml)).toEqual([document, { next: true }]);
      expect(yaml).toMatch(PRINTABLE);
    }),
    { seed: 20261128, numRuns: 500 },
  );
});

test("half a character is replaced: no tool would read the rest", () => {
  expect(toYamlStream([{ a: "\ud800" }])).toBe("---\na: \ufffd\n");
});

/** Everything but the line breaks of the stream itself prints, to YAML 1.1 and 1.2. */
const PRINTABLE = /^(?:\n|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF])*$/u;
