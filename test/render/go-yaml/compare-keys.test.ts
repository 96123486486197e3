import { expect, test } from "vitest";
import { compareKeys } from "../../../src/render/go-yaml/compare-keys.ts";

test.each([
  { reason: "letters by their code", before: "a", after: "b" },
  { reason: "upper case before lower case", before: "Z", after: "a" },
  { reason: "what ends first", before: "a", after: "aa" },
  { reason: "everything else before letters", before: "a_b", after: "aab" },
  { reason: "digits before letters", before: "a1", after: "ab" },
  { reason: "numbers by their value", before: "a2", after: "a10" },
  { reason: "the shorter of equal numbers", before: "a1", after: "a01" },
  { reason: "a zero within a number counts", before: "a10b", after: "a11" },
  { reason: "a leading zero does not", before: "a0b", after: "a1b" },
  { reason: "symbols by their code", before: "a-b", after: "a.b" },
])("$before < $after: $reason", ({ before, after }) => {
  expect([Math.sign(compareKeys(before, after)), Math.sign(compareKeys(after, before))]).toEqual([-1, 1]);
});

test("equal keys are equal", () => {
  expect(compareKeys("a1", "a1")).toBe(0);
});
