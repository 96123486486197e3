import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed } from "../../../testing/builders/composed.ts";
import { AccountsWorld, ROLE, type SharedKind, type Team } from "../../../testing/simulations/accounts.ts";

const ACCOUNT = "111111111111";

/** A kind in no table. */
const CLUSTER: SharedKind = {
  desired: {
    apiVersion: "mongodbatlas.m.example.org/v1beta1",
    kind: "Cluster",
    ...externallyNamed("main"),
    spec: { forProvider: { tags: {} }, providerConfigRef: { kind: "ProviderConfig", name: "default" } },
  },
  toId: undefined,
};

const BUCKET: SharedKind = {
  desired: { ...ROLE.desired, apiVersion: "s3.aws.m.upbound.io/v1beta1", kind: "Bucket", ...externallyNamed("logs") },
  toId: () => "arn:aws:s3:::logs",
};

/** A parent tells its account. */
const INSTANCE: SharedKind = {
  desired: { ...ROLE.desired, apiVersion: "redis.gcp.m.upbound.io/v1beta1", kind: "Instance" },
  toId: undefined,
};

interface Shared {
  readonly kind: SharedKind;
  readonly told: Partial<Team>;
}

const shared: readonly (readonly [reason: string, of: Shared])[] = [
  ["whose ProviderConfigs say one account", { kind: ROLE, told: { isTold: true } }],
  ["of which the cloud reports one id", { kind: ROLE, told: {} }],
  ["of a kind in no table", { kind: CLUSTER, told: { owner: { account: "a" } } }],
  ["whose project tells the account", { kind: INSTANCE, told: {} }],
  ["whose name is unique in the whole cloud", { kind: BUCKET, told: {} }],
];

const counting = (...fields: readonly string[]): readonly JsonObject[] => {
  const scopeFieldPaths = fields.map((field) => `spec.forProvider.${field}`);
  return [{ fieldPath: "spec.forProvider.tags", scopeFieldPaths }];
};

const changes = [
  ["a first field", counting(), counting("cell")],
  ["no field any more", counting("cell"), counting()],
  ["another field", counting("cell"), counting("alias")],
] as const;

const cases = shared.flatMap(([reason, of]) =>
  changes.flatMap(([what, from, to]) =>
    (["red", "blue"] as const).map((first) => ({ reason, what, first, ...of, from, to })),
  ),
);
type Case = (typeof cases)[number];

/** A world in which red owns, and blue observes. `change` gives a team the new Composition. */
function begin({ kind, told, from, to }: Case) {
  const toTeam = (name: string): Team => {
    return {
      name,
      account: ACCOUNT,
      forProvider: { project: "p", cell: "x", alias: "y", tags: {} },
      ...told,
      resources: from,
    };
  };
  const teams = ["red", "blue"].map(toTeam);
  const world = new AccountsWorld(kind, teams);
  world.settle(["red"]);
  world.settle(["red", "blue"]);
  const change = (name: string) => {
    for (const team of teams) if (team.name === name) team.resources = to;
  };
  const join = (name: string) => teams.push(toTeam(name));
  return { world, change, join };
}

/** Reconciles and provides in turns, and expects one writer at any time. */
function settleWithOneWriter(world: AccountsWorld, names: readonly string[], rounds = 6): void {
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      world.reconcile(name);
      expect(world.writers).toHaveLength(1);
      world.provide(name);
    }
  }
}

describe("one cloud resource of two XRs, while scopeFieldPaths name other fields in the Composition of the first of them", () => {
  test.each(cases)("$reason, $what, $first first: has one writer, and goes with the last XR", (it) => {
    const { world, change, join } = begin(it);
    change(it.first);
    settleWithOneWriter(world, ["red", "blue"]);
    join("green"); // with the former Composition
    join("white");
    change("white");
    settleWithOneWriter(world, ["red", "blue", "green", "white"]);
    for (const name of ["blue", "green", "white"]) {
      expect(world.conditions.get(name)).toMatchObject({ status: "True", reason: "ObservedOnly" });
    }
    for (const name of ["red", "blue", "green"]) change(name);
    settleWithOneWriter(world, ["white", "green", "blue", "red"]);
    expect(world.log).toEqual(["red"]);
    for (const name of ["red", "blue", "green"]) world.delete(name);
    expect(world.cloud.size).toBe(1);
    world.settle(["white"]);
    expect(world.conditions.get("white")?.reason).toBe("Owned");
    world.delete("white");
    expect(world.cloud.size).toBe(0);
  });

  test.each(cases)("$reason, $what, $first first: is not lost with an XR that goes meanwhile", (it) => {
    for (const [gone, left] of [
      ["red", "blue"],
      ["blue", "red"],
    ] as const) {
      for (const steps of [1, 3, 12]) {
        const { world, change } = begin(it);
        change(it.first);
        const others = ["red", "blue"].filter((name) => name !== it.first);
        settleWithOneWriter(world, [it.first, ...others], Math.ceil(steps / 2));
        world.delete(gone);
        expect(world.cloud.size).toBe(1);
        change(left);
        world.settle([left]);
        expect([world.writers, world.conditions.get(left)?.reason]).toEqual([[left], "Owned"]);
      }
    }
  });
});

describe("two cloud resources that counted as one", () => {
  const told = { account: ACCOUNT, owner: { account: "a" } };
  test.each(["red", "blue"])("are two once scopeFieldPaths distinguish them, %s first", (first) => {
    const teams = ["red", "blue"].map(
      (name): Team => ({ name, ...told, forProvider: { cell: name, tags: {} }, resources: counting() }),
    );
    const world = new AccountsWorld(CLUSTER, teams);
    world.settle(["red"]);
    world.settle(["red", "blue"]);
    expect(world.writers).toEqual(["red"]);
    for (const name of [first, "red", "blue"]) {
      for (const team of teams) if (team.name === name) team.resources = counting("cell");
      world.settle(["red", "blue"]);
    }
    expect(world.writers.toSorted()).toEqual(["blue", "red"]);
  });
});
