import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DEPENDS_ON } from "../../../src/ownership/annotations.ts";
import { externallyNamed, withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { policiesOf } from "../../../testing/builders/read-draft.ts";
import { bucket, managed, WITHOUT_DELETE } from "../../../testing/builders/tags.ts";
import { metadataOf } from "../../../testing/simulations/store.ts";
import { CLOUD_NAME, TaggedXr } from "../../../testing/simulations/tagged-xr.ts";

/** An XR whose Composition gives a composed resource another name: what the old one declares must not go with it. */

type Objects = Readonly<Record<string, JsonObject>>;

/** The XR of a bucket that it has composed for some time. */
function shopOf(object: JsonObject, owner: JsonObject = {}): TaggedXr {
  const xr = new TaggedXr("shop", { bucket: object }, { tags: { owner } }).create();
  for (let round = 0; round < 3; round++) xr.reconcile();
  return xr;
}

/** Reconciles an XR whose Composition desires this from now on. */
function reconcile(xr: TaggedXr, desired: Objects, ...others: readonly JsonObject[]) {
  xr.desired = desired;
  return xr.reconcile(...others.map((other) => ({ managed: { other } })));
}

const orders = bucket({ tags: {} }, externallyNamed("orders"));

describe("a composed resource that its Composition renames", () => {
  test.each<[reason: string, owner: JsonObject]>([
    ["", {}],
    [", also with onConflict: Withhold", { onConflict: "Withhold" }],
    [", also with onConflict: Fail", { onConflict: "Fail" }],
    [", also with onRelease: Delete", { onRelease: "Delete" }],
  ])("hands its cloud resource over to the new one%s", (_reason, owner) => {
    const xr = shopOf(orders, owner);
    expect(xr.managed["bucket"]).toMatchObject({ spec: { managementPolicies: ["*"] } });
    const drafts = Array.from({ length: 6 }, () => reconcile(xr, { store: orders }));
    const policies = drafts.map((draft) => [policiesOf(draft, "bucket"), policiesOf(draft, "store")]);
    const steps = [
      [["*"], ["Observe"]],
      [WITHOUT_DELETE, ["Observe"]],
      [undefined, ["Observe"]],
    ];
    expect(policies).toEqual([...steps, ...Array(3).fill([undefined, ["*"]])]);
    expect(drafts.map(({ conditions: [condition] }) => condition?.reason).at(-1)).toBe("Owned");
  });

  test("is told apart from two that have one external name, as by a patch set for all resources", () => {
    const xr = new TaggedXr("shop", { bucket: orders, store: orders }, { tags: {} }).create();
    const [, , draft] = Array.from({ length: 3 }, () => xr.reconcile());
    expect(draft?.conditions[0]?.message).toMatch(/^1 tagged, .*; this XR composes both: .* different external names/);
  });

  test("hands over although scopeFieldPaths change with the name", () => {
    const role = managed("iam.aws.upbound.io/v1beta1", "Role", { path: "/a/", tags: {} }, externallyNamed("deployer"));
    const scopedXr = (fields: readonly string[]) => {
      const scopeFieldPaths = fields.map((field) => `spec.forProvider.${field}`);
      return new TaggedXr("shop", { bucket: role }, { tags: { resources: [{ scopeFieldPaths }] } }).create();
    };
    const [former, xr] = [scopedXr([]), scopedXr(["path"])];
    for (let round = 0; round < 3; round++) former.reconcile();
    xr.managed = former.managed;
    const drafts = Array.from({ length: 6 }, () => reconcile(xr, { store: role }));
    const policies = drafts.map((draft) => [policiesOf(draft, "bucket"), policiesOf(draft, "store")]);
    expect(policies.slice(0, 2)).toEqual([
      [["*"], ["Observe"]],
      [WITHOUT_DELETE, ["Observe"]],
    ]);
    expect(policies.at(-1)).toEqual([undefined, ["*"]]);
  });

  test("hands over although its owner only observes, as after a restore that held it back", () => {
    const xr = shopOf(orders);
    xr.managed = { bucket: withPolicies(xr.managed["bucket"] ?? {}, "Observe") };
    const drafts = Array.from({ length: 4 }, () => reconcile(xr, { store: orders }));
    expect(drafts[0]?.conditions[0]?.message).not.toContain("ignored");
    expect([policiesOf(drafts[3] as Draft, "bucket"), policiesOf(drafts[3] as Draft, "store")]).toEqual([
      undefined,
      ["*"],
    ]);
  });

  const queue = bucket({ tags: {} }, externallyNamed("other"));
  const isKept = (xr: TaggedXr, desired: Objects) => reconcile(xr, desired).resources.get("bucket") !== undefined;
  const policy = (forProvider: JsonObject, rest?: JsonObject) =>
    managed("s3.aws.upbound.io/v1beta1", "BucketPolicy", { region: "eu-central-1", ...forProvider }, rest);
  const hiding = { store: policy({ bucketRef: { name: "a" } }) };
  const importing = { store: bucket({ tags: {} }, externallyNamed(CLOUD_NAME)) };
  test.each<[is: string, what: string, before: JsonObject, after: Objects, isKept: boolean]>([
    ["goes", "its new one declares another cloud resource", orders, { store: queue }, false],
    ["goes", "no other one does", orders, {}, false],
    ["goes", "its new one is only imported to be read", orders, { store: withPolicies(orders, "Observe") }, false],
    ["stays", "a reference hides what the new one declares", policy({ bucket: "a" }), hiding, true],
    ["stays", "the new one imports it by the cloud's name", bucket({ tags: {} }), importing, true],
    [
      "goes",
      "it only observes what the new one imports",
      withPolicies(bucket({ tags: {} }), "Observe"),
      importing,
      false,
    ],
    [
      "goes",
      "its grant has gone, though a reference hides what another one declares: a team may write one that leads nowhere",
      policy({ bucket: "a" }, { metadata: { annotations: { [DEPENDS_ON]: "{}" } } }),
      { store: policy({ bucketRef: { name: "a" } }) },
      false,
    ],
    ["goes", "its name is the cloud's", bucket({ tags: {} }), { store: bucket({ tags: {} }) }, false],
  ])("%s where %s", (_is, _what, before, after, kept) => {
    expect(isKept(shopOf(before), after)).toBe(kept);
  });
});

describe("a composed resource that its Composition desires no longer", () => {
  /** The managed resource of another XR that has begun to declare the same, and that no provider has looked at. */
  const another = (labels: JsonObject, name = "orders"): JsonObject => {
    const owner = { apiVersion: "example.org/v1", kind: "XShop", name: "other", uid: "other", controller: true };
    const one = withPolicies(bucket({ tags: {} }, externallyNamed(name)), "Observe");
    return withMetadata(one, { name: "other", uid: "other", labels, ownerReferences: [owner] });
  };
  const labelsOf = (xr: TaggedXr): JsonObject => metadataOf(xr.managed["bucket"] ?? {})["labels"] as JsonObject;

  test("leaves its cloud resource to another XR that has just begun to declare it, and then goes", () => {
    const xr = shopOf(orders);
    const others = [another(labelsOf(xr))];
    expect(policiesOf(reconcile(xr, {}, ...others), "bucket")).toEqual(WITHOUT_DELETE);
    expect(reconcile(xr, {}, ...others).resources.get("bucket")).toBeUndefined();
  });

  test.each<[reason: string, name: string, owner: JsonObject]>([
    ["the other one's labels are forged", "bills", {}],
    ["the owner is to delete it all the same", "orders", { onRelease: "Delete" }],
  ])("goes at once where %s", (_reason, name, owner) => {
    const xr = shopOf(orders, owner);
    expect(reconcile(xr, {}, another(labelsOf(xr), name)).resources.get("bucket")).toBeUndefined();
  });
});
