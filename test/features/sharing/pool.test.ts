import fc from "fast-check";
import { test } from "vitest";
import { poolSettles } from "../../../testing/simulations/pool-property.ts";

test("whatever the order of events, a pool serves no more than its capacity, none moves, and none waits while there is room", () => {
  fc.assert(poolSettles, { seed: 7, numRuns: 200 });
}, 60_000);
