import { expect, test } from "vitest";
import { checkInterleavings } from "../../../testing/simulations/interleavings.ts";

/** The same cases in every run; `npm run properties` checks a hundred thousand others. */
const parameters = { seed: 20260101, runs: 2500 };
const TIMEOUT_MS = 60_000;

test(
  "in whatever order things come back, nothing is lost, deleted unadopted or made twice",
  () => checkInterleavings({ ...parameters, isGuarded: true }),
  TIMEOUT_MS,
);

test(
  "without our step something is: the property notices",
  () => expect(() => checkInterleavings({ ...parameters, isGuarded: false })).toThrow("Property failed"),
  TIMEOUT_MS,
);
