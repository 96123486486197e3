import fc from "fast-check";
import { anyMove, type Moves, makeMove, type PartsOf } from "./moves.ts";
import { PoolWorld } from "./pool-world.ts";

const PARTS = {
  database: fc.nat({ max: 2 }),
  shop: fc.nat({ max: 5 }),
  capacity: fc.integer({ min: 1, max: 3 }),
  /** How many changes the cache of the XR that is reconciled is behind. */
  age: fc.oneof(fc.constant(0), fc.nat({ max: 3 })),
  isFirst: fc.boolean(),
};

const MOVES: Moves<PoolWorld, PartsOf<typeof PARTS>> = {
  createDatabase: [3, (world, { database, capacity }) => world.createDatabase(database, capacity)],
  deleteDatabase: [1, (world, { database }) => world.deleteDatabase(database)],
  edit: [2, (world, { database, capacity }) => world.edit(database, capacity)],
  createShop: [6, (world, { shop, isFirst }) => world.createShop(shop, isFirst ? "First" : "LeastUsed")],
  deleteShop: [2, (world, { shop }) => world.deleteShop(shop)],
  forge: [1, (world, { shop }) => world.forge(shop)],
  restore: [1, (world) => world.restore()],
  reconcileDatabase: [10, (world, { database, age }) => world.reconcileDatabase(database, age)],
  cutOff: [2, (world, { database, age }) => world.reconcileDatabase(database, age, true)],
  reconcileShop: [14, (world, { shop, age }) => world.reconcileShop(shop, age)],
};

/**
 * In whatever order XRs and databases come and go, are reconciled with old caches, cut off, edited and restored, and whatever a team
 * writes into its record:
 *
 * - no database serves more than its capacity, or than it had admitted when that was reduced,
 * - an XR that is served does not move while its database exists,
 * - within a bounded number of rounds nothing changes any more, and then no XR waits while there is room, unless its team has forged
 *   its record.
 */
export const poolSettles = fc.property(
  fc.array(anyMove(MOVES, PARTS), { minLength: 1, maxLength: 50, size: "max" }),
  (moves) => {
    const world = new PoolWorld();
    for (const each of moves) makeMove(MOVES, world, each);
    world.settle();
    const faults = [...world.faults, ...world.starving.map((name) => `${name} waits while there is room`)];
    if (faults.length > 0) throw new Error(faults.join("\n"));
  },
);
