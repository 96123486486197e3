import { describe, expect, test } from "vitest";
import { tags } from "../../../src/features/tags/tags.ts";
import { parseInput } from "../../../src/input/parse.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DEPENDS_ON } from "../../../src/ownership/annotations.ts";
import { externallyNamed, withMetadata, withPolicies } from "../../../testing/builders/composed.ts";
import { objectSetBy, policiesOf } from "../../../testing/builders/read-draft.ts";
import { inputOf } from "../../../testing/builders/sharing.ts";
import { bucket, managed } from "../../../testing/builders/tags.ts";
import { callUntilStable } from "../../../testing/simulations/calls.ts";
import { lookUpIn, metadataOf } from "../../../testing/simulations/store.ts";

/** An XR whose Composition gives a composed resource another name: what the old one declares must not go with it. */

const WITHOUT_DELETE = ["Observe", "Create", "Update", "LateInitialize"];
const READY = { conditions: ["Synced", "Ready"].map((type) => ({ type, status: "True" })) };
type Objects = Readonly<Record<string, JsonObject>>;

class Xr {
  managed: Objects;
  readonly #owner: JsonObject;

  constructor(desired: Objects, owner: JsonObject = {}) {
    this.#owner = owner;
    this.managed = {};
    for (let round = 0; round < 3; round++) this.reconcile(desired);
  }

