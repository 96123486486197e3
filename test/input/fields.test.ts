import { expect, test } from "vitest";
import * as z from "zod";
import { unique } from "../../src/input/fields.ts";

const named = (length: number) => Array.from({ length }, (_, index) => ({ name: `name-${index}` }));

const list = (name: unknown) => [{ name }, { name }];

test.each<{ reason: string; list: readonly object[]; isUnique: boolean }>([
  { reason: "no name twice", list: [{ name: "a" }, { name: "b" }], isUnique: true },
  { reason: "none named", list: [{}, {}], isUnique: true },
  { reason: "a name twice", list: [{ name: "a" }, { name: "b" }, { name: "a" }], isUnique: false },
  { reason: "a parsed path twice", list: [{ name: ["a", 0] }, { name: ["a", 0] }], isUnique: false },
  { reason: "two parsed paths", list: [{ name: ["a", 0] }, { name: ["a", 1] }], isUnique: true },
  { reason: "a literal twice", list: [{ name: "a" }, { name: { is: "literal", value: "a" } }], isUnique: false },
  { reason: "one field twice", list: list({ is: "composite", path: ["a"] }), isUnique: true },
  { reason: "half a million names, none twice", list: named(500_000), isUnique: true },
])("names of a list's items are unique: $reason", ({ list, isUnique }) => {
  expect(unique(z.array(z.unknown()), "name").safeParse(list).success).toBe(isUnique);
});
