import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { externallyNamed, withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { CREATED } from "../../../testing/builders/tags.ts";
import { AccountsWorld, ROLE, type SharedKind, type Team } from "../../../testing/simulations/accounts.ts";
import { may, metadataOf } from "../../../testing/simulations/store.ts";

const [ONE, TWO] = ["111111111111", "222222222222"];
const team = (name: string, account: string, more: Partial<Team> = {}): Team => ({ name, account, ...more });

const BUCKET: SharedKind = {
  desired: {
    apiVersion: "s3.aws.m.upbound.io/v1beta1",
    kind: "Bucket",
    ...externallyNamed("acme-logs"),
    spec: { forProvider: { region: "eu-west-1" }, providerConfigRef: { kind: "ProviderConfig", name: "default" } },
  },
  toId: () => "arn:aws:s3:::acme-logs",
};

/** A kind whose provider reports no id that contains an account. */
const NAMELESS: SharedKind = { ...ROLE, toId: undefined };

const told = { isTold: true };
const stated = (account: string) => ({ owner: { account } });

const TAKEN = { "shared-infrastructure.fn.crossplane.io/take-ownership": "2026-02-01T00:00:00Z" };

function annotate(world: AccountsWorld, name: string, annotations: JsonObject): void {
  world.managed.set(name, withMetadata(world.managed.get(name) ?? {}, { annotations }));
}

/** Lets them become owners before one of them has created anything. */
function promote(world: AccountsWorld, names: readonly string[]): void {
  while (world.writers.length < names.length) {
    for (const name of names) world.reconcile(name);
    if (world.writers.length === 0) for (const name of names) world.provide(name);
  }
}

describe("one cloud resource of two namespaces with a ProviderConfig each", () => {
  test.each<[reason: string, kind: SharedKind, teams: readonly Team[]]>([
    ["whose name is unique in the whole cloud", BUCKET, [team("red", ONE), team("blue", ONE)]],
    ["whose ProviderConfigs say one account", ROLE, [team("red", ONE, told), team("blue", ONE, told)]],
    ["of which the cloud reports one id", ROLE, [team("red", ONE), team("blue", ONE)]],
    ["whose account both Compositions name", NAMELESS, [team("red", ONE, stated("a")), team("blue", ONE, stated("a"))]],
  ])("%s has one writer, is handed over, and goes with the last one", (_reason, kind, teams) => {
    const world = new AccountsWorld(kind, teams);
    world.settle(["red"]);
    world.settle(["red", "blue"]);
    expect([world.writers, world.log]).toEqual([["red"], ["red"]]);
    expect(world.conditions.get("blue")).toMatchObject({ status: "True", reason: "ObservedOnly" });
    world.delete("red");
    expect(world.cloud).toEqual(new Set([ONE]));
    world.settle(["blue"]);
    expect([world.writers, world.conditions.get("blue")?.reason]).toEqual([["blue"], "Owned"]);
    world.delete("blue");
    expect(world.cloud).toEqual(new Set());
    expect(world.mostCalls).toBeLessThanOrEqual(5);
  });

  test.each<[reason: string, kind: SharedKind, teams: readonly Team[], writes: number]>([
    ["a unique name", BUCKET, [team("red", ONE), team("blue", ONE)], 1],
    ["ProviderConfigs that say one account", ROLE, [team("red", ONE, told), team("blue", ONE, told)], 1],
    // Nothing tells before one is created: then the one that did not create it joins the other.
    ["ids of the cloud alone", ROLE, [team("red", ONE), team("blue", ONE)], 3],
  ])("created by both at once, known by %s, has one writer in the end", (_reason, kind, teams, writes) => {
    const world = new AccountsWorld(kind, teams);
    for (let round = 0; round < 12; round++) {
      for (const { name } of teams) world.reconcile(name);
      for (const { name } of teams) world.provide(name);
    }
    expect([world.writers, world.log.length]).toEqual([["red"], writes]);
    world.delete("red");
    expect(world.cloud).toEqual(new Set([ONE]));
  });

  test("that an asynchronous provider reports as created by both has one writer in the end", () => {
    const world = new AccountsWorld(ROLE, [team("red", ONE), team("blue", ONE)]);
    const names = ["red", "blue"];
    promote(world, names);
    for (const name of names) {
      world.managed.set(name, withMetadata(world.managed.get(name) ?? {}, { annotations: CREATED }));
    }
    world.settle(names);
    expect([world.writers, world.conditions.get("blue")?.reason]).toEqual([["red"], "ObservedOnly"]);
    world.delete("red");
    expect(world.cloud).toEqual(new Set([ONE]));
  });

  test("whose owner's Composition begins to only observe it is taken over", () => {
    const world = new AccountsWorld(BUCKET, [team("red", ONE), team("blue", ONE)]);
    world.settle(["red", "blue"]);
    const { metadata: _, ...red } = world.managed.get("red") as JsonObject;
    const { labels: __, ...metadata } = metadataOf(world.managed.get("red") as JsonObject);
    world.managed.set(
      "red",
      withPolicies({ ...red, metadata: { ...metadata, ...metadataOf(externallyNamed("acme-logs")) } }, "Observe"),
    );
    world.settle(["blue"]);
    expect([world.writers, world.conditions.get("blue")?.reason]).toEqual([["blue"], "Owned"]);
  });

  test("whose step is removed from the successor's Composition is told by the owner, which leaves it to the other", () => {
    const teams = [team("red", ONE), team("blue", ONE)] as const;
    const world = new AccountsWorld(BUCKET, teams);
    world.settle(["red", "blue"]);
    teams[1].lacksStep = true;
    world.settle(["blue", "red"]);
    expect(world.conditions.get("red")).toMatchObject({ status: "False", reason: "WrittenByAnother" });
    expect(world.conditions.get("red")?.message).toContain("another managed resource (Bucket blue/shop-blue of 2026");
    world.delete("red");
    expect(world.cloud).toEqual(new Set([ONE]));
  });

  const TABLE: SharedKind = {
    desired: {
      ...BUCKET.desired,
      apiVersion: "dynamodb.aws.m.upbound.io/v1beta1",
      kind: "Table",
      ...externallyNamed("orders"),
    },
    toId: undefined,
  };
  test.each<[reason: string, change: (blue: Team, world: AccountsWorld) => void, reason: string, mayDelete: boolean]>([
    [
      "is paused",
      (_blue, world) => annotate(world, "blue", { "crossplane.io/paused": "true" }),
      "WrittenByAnother",
      false,
    ],
    ["takes ownership", (_blue, world) => annotate(world, "blue", TAKEN), "WrittenByAnother", false],
    [
      "has moved to another region",
      (blue) => Object.assign(blue, { forProvider: { region: "eu-north-1" } }),
      "Owned",
      true,
    ],
  ])("whose successor lost the step, and %s: its owner goes on", (_reason, change, reason, mayDelete) => {
    const teams = [team("red", ONE, stated("a")), team("blue", ONE, stated("a"))] as const;
    const world = new AccountsWorld(TABLE, teams);
    world.settle(["red", "blue"]);
    expect(world.conditions.get("blue")?.reason).toBe("ObservedOnly");
    teams[1].lacksStep = true;
    world.reconcile("blue");
    change(teams[1], world);
    if (reason === "Owned") world.reconcile("blue");
    for (let times = 0; times < 3; times++) world.reconcile("red");
    expect(world.conditions.get("red")?.reason).toBe(reason);
    expect(may(world.managed.get("red"), "Delete")).toBe(mayDelete);
  });

  test("whose step is back in the successor's Composition, or whose successor is gone, has one writer as before", () => {
    const teams = [team("red", ONE), team("blue", ONE), team("green", ONE)] as const;
    const world = new AccountsWorld(BUCKET, teams);
    world.settle(["red", "blue", "green"]);
    const before = world.requirementsOf("red");
    teams[1].lacksStep = true;
    world.settle(["blue", "red"]);
    teams[1].lacksStep = false;
    world.delete("green");
    world.settle(["blue", "red"]);
    expect([world.writers, world.conditions.get("red")?.reason]).toEqual([["red"], "Owned"]);
    expect(world.requirementsOf("red")).toEqual(before);
  });

  test.each([
    ["two accounts", TWO, "Owned"],
    ["one account", ONE, "ObservedOnly"],
  ] as const)(
    "whose ProviderConfigs say %s is known by them where only one Composition names the account",
    (_, account, reason) => {
      const world = new AccountsWorld(NAMELESS, [
        team("red", ONE, { ...told, ...stated("prod") }),
        team("blue", account, told),
      ]);
      world.settle(["red"]);
      world.settle(["red", "blue"]);
      expect(["red", "blue"].map((name) => world.conditions.get(name)?.reason)).toEqual(["Owned", reason]);
    },
  );

  test("whose id is reported late has one writer, also if only the XR that did not create it names the account", () => {
    const world = new AccountsWorld(ROLE, [team("red", ONE, stated("a")), team("blue", ONE)]);
    for (const name of ["red", "blue"]) world.reconcile(name);
    for (const name of ["red", "blue"]) world.provide(name);
    world.reconcile("blue");
    world.provide("blue", false);
    world.settle(["blue", "red"]);
    expect(world.writers).toHaveLength(1);
  });

  test("that its owner is still creating is not written by the other one before it is known whose it is", () => {
    const world = new AccountsWorld(ROLE, [team("red", ONE), team("blue", ONE)]);
    for (let round = 0; round < 3; round++) {
      world.reconcile("red");
      world.provide("red", false);
    }
    const red = world.managed.get("red") as JsonObject;
    world.managed.set("red", { ...red, status: {} });
    for (let round = 0; round < 3; round++) {
      world.reconcile("blue");
      world.provide("blue", false);
    }
    expect(world.writers).toEqual(["red"]);
    expect(world.conditions.get("blue")).toMatchObject({ status: "False", reason: "AccountUnknown" });
    expect(world.conditions.get("blue")?.message).toContain("set tags.owner.account");
    world.settle(["red", "blue"]);
    expect([world.writers, world.conditions.get("blue")?.reason]).toEqual([["red"], "ObservedOnly"]);
  });

  test.each<[reason: string, red: Partial<Team>, blue: Partial<Team>]>([
    ["", {}, {}],
    [", since only the second Composition names its account,", {}, stated("a")],
    [", since one names it and the ProviderConfig of the other says it,", told, stated("a")],
  ])(
    "of which nothing tells whether it is one%s is written by both, and the condition of the second says so",
    (_reason, red, blue) => {
      const world = new AccountsWorld(NAMELESS, [team("red", ONE, red), team("blue", ONE, blue)]);
      world.settle(["red"]);
      world.settle(["red", "blue"]);
      expect(world.writers).toEqual(["red", "blue"]);
      expect(world.conditions.get("blue")).toMatchObject({ status: "False", reason: "AccountUnknown" });
    },
  );
});

describe("cloud resources of one name in two accounts", () => {
  test.each<[reason: string, teams: readonly Team[], isThere: boolean]>([
    ["that both create", [team("red", ONE), team("blue", TWO)], false],
    ["whose ProviderConfigs say that", [team("red", ONE, told), team("blue", TWO, told)], false],
    ["that existed before, by their ids", [team("red", ONE), team("blue", TWO)], true],
    ["that Compositions name", [team("red", ONE, stated("a")), team("blue", TWO, stated("b"))], false],
  ])("%s have an owner each, and nobody waits", (_reason, teams, isThere) => {
    const world = new AccountsWorld(ROLE, teams);
    if (isThere) for (const { account } of teams) world.cloud.add(account);
    world.settle(["red", "blue"]);
    expect(world.writers).toEqual(["red", "blue"]);
    const reason = isThere ? "ExistedBefore" : "Owned";
    expect([...world.conditions.values()].map((condition) => condition?.reason)).toEqual([reason, reason]);
  });
});

test("a steady XR asks for nothing but its contenders, whatever was looked up before", () => {
  const world = new AccountsWorld(ROLE, [team("red", ONE, told), team("blue", ONE, told)]);
  world.settle(["red", "blue"]);
  const asked = ["red", "blue"].flatMap((name) => world.requirementsOf(name));
  expect(asked.filter((name) => name.includes("account") || name.includes("external-name"))).toEqual([]);
});

test("a team's ProviderConfig that leads nowhere does not keep another team from a name that is unique in the cloud", () => {
  const world = new AccountsWorld(BUCKET, [team("red", ONE), team("blue", TWO)]);
  world.reconcile("red"); // its provider never looks
  world.settle(["blue"]);
  expect([world.writers, world.conditions.get("blue")?.reason]).toEqual([["blue"], "Owned"]);
});

test("an owner whose account is named later stays the owner, and so does who observes it", () => {
  const owner: Record<string, string> = {};
  const teams = [team("red", ONE, { owner }), team("blue", ONE, { owner })];
  const world = new AccountsWorld(ROLE, teams);
  world.settle(["red", "blue"]);
  owner["account"] = "production";
  const policies: unknown[] = [];
  for (const name of ["blue", "red", "blue", "red", "red", "blue", "blue", "red"]) {
    world.reconcile(name);
    world.provide(name);
    policies.push(...world.writers);
    expect(world.conditions.get("red")?.reason).not.toBe("WaitingForProvider");
  }
  expect(new Set(policies)).toEqual(new Set(["red"]));
  expect([...world.conditions.values()].map((one) => one?.reason)).toEqual(["Owned", "ObservedOnly"]);
  world.delete("red");
  expect(world.cloud).toEqual(new Set([ONE]));
});
