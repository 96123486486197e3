import { expect, test } from "vitest";
import { didYouMean } from "../../src/model/did-you-mean.ts";

const known = ["serve", "render", "registry", "preflight", "admission", "audit"];

test.each([
  { reason: "a letter too much", word: "rennder", suggestion: "render" },
  { reason: "a letter too few", word: "adit", suggestion: "audit" },
  { reason: "another letter", word: "sarve", suggestion: "serve" },
  { reason: "two letters swapped", word: "preflgiht", suggestion: "preflight" },
  { reason: "other letters in upper case", word: "Registry", suggestion: "registry" },
  { reason: "two faults in a long word", word: "admisson-", suggestion: "admission" },
])("$word has $reason, so $suggestion is suggested", ({ word, suggestion }) => {
  expect(didYouMean(word, known)).toBe(`; did you mean ${suggestion}?`);
});

test.each(["", "x", "deploy", "list"])("nothing is close to %j, so nothing is suggested", (word) => {
  expect(didYouMean(word, known)).toBe("");
});
