import { expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { at, desiredOf, says, tagsIn } from "../../../testing/builders/read-draft.ts";
import { applied, bucket, CREATED, named, ownedBy, READY, run, team } from "../../../testing/builders/tags.ts";

// Two steps of one pipeline that select the same resource: the first decides who owns it, the second only tags what the XR owns.

const orders = bucket({}, named);
const first = { add: [team], resources: [{ kind: "Bucket" }] };
const second = { add: [{ key: "cost", value: "1" }] };

/** Runs both steps: the second gets what the first desires, and its context. */
function runBoth(own: JsonObject | undefined, others: readonly JsonObject[], more: JsonObject = {}): readonly Draft[] {
  const parts = { observed: own ? { bucket: own } : {}, contenders: own ? [own, ...others] : others };
  const one = run({ ...parts, tags: { ...first, ...more }, desired: { bucket: orders } });
  const context = JSON.parse(JSON.stringify(Object.fromEntries(one.context)));
  const two = run({ ...parts, tags: second, desired: { bucket: desiredOf(one) }, context });
  const repeated = run({ ...parts, tags: { ...first, ...more }, desired: { bucket: orders }, context });
  expect(desiredOf(repeated)).toEqual(desiredOf(one));
  return [one, two];
}

const ours = applied(run({ tags: first, desired: { bucket: orders }, contenders: [] }), "ours", CREATED, READY);
const ownXr = "Shop.apps.example.org/team-a/shop";
const owned = withPolicies(withMetadata(ours, { annotations: ownedBy(ownXr) }), "*");
const rival = withPolicies(
  withMetadata(ours, { name: "rival", uid: "rival", annotations: ownedBy("XShop/rival") }),
  "*",
);
const unobservable = { resources: [{ managementPolicies: false }] };
const bare = (object: JsonObject): JsonObject => ({ ...object, spec: orders["spec"] ?? null });

test.each<[reason: string, own: JsonObject | undefined, others: readonly JsonObject[], more?: JsonObject]>([
  ["is new", undefined, []],
  ["waits for its owner", ours, [rival]],
  ["repeats its owner's tags, since its kind cannot observe", bare(ours), [bare(rival)], unobservable],
])("what %s keeps the marks, policies and tags of the first step, whose condition stays", (_reason, ...setting) => {
  const [one, two] = runBoth(...setting) as [Draft, Draft];
  expect(two.resources.size).toBe(0);
  expect(says(two)).toBe(says(one));
});

test("what its XR owns, and does not delete, is told by the condition although the second step tags it", () => {
  const existing = withMetadata(owned, { annotations: { "crossplane.io/external-create-succeeded": null } });
  const [one, two] = runBoth(existing, []) as [Draft, Draft];
  expect(says(one)).toContain("ExistedBefore: ");
  expect([says(two), tagsIn(two)]).toEqual([says(one), { team: "shop", cost: "1" }]);
});

test("what its XR owns keeps them, too, and gets the tags of both", () => {
  const [one, two] = runBoth(owned, []) as [Draft, Draft];
  expect(at(desiredOf(two), "metadata")).toEqual(at(desiredOf(one), "metadata"));
  expect(tagsIn(two)).toEqual({ team: "shop", cost: "1" });
  expect(says(two)).toBe("Owned: 1 tagged");
});
