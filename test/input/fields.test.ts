import { expect, test } from "vitest";
import { unique } from "../../src/input/fields.ts";

const named = (length: number) => Array.from({ length }, (_, index) => ({ name: `name-${index}` }));

test.each([
  { reason: "no name twice", list: [{ name: "a" }, { name: "b" }], isUnique: true },
  { reason: "none named", list: [{}, {}], isUnique: true },
  { reason: "a name twice", list: [{ name: "a" }, { name: "b" }, { name: "a" }], isUnique: false },
  { reason: "half a million names, none twice", list: named(500_000), isUnique: true },
])("names of a list's items are unique: $reason", ({ list, isUnique }) => {
  const [check] = unique("name");
  expect(check(list)).toBe(isUnique);
});
