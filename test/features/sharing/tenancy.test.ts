import fc from "fast-check";
import { expect, test } from "vitest";
import { nobodyGains, play } from "../../../testing/simulations/tenancy.ts";
import type { Composition } from "../../../testing/simulations/tenancy-composition.ts";

/** The same histories in every run; `npm run properties` plays a hundred thousand others. */
const parameters = { seed: 20261121, numRuns: 500 };
const TIMEOUT_MS = 120_000;

test(
  "whatever a hostile team writes, it gains no byte that is not granted, and nobody else loses a Secret",
  () => fc.assert(nobodyGains(), parameters),
  TIMEOUT_MS,
);

const unguarded: Composition = {
  select: "name",
  minMatch: 1,
  namespaces: "own",
  via: "Object",
  grant: "None",
  resolution: "Required",
  xrs: "namespaced",
  databases: "namespaced",
  takes: "copy",
};

test("a Composition that asks nobody for a grant is noticed", () => {
  const events = [{ is: "grant", database: "orders", teams: [] }] as const;
  expect(() => play({ compositions: [unguarded, unguarded, unguarded], isTwice: false, events })).toThrow(
    "holds bytes of orders, which is not granted to",
  );
});
