import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ownershipSettles } from "../../../testing/simulations/tag-property.ts";
import { TagWorld } from "../../../testing/simulations/tag-world.ts";

test("whatever the order of events, one writer is left and no XR loses a cloud resource that it counts on", () => {
  fc.assert(ownershipSettles, { seed: 7, numRuns: 800 });
}, 120_000);

/** Lets the XRs act, all of them once for each turn. */
function play(world: TagWorld, xrs: readonly number[], turns: readonly ("reconcile" | "provide")[], rounds = 1): void {
  for (let round = 0; round < rounds; round++) for (const turn of turns) for (const xr of xrs) world[turn](xr, 0);
}

test("twenty XRs created in the same second have one owner once their providers have looked and each is reconciled again", () => {
  const all = Array.from({ length: 20 }, (_, xr) => xr);
  const world = new TagWorld(all.toReversed());
  for (const xr of all) world.create(xr);
  play(world, all, ["reconcile", "provide", "reconcile"]);
  expect({ writers: world.writersOf("orders"), faults: world.faults }).toEqual({ writers: [19], faults: [] });

  // The owner lists the others, they record it, and from then on require it alone.
  play(world, all.toReversed(), ["provide"]);
  play(world, all, ["reconcile"], 2);
  const required = all.map((xr) =>
    [...(world.reconcile(xr, 0)?.requirements.values() ?? [])].map(({ match }) => match),
  );
  const owner = [{ labels: expect.anything() }, { labels: expect.anything() }]; // of both twins
  expect(required).toEqual(all.map((xr) => (xr === 19 ? owner : [{ name: "bucket-19" }])));
});

describe("of three ways into an account, of which one has an owner", () => {
  test.each<[reason: string, before: readonly number[], joins: number, staleness: number]>([
    ["a newer one of the owner's way", [1, 0, 2], 2, 0],
    ["one that has not seen the owner", [1, 3, 0], 3, 1],
  ])("%s brings nobody over to the first of another way", (_reason, before, joins, staleness) => {
    const world = new TagWorld([1, 2, 4, 3, 0], { kind: "role" });
    const look = (xr: number) => {
      world.create(xr, { isTwin: xr !== 0 && xr !== 2 });
      play(world, [xr], ["reconcile", "provide"]);
    };
    for (const xr of before) look(xr);
    world.reconcile(0, 0); // the owner
    world.reconcile(joins, staleness);
    look(4);
    world.reconcile(4, 0);
    expect(world.writersOf("orders")).toEqual([0]);
  });
});

test("of two ways into one account that are promoted at once, each from a list without the other as owner, one goes on", () => {
  const world = new TagWorld([0, 1, 2], { kind: "role", reportsGeneration: false });
  world.create(0);
  world.create(1, { hasManagedResource: true });
  world.create(2, { isTwin: true });
  for (let times = 0; times < 2; times++) world.reconcile(2, 0, () => world.provide(2));
  play(world, [0], ["reconcile", "provide", "reconcile"]);
  world.reconcile(2, 1); // from a list in which the other is not yet
  expect(world.writersOf("orders")).toEqual([1, 2, 0]);
  play(world, [0, 1, 2], ["reconcile"], 4);
  expect(world.writersOf("orders")).toHaveLength(1);
});

test("who created a VPC and who imports it by another ProviderConfig are one writer, also where neither knew of the other", () => {
  const world = new TagWorld([4, 0], { kind: "vpc" });
  for (const xr of [0, 1]) {
    world.create(xr, { isTwin: true });
    play(world, [xr], ["reconcile", "provide"]);
  }
  world.reconcile(1, 0); // who created it has no label yet
  expect(world.writersOf("orders")).toEqual([0, 1]);
  play(world, [0, 1], ["reconcile"], 3);
  expect(world.writersOf("orders")).toEqual([1]);
});

describe("who created a VPC leaves it to an importer that owns it by another ProviderConfig", () => {
  test.each<[when: string, story: (world: TagWorld) => void]>([
    [
      "that has not joined it yet",
      (world) => {
        play(world, [1], ["reconcile", "provide"], 2);
        world.reconcile(0, 0);
      },
    ],
    [
      "that has read no list with it",
      (world) => {
        world.reconcile(1, 0, () => world.provide(1));
        world.reconcile(1, 0);
        world.reconcile(0, 0);
        world.provide(1);
        world.reconcile(1, 1);
      },
    ],
  ])("%s", (_when, story) => {
    const world = new TagWorld([0, 1], { kind: "vpc", reportsGeneration: false });
    world.create(0, { hasManagedResource: true });
    world.create(1, { isTwin: true });
    story(world);
    world.delete(0);
    play(world, [0, 1], ["provide"], 3);
    expect({ writers: world.writersOf("orders"), faults: world.faults }).toEqual({ writers: [1], faults: [] });
  });
});

test("a resource that its Composition renames as this step is added needs nobody's help, where another way into the account has an owner", () => {
  const world = new TagWorld([1, 2, 4], { kind: "role" });
  world.create(2, { isTwin: true });
  world.create(0, { hasManagedResource: true });
  world.reconcile(2, 0);
  world.renameResource(0);
  for (let round = 0; round < 4; round++) {
    play(world, [0, 2], ["provide"]);
    play(world, [2, 0], ["reconcile"]);
  }
  expect({ writers: world.writersOf("orders"), lasting: world.lasting }).toEqual({ writers: [2], lasting: [] });
  expect(world.print).not.toContain('"isHeld":true'); // by the admission webhook, until an operator comes
});

test("an XR that hands over to itself stays stable while an operator moves ownership to another one", () => {
  const world = new TagWorld([1, 2]);
  for (const xr of [0, 1]) world.create(xr);
  play(world, [0, 1], ["reconcile", "provide", "reconcile"]);
  world.renameResource(0);
  world.take(1);
  play(world, [0, 1], ["reconcile", "provide"], 6);
  expect({ writers: world.writersOf("orders"), lasting: world.lasting }).toEqual({ writers: [1], lasting: [] });
});

test("an importer that has joined another one joins the creator all the same", () => {
  const world = new TagWorld([2, 3, 1, 4], { kind: "vpc" });
  world.create(3, { hasManagedResource: true });
  for (const xr of [2, 1]) {
    world.create(xr);
    play(world, [xr], ["reconcile", "provide"]);
  }
  world.delete(2);
  world.reconcile(1, 0); // joins 2
  world.provide(2);
  play(world, [3, 1], ["reconcile"], 4);
  expect(world.writersOf("orders")).toHaveLength(1);
});
