import fc from "fast-check";
import { expect, test } from "vitest";
import { fits } from "../../src/model/glob.ts";

test.each([
  { text: "a.c", glob: "a.c", is: true },
  { text: "abc", glob: "a.c", is: false },
  { text: "line\nbreak", glob: "line*k", is: true },
  { text: "team", glob: "t?am", is: false },
])("$text fits $glob: $is", ({ text, glob, is }) => {
  expect(fits(text, glob)).toBe(is);
});

test("a glob means what the same regular expression means", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  const globs = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  fc.assert(
    fc.property(letters, globs, (text, glob) => {
      const expression = new RegExp(`^${glob.replaceAll("*", ".*")}$`, "s");
      expect(fits(text, glob)).toBe(expression.test(text));
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test("many stars in a long text cost no more than a few: a regular expression would try every split", () => {
  expect(fits("a".repeat(1_000_000), `${"*a".repeat(100)}*b`)).toBe(false);
});
