import fc from "fast-check";
import { NAMES, TagWorld } from "./tag-world.ts";

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
    { weight: 1, arbitrary: fc.constant("rename" as const) },
    { weight: 1, arbitrary: fc.constantFrom("pause" as const, "resume" as const) },
    { weight: 1, arbitrary: fc.constantFrom("pauseManaged" as const, "resumeManaged" as const) },
    { weight: 1, arbitrary: fc.constantFrom("writeElsewhere" as const, "deleteAll" as const) },
    { weight: 1, arbitrary: fc.constant("createOutsider" as const) },
    { weight: 1, arbitrary: fc.constant("deleteOutsider" as const) },
  ),
  xr: fc.nat({ max: XRS - 1 }),
  staleness: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

const uids = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: XRS });

/**
 * In whatever order XRs are created, renamed, paused, deleted and reconciled and their provider acts, and however old the lists are
 * that XRs read:
 *
 * - one writer of each cloud resource is left in the end, and none of one that another control plane owns,
 * - no cloud resource is deleted that a living XR could count on by its condition, or that an XR without the step has created,
 * - none that one of ours created is left behind without a managed resource.
 */
export const ownershipSettles = fc.property(
  uids,
  fc.array(event, { minLength: 1, maxLength: 60, size: "max" }),
  (order, events) => {
    const world = new TagWorld(order);
    for (const happening of events) happen(world, happening);
    for (let xr = 0; xr < XRS; xr++) resume(world, xr);
    const rounds = settle(world);
    const outcome = NAMES.map((name) => {
      const isOurs = world.livingOf(name).length > 0;
      const writers = world.writersOf(name).length;
      // An operator may have given it to one of ours, against what the tags say.
      const isOwned = writers === Number(isOurs) || (writers === 0 && world.isElsewhere(name));
      return { isOwned, exists: !isOurs || world.existsInCloud(name), isLeaked: world.isLeaked(name) };
    });
    const expected = NAMES.map(() => ({ isOwned: true, exists: true, isLeaked: false }));
    const [seen, wanted] = [
      { faults: world.faults, outcome },
      { faults: [], outcome: expected },
    ].map((all) => JSON.stringify(all));
    if (seen !== wanted) throw new Error(`${seen} after ${rounds} rounds`);
  },
);

function resume(world: TagWorld, xr: number): void {
  world.pause(xr, false);
  world.pauseManaged(xr, false);
}

function happen(world: TagWorld, { is, xr, staleness }: Event): void {
  const name = NAMES[xr % NAMES.length] ?? "orders";
  const happenings: Record<Event["is"], () => unknown> = {
    create: () => world.create(xr),
    migrate: () => world.create(xr, true),
    delete: () => world.delete(xr),
    deleteAll: () => {
      for (const each of world.living) world.delete(each);
    },
    rename: () => world.rename(xr),
    pause: () => world.pause(xr, true),
    resume: () => world.pause(xr, false),
    pauseManaged: () => world.pauseManaged(xr, true),
    resumeManaged: () => world.pauseManaged(xr, false),
    reconcile: () => world.reconcile(xr, staleness),
    provide: () => world.provide(xr),
    take: () => world.take(xr),
    tick: () => world.tick(),
    writeElsewhere: () => world.writeElsewhere(name),
    createOutsider: () => world.createOutsider(),
    deleteOutsider: () => world.deleteOutsider(),
  };
  happenings[is]();
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
