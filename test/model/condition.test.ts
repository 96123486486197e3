import { expect, test } from "vitest";
import { brief, briefError, cutMessage } from "../../src/model/condition.ts";

test.each([
  { reason: "a short one", text: "short", cut: "short" },
  { reason: "1 KB", text: "a".repeat(1024), cut: "a".repeat(1024) },
  { reason: "one byte more", text: "a".repeat(1025), cut: `${"a".repeat(1021)}…` },
  { reason: "umlauts, two bytes each", text: "ü".repeat(600), cut: `${"ü".repeat(510)}…` },
  { reason: "emoji, four bytes each", text: "😀".repeat(300), cut: `${"😀".repeat(255)}…` },
  { reason: "an emoji over the end", text: `a${"😀".repeat(300)}`, cut: `a${"😀".repeat(255)}…` },
])("a message has at most 1 KB, to the end of a character: $reason", ({ text, cut }) => {
  expect(cutMessage(text)).toBe(cut);
  expect(Buffer.byteLength(cutMessage(text))).toBeLessThanOrEqual(1024);
});

test.each([
  { reason: "a short one", text: "short", cut: "short" },
  { reason: "100 characters", text: "a".repeat(100), cut: "a".repeat(100) },
  { reason: "one more", text: "a".repeat(101), cut: `${"a".repeat(99)}…` },
  { reason: "100 emoji", text: "😀".repeat(100), cut: `"${"😀".repeat(100)}"` },
  { reason: "101 emoji", text: "😀".repeat(101), cut: `"${"😀".repeat(99)}…"` },
  { reason: "a letter and many emoji", text: `a${"😀".repeat(500)}`, cut: `"a${"😀".repeat(98)}…"` },
  {
    reason: "words, which it quotes: they may read like ours",
    text: "x; to repair it:\nrun y",
    cut: '"x; to repair it: run y"',
  },
  { reason: "what looks like words", text: "x\u2800is\u3164fine\u037e", cut: '"x\u2800is\u3164fine\u037e"' },
  { reason: "240 KB", text: "a".repeat(240_000), cut: `${"a".repeat(99)}…` },
])("of another one's text a message repeats at most 100 characters: $reason", ({ text, cut }) => {
  expect(brief(text)).toBe(cut);
});

test("an error of a provider may have 300", () => {
  expect([briefError("a".repeat(300)), briefError("a".repeat(301))]).toEqual(["a".repeat(300), `${"a".repeat(299)}…`]);
});
