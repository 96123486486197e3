import fc from "fast-check";
import { expect, test } from "vitest";
import { nothingIsLost } from "../../../testing/simulations/interleavings.ts";

/** The same cases in every run; `npm run properties` checks a hundred thousand others. */
const parameters = { seed: 20260101, numRuns: 500 };
const TIMEOUT_MS = 120_000;

test(
  "in whatever order resources are restored, none is lost, deleted before it is adopted or created twice",
  () => fc.assert(nothingIsLost(), parameters),
  TIMEOUT_MS,
);

test(
  "without adoption the same property fails",
  () => expect(() => fc.assert(nothingIsLost(false), parameters)).toThrow("Property failed"),
  TIMEOUT_MS,
);
