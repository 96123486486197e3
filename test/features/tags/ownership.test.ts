import fc from "fast-check";
import { expect, test } from "vitest";
import { ownershipSettles } from "../../../testing/simulations/tag-property.ts";
import { TagWorld } from "../../../testing/simulations/tag-world.ts";

test("whatever the order of events, one writer is left and no XR loses a cloud resource that it counts on", () => {
  fc.assert(ownershipSettles, { seed: 7, numRuns: 800 });
}, 120_000);

test("twenty XRs created in the same second have one owner once their providers have looked and each is reconciled again", () => {
  const all = Array.from({ length: 20 }, (_, xr) => xr);
  const world = new TagWorld(all.toReversed());
  for (const xr of all) world.create(xr);
  for (const xr of all) world.reconcile(xr, 0);
  for (const xr of all) world.provide(xr);
  for (const xr of all) world.reconcile(xr, 0);
  expect({ writers: world.writersOf("orders"), faults: world.faults }).toEqual({ writers: [19], faults: [] });

  // The owner lists the others, they record it, and from then on require it alone.
  for (const xr of all.toReversed()) world.provide(xr);
  for (let round = 0; round < 2; round++) for (const xr of all) world.reconcile(xr, 0);
  const required = all.map((xr) =>
    [...(world.reconcile(xr, 0)?.requirements.values() ?? [])].map(({ match }) => match),
  );
  const owner = [{ labels: expect.anything() }, { labels: expect.anything() }]; // of both twins
  expect(required).toEqual(all.map((xr) => (xr === 19 ? owner : [{ name: "bucket-19" }])));
});
