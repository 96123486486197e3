import { expect, test } from "vitest";
import { corpus } from "../../testing/wire/corpus.ts";
import { fuzz } from "../../testing/wire/fuzz.ts";

test("a broken request is answered or refused, and never read beyond its end", () => {
  const runs = 1500;
  const { answered, fatal, refused } = fuzz({ seed: 20, runs, corpus });
  expect(answered + fatal + refused).toBe(runs);
  // Were they all refused, the fuzzer would see only the first lines of the reader.
  expect(Math.min(answered, fatal, refused)).toBeGreaterThan(runs / 20);
});
