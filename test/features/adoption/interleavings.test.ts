import { expect, test } from "vitest";
import { checkInterleavings } from "../../../testing/simulations/interleavings.ts";

/** The same cases in every run; `npm run properties` checks a hundred thousand others. */
const parameters = { seed: 20260101, runs: 500 };
const TIMEOUT_MS = 60_000;

test(
  "in whatever order resources are restored, none is lost, deleted before it is adopted or created twice",
  () => checkInterleavings({ ...parameters, isGuarded: true }),
  TIMEOUT_MS,
);

test(
  "without adoption the same property fails",
  () => expect(() => checkInterleavings({ ...parameters, isGuarded: false })).toThrow("Property failed"),
  TIMEOUT_MS,
);
