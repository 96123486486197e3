import fc from "fast-check";
import { expect, test } from "vitest";
import { fits, toMatcher } from "../../../src/features/tags/glob.ts";

test.each([
  { text: "team", glob: "team", is: true },
  { text: "team", glob: "*", is: true },
  { text: "", glob: "*", is: true },
  { text: "team", glob: "te*", is: true },
  { text: "team", glob: "*am", is: true },
  { text: "team", glob: "t?am", is: true },
  { text: "team", glob: "t*?m", is: true },
  { text: "team", glob: "*e*a*", is: true },
  { text: "aba", glob: "ab*ba", is: false },
  { text: "abXba", glob: "ab*ba", is: true },
  { text: "a.c", glob: "a.c", is: true },
  { text: "abc", glob: "a.c", is: false },
  { text: "line\nbreak", glob: "line*k", is: true },
  { text: "team", glob: "tea", is: false },
  { text: "team", glob: "????", is: true },
  { text: "team", glob: "?????", is: false },
])("$text fits $glob: $is", ({ text, glob, is }) => {
  expect(fits(text, glob)).toBe(is);
});

test.each([
  ["over two words of bits", `x${"a".repeat(31)}bc${"d".repeat(40)}y`, `*${"?".repeat(31)}bc${"d".repeat(40)}*`],
  ["of 32 characters", `xx${"a".repeat(31)}by`, `*?${"a".repeat(30)}b*`],
  ["of 64 characters", `xx${"a".repeat(63)}by`, `*?${"a".repeat(62)}b*`],
  ["with a unit of an emoji", "x\u{1f600}y", "*?\u{1f600}*"],
])("a part with ? %s is found, and not where one character differs", (_reason, text, glob) => {
  expect(fits(text, glob)).toBe(true);
  expect(fits(text.replace(/[bd\u{1f600}](?=[^bd]*$)/u, "z"), glob)).toBe(false);
});

test("a glob means what the same regular expression means", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  const globs = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), maxLength: 8 });
  fc.assert(
    fc.property(letters, globs, (text, glob) => {
      const expression = new RegExp(`^${glob.replaceAll("*", ".*").replaceAll("?", ".")}$`, "s");
      expect(fits(text, glob)).toBe(expression.test(text));
    }),
    { seed: 7, numRuns: 2000 },
  );
});

test("many stars in a long text cost no more than a few: a regular expression would try every split", () => {
  expect(fits("a".repeat(1_000_000), `${"*a".repeat(100)}*b`)).toBe(false);
});

test.each([
  { reason: "but for its end", text: "a".repeat(512), glob: `*?${"a".repeat(250)}b*` },
  { reason: "but for what follows its end", text: `${"a".repeat(511)}b`, glob: `*?${"a".repeat(250)}b?b*` },
])("a long part with ? costs little at each character of texts that it fits $reason", ({ text, glob }) => {
  const find = toMatcher(glob);
  const before = process.cpuUsage();
  for (let i = 0; i < 6000; i++) expect(find(text)).toBe(false);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test.each([
  { text: `x${"a".repeat(510)}b`, is: true },
  { text: `x${"a".repeat(511)}b`, is: false },
])("a part with ? is looked for in texts as long as a key of a tag can be: $text.length", ({ text, is }) => {
  expect(fits(text, "*?aab*")).toBe(is);
});
