import fc from "fast-check";
import { expect, test } from "vitest";
import { poolSettles } from "../../../testing/simulations/pool-property.ts";
import { PoolWorld } from "../../../testing/simulations/pool-world.ts";

test("whatever the order of events, a pool serves no more than its capacity, none moves, and none waits while there is room", () => {
  fc.assert(poolSettles, { seed: 7, numRuns: 200 });
}, 60_000);

test("an XR that is made anew is not served by the answer to the one before it, which an old cache still has", () => {
  const world = new PoolWorld();
  world.createDatabase(0, 1);
  for (const shop of [0, 1]) {
    world.createShop(shop, "First");
    world.reconcileShop(shop, 0);
  }
  world.reconcileDatabase(0, 0); // admits the first
  world.deleteShop(0);
  world.reconcileDatabase(0, 0); // admits the second
  world.reconcileShop(1, 0);
  world.createShop(0, "First");
  world.reconcileShop(0, 0);
  world.reconcileShop(0, 3); // sees what there was before the second was admitted
  expect(world.faults).toEqual([]);
});
