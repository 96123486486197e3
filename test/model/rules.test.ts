import { expect, test } from "vitest";
import { decideBy, when } from "../../src/model/rules.ts";

const isText = (one: unknown): one is string => typeof one === "string";

const decide = decideBy<unknown, string>(
  () => [
    when(
      (one) => one === "",
      () => "empty",
    ),
    when(isText, (text) => text.toUpperCase()),
  ],
  (one) => `no text: ${one}`,
);

test.each([
  { reason: "two rules fit, and the first decides", one: "", decision: "empty" },
  { reason: "only the second fits", one: "a", decision: "A" },
  { reason: "no rule fits", one: 1, decision: "no text: 1" },
])("is $decision where $reason", ({ one, decision }) => {
  expect(decide(one)).toBe(decision);
});
