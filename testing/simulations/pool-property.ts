import fc from "fast-check";
import { PoolWorld } from "./pool-world.ts";

const DATABASES = 3;
const SHOPS = 6;

interface Event {
  readonly is: keyof typeof KINDS;
  readonly database: number;
  readonly shop: number;
  readonly capacity: number;
  /** How many changes the cache of the XR that is reconciled is behind. */
  readonly age: number;
  readonly isFirst: boolean;
}

type Happening = (world: PoolWorld, event: Event) => void;

/** The kinds of event, each with its weight. */
const KINDS = {
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
} satisfies Readonly<Record<string, readonly [weight: number, happen: Happening]>>;

const kinds = Object.entries(KINDS) as [Event["is"], readonly [number, Happening]][];

const event: fc.Arbitrary<Event> = fc.record({
  is: fc.oneof(...kinds.map(([is, [weight]]) => ({ weight, arbitrary: fc.constant(is) }))),
  database: fc.nat({ max: DATABASES - 1 }),
  shop: fc.nat({ max: SHOPS - 1 }),
  capacity: fc.integer({ min: 1, max: 3 }),
  age: fc.oneof(fc.constant(0), fc.nat({ max: 3 })),
  isFirst: fc.boolean(),
});

/**
 * In whatever order XRs and databases come and go, are reconciled with old caches, cut off, edited and restored, and whatever a team
 * writes into its record:
 *
 * - no database serves more than its capacity, or than it had admitted when that was reduced,
 * - an XR that is served does not move while its database exists,
 * - within a bounded number of rounds nothing changes any more, and then no XR waits while there is room, unless its team has forged
 *   its record.
 */
export const poolSettles = fc.property(fc.array(event, { minLength: 1, maxLength: 50, size: "max" }), (events) => {
  const world = new PoolWorld();
  for (const happening of events) (KINDS[happening.is][1] as Happening)(world, happening);
  world.settle();
  const faults = [...world.faults, ...world.starving.map((name) => `${name} waits while there is room`)];
  if (faults.length > 0) throw new Error(faults.join("\n"));
});
