import fc from "fast-check";
import { TagWorld } from "./tag-world.ts";

const XRS = 5;

/** An event: its kind, its XR, and the age of the list that the XR reads. */
const event = fc.record({
  is: fc.oneof(
    { weight: 3, arbitrary: fc.constant("create" as const) },
    { weight: 1, arbitrary: fc.constant("migrate" as const) },
    { weight: 2, arbitrary: fc.constant("delete" as const) },
    { weight: 8, arbitrary: fc.constant("reconcile" as const) },
    { weight: 6, arbitrary: fc.constant("provide" as const) },
    { weight: 1, arbitrary: fc.constant("take" as const) },
    { weight: 2, arbitrary: fc.constant("tick" as const) },
    { weight: 1, arbitrary: fc.constant("createOutsider" as const) },
    { weight: 1, arbitrary: fc.constant("deleteOutsider" as const) },
  ),
  xr: fc.nat({ max: XRS - 1 }),
  staleness: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const uids = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: XRS });

/**
 * In whatever order XRs are created, deleted and reconciled and their provider acts, and however old the lists are that XRs
 * read: one writer is left in the end, and no cloud resource is deleted that a living XR could count on by its condition, or
 * that an XR without the step has created.
 */
export const ownershipSettles = fc.property(
  uids,
  fc.array(event, { minLength: 1, maxLength: 60, size: "max" }),
  (order, events) => {
    const world = new TagWorld(order);
    for (const happening of events) happen(world, happening);
    const rounds = settle(world);
    const { living, writers, cloudExists, faults } = world;
    const outcome = { faults, writers: writers.length, cloudExists: living.length === 0 || cloudExists };
    const expected = { faults: [], writers: Math.min(1, living.length), cloudExists: true };
    if (JSON.stringify(outcome) !== JSON.stringify(expected)) throw new Error(JSON.stringify({ outcome, rounds }));
  },
);

function happen(world: TagWorld, { is, xr, staleness }: Event): void {
  if (is === "create") world.create(xr);
  else if (is === "migrate") world.create(xr, true);
  else if (is === "delete") world.delete(xr);
  else if (is === "reconcile") world.reconcile(xr, staleness);
  else if (is === "provide") world.provide(xr);
  else if (is === "take") world.take(xr);
  else if (is === "createOutsider") world.createOutsider();
  else if (is === "deleteOutsider") world.deleteOutsider();
  else world.tick();
}

/** Reconciles all living XRs until nothing changes. @returns the number of rounds. */
function settle(world: TagWorld): number {
  for (let round = 1; round < 20; round++) {
    const before = world.print;
    provideAll(world);
    for (const xr of world.living) world.reconcile(xr, 0);
    provideAll(world);
    if (world.print === before) return round;
  }
  throw new Error("does not settle");
}

function provideAll(world: TagWorld): void {
  for (let xr = 0; xr < XRS; xr++) world.provide(xr);
}
