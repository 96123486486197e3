import { expect, test } from "vitest";
import { checkInterleavings } from "../../support/interleavings.ts";

// `npm run properties` checks a hundred times as many.
test("in whatever order things come back, nothing is lost, deleted unadopted or made twice", () => {
  checkInterleavings({ seed: 20260101, runs: 3000, isGuarded: true });
});

test("without our step, something is: the property notices", () => {
  expect(() => checkInterleavings({ seed: 20260101, runs: 3000, isGuarded: false })).toThrow("Property failed");
});
