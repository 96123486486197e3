import fc from "fast-check";
import { anyMove, type Moves, makeMove, type PartsOf, settle } from "./moves.ts";
import { type DeclaredKind, KINDS, NAMES } from "./tag-objects.ts";
import { TagWorld } from "./tag-world.ts";

const XRS = 5;

const PARTS = {
  xr: fc.nat({ max: XRS - 1 }),
  /** The age of the list that the XR reads. */
  staleness: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
};

const MOVES: Moves<TagWorld, PartsOf<typeof PARTS>> = {
  create: [6, (world, { xr }) => world.create(xr)],
  createReferring: [3, (world, { xr }) => world.create(xr, { refers: true })],
  createTwin: [3, (world, { xr }) => world.create(xr, { isTwin: true })],
  migrate: [2, (world, { xr }) => world.create(xr, { hasManagedResource: true })],
  delete: [4, (world, { xr }) => world.delete(xr)],
  reconcile: [16, (world, { xr, staleness }) => world.reconcile(xr, staleness)],
  reconcileMeanwhile: [6, (world, { xr, staleness }) => world.reconcile(xr, staleness, () => world.provide(xr))],
  provide: [12, (world, { xr }) => world.provide(xr)],
  begin: [4, (world, { xr }) => world.begin(xr)],
  orphan: [1, (world, { xr }) => world.orphan(xr)],
  forge: [1, (world) => world.forge()],
  take: [2, (world, { xr }) => world.take(xr)],
  tick: [4, (world) => world.tick()],
  rename: [2, (world, { xr }) => world.rename(xr)],
  renameResource: [2, (world, { xr }) => world.renameResource(xr)],
  pause: [1, (world, { xr }) => world.pause(xr, true)],
  resume: [1, (world, { xr }) => world.pause(xr, false)],
  pauseManaged: [1, (world, { xr }) => world.pauseManaged(xr, true)],
  resumeManaged: [1, (world, { xr }) => world.pauseManaged(xr, false)],
  writeElsewhere: [1, (world, { xr }) => world.writeElsewhere(NAMES[xr % NAMES.length] ?? "orders")],
  deleteAll: [1, (world) => world.living.map((xr) => world.delete(xr))],
  restore: [2, (world, { xr }) => world.restore(xr)],
  createOutsider: [2, (world) => world.createOutsider()],
  deleteOutsider: [2, (world) => world.deleteOutsider()],
};

const uids = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: XRS });

/**
 * In whatever order XRs are created, renamed, renamed in their Composition, paused, deleted, orphaned, restored without managed fields and
 * reconciled and their provider acts, and however old the lists are that XRs read:
 *
 * - one writer of each cloud resource is left in the end, and none of one that another control plane owns,
 * - an XR whose condition says Owned is that writer,
 * - no cloud resource is deleted that a living XR could count on by its condition, or that an XR without the step has created,
 * - none that one of ours created is left behind without a managed resource,
 * - every deletion ends, and every observer finds what its owner finds.
 */
export const ownershipSettles = fc.property(
  uids,
  fc.record({
    reportsGeneration: fc.boolean(),
    remembers: fc.boolean(),
    hasNames: fc.boolean(),
    kind: fc.constantFrom(...(Object.keys(KINDS) as DeclaredKind[])),
  }),
  fc.array(anyMove(MOVES, PARTS), { minLength: 1, maxLength: 60, size: "max" }),
  (order, provider, moves) => {
    const world = new TagWorld(order, provider);
    for (const each of moves) makeMove(MOVES, world, each);
    for (let xr = 0; xr < XRS; xr++) {
      world.pause(xr, false);
      world.pauseManaged(xr, false);
    }
    settleAll(world);
    world.clearOrphans();
    const rounds = settleAll(world);
    const faults = [...world.faults, ...world.lasting];
    if (faults.length > 0) throw new Error(`after ${rounds} rounds: ${faults.join("; ")}`);
  },
);

function settleAll(world: TagWorld): number {
  const rounds = settle(
    () => world.print,
    () => reconcileAll(world),
  );
  if (rounds === undefined) throw new Error("does not settle");
  return rounds;
}

function reconcileAll(world: TagWorld): void {
  for (let xr = 0; xr < XRS; xr++) world.provide(xr);
  for (const xr of world.living) world.reconcile(xr, 0);
  for (let xr = 0; xr < XRS; xr++) world.provide(xr);
}
