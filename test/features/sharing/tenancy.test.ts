import fc from "fast-check";
import { expect, test } from "vitest";
import { metadataOf, SECRET } from "../../../testing/simulations/store.ts";
import { Tenancy } from "../../../testing/simulations/tenancy.ts";
import type { Composition } from "../../../testing/simulations/tenancy-composition.ts";
import { nobodyGains, play } from "../../../testing/simulations/tenancy-property.ts";
import { ownersOf } from "../../../testing/simulations/tenancy-provider.ts";

/** The same histories in every run; `npm run properties` plays a hundred thousand others. */
const parameters = { seed: 20261121, numRuns: 300 };
const TIMEOUT_MS = 120_000;

test(
  "whatever a hostile team writes, it gains no byte that is not granted, and nobody else loses a Secret",
  () => fc.assert(nobodyGains, parameters),
  TIMEOUT_MS,
);

const byName: Composition = {
  select: "name",
  minMatch: 1,
  namespaces: "own",
  via: "Object",
  grant: "Annotation",
  resolution: "Required",
  xrs: "namespaced",
  databases: "namespaced",
  takes: "copy",
};

test("fields go with the grant of the database that they are of, also where a copy is still of another one that is gone", () => {
  const everywhere: Composition = { ...byName, select: "labels everywhere", takes: "copy and fields" };
  const moves = [
    { is: "audit" },
    { is: "grant", database: "billing", teams: ["team-a"] },
    { is: "relabel", database: "orders" },
    { is: "deleteDatabase", database: "orders" },
    { is: "reconcile", team: "team-a" }, // now bound to billing, while the copy is still of orders
    { is: "relabel", database: "billing" },
    { is: "grant", database: "billing", teams: [] },
  ] as const;
  play(new Tenancy([everywhere, byName, byName], false), moves);
});

test("a policy goes with the grant that it depends on, also where the XR names a decoy that grants and has no such field", () => {
  const patched: Composition = { ...byName, databases: "clusterScoped", takes: "fields", depends: "patched" };
  const moves = [
    { is: "audit" },
    { is: "createDecoy" },
    { is: "edit", edit: { database: "decoy" } },
    { is: "grant", database: "orders", teams: [] },
  ] as const;
  play(new Tenancy([patched, patched, patched], false), moves);
});

test("a record that names another database keeps no fields of one that took its grant back", () => {
  const fields: Composition = { ...byName, takes: "fields" };
  const moves = [
    { is: "grant", database: "billing", teams: ["evil"] },
    { is: "audit" },
    { is: "grant", database: "orders", teams: [] },
    { is: "forgeRecord", database: "billing", copy: "" },
    { is: "audit" },
  ] as const;
  play(new Tenancy([byName, byName, fields], false), moves);
});

test("a Composition that asks nobody for a grant is noticed", () => {
  const unguarded: Composition = { ...byName, grant: "None" };
  const tenancy = new Tenancy([unguarded, unguarded, unguarded], false);
  const moves = [{ is: "grant", database: "orders", teams: [] }] as const;
  expect(() => play(tenancy, moves)).toThrow("holds bytes of orders, which is not granted to");
});

test("a Secret that its team takes from the Object that owns it stays when the XR goes", () => {
  const tenancy = new Tenancy([byName, byName, byName], false);
  const { store } = tenancy.world;
  const audit = { is: "audit" };
  play(tenancy, [audit, audit, audit]);
  const name = { namespace: "team-b", name: "orders-db" };
  const secret = store.get(SECRET, name) ?? {};
  expect(ownersOf(secret)).toHaveLength(1);
  tenancy.byHand("team-b", "orders-db", true);
  store.put({ ...secret, metadata: { ...metadataOf(secret), annotations: {} }, data: { theirs: "" } });
  play(tenancy, [audit, audit, { is: "deleteXr" }]);
  expect(store.get(SECRET, name)).toMatchObject({ data: { theirs: "" } });
});