  /** Reconciles the XR as Crossplane does, and its provider finds what there is. What is not desired is deleted. */
  reconcile(desired: Objects, others: readonly JsonObject[] = []): Draft {
    const outcome = callUntilStable({
      xr: { apiVersion: "example.org/v1", kind: "XShop", metadata: { name: "shop" } },
      input: parseInput(inputOf({ tags: { add: [{ key: "team", value: "a" }], owner: this.#owner } })),
      observed: this.managed,
      desired,
      before: new Map(),
      lookUp: lookUpIn([...Object.values(this.managed), ...others]),
      feature: tags,
    });
    if (outcome.is === "frozen") throw new Error(outcome.because);
    const { resources } = outcome.draft;
    const edits = [...resources].flatMap(([name, edit]) =>
      edit.is === "set" ? [[name, objectSetBy(edit) ?? {}] as const] : [],
    );
    const left = Object.entries(desired).filter(([name]) => !resources.has(name));
    this.managed = Object.fromEntries([...edits, ...left].map(([name, object]) => [name, observe(name, object)]));
    return outcome.draft;
  }
}

/** The managed resource as the API server shows it: it was created for the first name. */
function observe(name: string, object: JsonObject): JsonObject {
  const isFirst = name === "bucket";
  const before = metadataOf(object)["annotations"] as JsonObject | undefined;
  const metadata = {
    name,
    uid: name,
    creationTimestamp: isFirst ? "2026-01-01T00:00:00Z" : "2026-02-01T00:00:00Z",
    ownerReferences: [{ apiVersion: "example.org/v1", kind: "XShop", name: "shop", uid: "shop", controller: true }],
    annotations: {
      "crossplane.io/external-name": "made-up",
      ...before,
      "crossplane.io/composition-resource-name": name,
      ...(isFirst && { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:01Z" }),
    },
  };
  const spec = { providerConfigRef: { name: "default" }, ...(object["spec"] as JsonObject) };
  return { ...withMetadata({ metadata: {}, ...object, spec }, metadata), status: READY };
}

const orders = bucket({ tags: {} }, externallyNamed("orders"));

describe("a composed resource that its Composition renames", () => {
  test.each<[reason: string, owner: JsonObject]>([
    ["", {}],
    [", also with onConflict: Withhold", { onConflict: "Withhold" }],
    [", also with onConflict: Fail", { onConflict: "Fail" }],
    [", also with onRelease: Delete", { onRelease: "Delete" }],
  ])("hands its cloud resource over to the new one%s", (_reason, owner) => {
    const xr = new Xr({ bucket: orders }, owner);
    expect(xr.managed["bucket"]).toMatchObject({ spec: { managementPolicies: ["*"] } });
    const drafts = Array.from({ length: 6 }, () => xr.reconcile({ store: orders }));
    const policies = drafts.map((draft) => [policiesOf(draft, "bucket"), policiesOf(draft, "store")]);
    const steps = [
      [["*"], ["Observe"]],
      [WITHOUT_DELETE, ["Observe"]],
      [undefined, ["Observe"]],
    ];
    expect(policies).toEqual([...steps, ...Array(3).fill([undefined, ["*"]])]);
    expect(drafts.map(({ conditions: [condition] }) => condition?.reason).at(-1)).toBe("Owned");
  });

  const queue = bucket({ tags: {} }, externallyNamed("other"));
  const isKept = (xr: Xr, desired: Objects) => xr.reconcile(desired).resources.get("bucket") !== undefined;
  const policy = (forProvider: JsonObject, rest?: JsonObject) =>
    managed("s3.aws.upbound.io/v1beta1", "BucketPolicy", { region: "eu-central-1", ...forProvider }, rest);
  const hiding = { store: policy({ bucketRef: { name: "a" } }) };
  const importing = { store: bucket({ tags: {} }, externallyNamed("made-up")) };
  test.each<[is: string, what: string, before: JsonObject, after: Objects, isKept: boolean]>([
    ["goes", "its new one declares another cloud resource", orders, { store: queue }, false],
    ["goes", "no other one does", orders, {}, false],
    ["goes", "its new one is only imported to be read", orders, { store: withPolicies(orders, "Observe") }, false],
    ["stays", "a reference hides what the new one declares", policy({ bucket: "a" }), hiding, true],
    ["stays", "the new one imports it by the cloud's name", bucket({ tags: {} }), importing, true],
    [
      "goes",
      "its grant has gone, though a reference hides what another one declares: a team may write one that leads nowhere",
      policy({ bucket: "a" }, { metadata: { annotations: { [DEPENDS_ON]: "{}" } } }),
      { store: policy({ bucketRef: { name: "a" } }) },
      false,
    ],
    ["goes", "its name is the cloud's", bucket({ tags: {} }), { store: bucket({ tags: {} }) }, false],
  ])("%s where %s", (_is, _what, before, after, kept) => {
    expect(isKept(new Xr({ bucket: before }), after)).toBe(kept);
  });
});

describe("a composed resource that its Composition desires no longer", () => {
  /** The managed resource of another XR that has begun to declare the same, and that no provider has looked at. */
  const another = (labels: JsonObject, name = "orders"): JsonObject => {
    const owner = { apiVersion: "example.org/v1", kind: "XShop", name: "other", uid: "other", controller: true };
    const one = withPolicies(bucket({ tags: {} }, externallyNamed(name)), "Observe");
    return withMetadata(one, { name: "other", uid: "other", labels, ownerReferences: [owner] });
  };
  const labelsOf = (xr: Xr): JsonObject => metadataOf(xr.managed["bucket"] ?? {})["labels"] as JsonObject;

  test("leaves its cloud resource to another XR that has just begun to declare it, and then goes", () => {
    const xr = new Xr({ bucket: orders });
    const others = [another(labelsOf(xr))];
    expect(policiesOf(xr.reconcile({}, others), "bucket")).toEqual(WITHOUT_DELETE);
    expect(xr.reconcile({}, others).resources.get("bucket")).toBeUndefined();
  });

  test.each<[reason: string, name: string, owner: JsonObject]>([
    ["the other one's labels are forged", "bills", {}],
    ["the owner is to delete it all the same", "orders", { onRelease: "Delete" }],
  ])("goes at once where %s", (_reason, name, owner) => {
    const xr = new Xr({ bucket: orders }, owner);
    expect(xr.reconcile({}, [another(labelsOf(xr), name)]).resources.get("bucket")).toBeUndefined();
  });
});
