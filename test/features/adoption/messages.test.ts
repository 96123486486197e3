import { describe, expect, test } from "vitest";
import { adoption } from "../../../src/features/adoption/adoption.ts";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  bucket,
  type ComposedParts,
  composedCall,
  controlledBy,
  referring,
  restoredStore,
  store,
} from "../../../testing/builders/composed.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";

type Parts = Omit<ComposedParts, "spec"> & { readonly policy?: JsonObject };

const conditionOf = ({ policy = {}, ...parts }: Parts, draft: Draft = emptyDraft) =>
  runFeature(adoption, composedCall({ ...parts, spec: { adoption: policy } }), draft).conditions[0];

const answer = (...resources: readonly JsonObject[]) => ({ "adoption/Bucket.cloud.example.org/a": resources });
const labelled = (name: string) => ({ labels: { "crossplane.io/composite": name } });
const nestedStore = restoredStore({
  ...referring("a"),
  metadata: { name: "store", uid: "uid-now", ...labelled("root") },
});

const namespacedStore = store({
  metadata: { name: "store", namespace: "team-a", uid: "uid-now" },
  spec: { crossplane: { resourceRefs: [{ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: "a" }] } },
});
const OUTSIDE = "it is not in the XR's namespace, so this XR did not compose it; remove its reference from the XR";

describe("ResourcesAdopted says what is wrong with a resource, and how to go on", () => {
  test.each<[when: string, reason: string, message: string | undefined, parts?: Parts]>([
    [
      "a resource is left out",
      "NoLongerDesired",
      "a (Bucket.cloud.example.org/a): no longer desired; Crossplane deletes it",
      { observed: { a: bucket("a", controlledBy("uid-now")) } },
    ],
    [
      "a restored resource is left out",
      "Adopting",
      "a (Bucket.cloud.example.org/a): desired again until this XR controls it, so that Crossplane can delete it properly",
      { observed: { a: bucket("a") } },
    ],
    [
      "a nested XR has not taken back its own",
      "Adopting",
      "a (XStore.apps.example.org/a): kept until it controls its own composed resources again",
      { observed: { a: { ...restoredStore(referring("x")), metadata: { name: "a", ...controlledBy("uid-now") } } } },
    ],
    [
      "onUnadopted: Block",
      "Unadopted",
      "a (Bucket.cloud.example.org/a): it has no controller; desire it again until this XR controls it, or set onUnadopted: Adopt",
      { observed: { a: bucket("a") }, policy: { onUnadopted: "Block", onUnproven: "Release", onMissing: "Recreate" } },
    ],
    [
      "nothing proves whose it is",
      "Unproven",
      "a (Bucket.cloud.example.org/a): it has no controller, and nothing proves that this XR composed it: its label " +
        "crossplane.io/composite is other instead of store; if this XR did, set its label crossplane.io/composite to store; if " +
        "not, remove its reference from the XR",
      { observed: { a: bucket("a", labelled("other")) } },
    ],
    [
      "nothing proves whose it is, and the XR is nested",
      "Unproven",
      "a (Bucket.cloud.example.org/a): it has no controller, and nothing proves that this XR composed it: its label " +
        "crossplane.io/composite is other instead of root; if this XR did, set its label crossplane.io/composite to root; if " +
        "not, remove its reference from the XR",
      {
        xr: store({
          ...referring("a"),
          metadata: { name: "store", uid: "uid-now", ...labelled("root"), ...controlledBy("u", "root") },
        }),
        observed: { a: bucket("a", labelled("other")) },
      },
    ],
    [
      "the XR waits for its own adoption",
      "WaitingForComposite",
      "a (Bucket.cloud.example.org/a): it has no controller, and nothing confirms that this XR is nested below root, as its label " +
        "crossplane.io/composite says: XStore.apps.example.org/store has no controller; XR root has to adopt this XR first; if " +
        "this XR is not nested, remove the label from it",
      { xr: nestedStore, observed: { a: bucket("a", labelled("root")) } },
    ],
    [
      "onUnproven: Release",
      "Released",
      "a (Bucket.cloud.example.org/a): it has no controller, and nothing proves that this XR composed it: its label " +
        "crossplane.io/composite is other instead of store; released, because onUnproven is Release",
      { observed: { a: bucket("a", labelled("other")) }, policy: { onUnproven: "Release" } },
    ],
    [
      "it is being deleted",
      "Adopted",
      undefined,
      { observed: { a: bucket("a", { deletionTimestamp: "2026-01-01T00:00:00Z" }) } },
    ],
    [
      "nobody has looked it up yet",
      "WaitingForRequiredResources",
      "Bucket.cloud.example.org/a: waiting for Crossplane to look it up",
    ],
    [
      "another XR controls it",
      "ControlledByAnother",
      "Bucket.cloud.example.org/a: controlled by XStore other, so left unchanged",
      { answers: answer(bucket("a", controlledBy("u", "other"))) },
    ],
    [
      "a namespaced XR names what is cluster-scoped, of which it is told nothing",
      "ControlledByAnother",
      `Bucket.cloud.example.org/team-a/a: ${OUTSIDE}`,
      {
        xr: namespacedStore,
        answers: { "adoption/Bucket.cloud.example.org/team-a/a": [bucket("a", controlledBy("u", "other"))] },
      },
    ],
    [
      "the same, which nobody controls",
      "Unproven",
      `Bucket.cloud.example.org/team-a/a: ${OUTSIDE}`,
      {
        xr: namespacedStore,
        answers: { "adoption/Bucket.cloud.example.org/team-a/a": [bucket("a", labelled("secret-project"))] },
      },
    ],
    [
      "the XR's former self controls it",
      "StaleController",
      "Bucket.cloud.example.org/a: it is controlled by UID uid-then, which this XR had before it was restored; remove that " +
        "owner reference from the resource, and this XR adopts it",
      {
        answers: answer(bucket("a", controlledBy("uid-then"))),
        policy: { onMissing: "Recreate", onUnproven: "Release" },
      },
    ],
    [
      "it is missing after a restore",
      "MissingAfterRestore",
      "Bucket.cloud.example.org/a: it does not exist, and the XR's references come from a backup; restore it too, or remove " +
        "its reference from the XR, or set onMissing: Recreate",
      { xr: restoredStore(referring("a")), answers: answer() },
    ],
    ["it is gone", "Adopted", undefined, { answers: answer() }],
    [
      "it came back just now",
      "RestoreInProgress",
      "Bucket.cloud.example.org/a: it was restored during this reconcile; the next reconcile observes it",
      { answers: answer(bucket("a")) },
    ],
    [
      "it came back just now, without its composed name",
      "RestoreInProgress",
      "Bucket.cloud.example.org/a: it was restored during this reconcile; the next reconcile observes it",
      { answers: answer(bucket("a", { annotations: {} })) },
    ],
    [
      "two references share a composed name",
      "RestoreInProgress",
      "Bucket.cloud.example.org/a: the XR refers to another resource that is composed as a; remove one of the two references " +
        "from the XR",
      {
        xr: store(referring("a", "b")),
        observed: { a: bucket("b", controlledBy("uid-now")) },
        desired: { a: {} },
        answers: answer(bucket("a")),
      },
    ],
  ])("where %s: %s", (_when, reason, message, parts = {}) => {
    expect(conditionOf({ xr: store(referring("a")), ...parts })).toMatchObject({ reason, message });
  });

  test("with the worst first, and resources of which the same is said together, by name", () => {
    const observed = {
      d: bucket("d", labelled("other")),
      c: bucket("c", controlledBy("uid-now")),
      a: bucket("a", controlledBy("uid-now")),
      b: bucket("b"),
    };
    const { reason, message } = conditionOf({ observed, policy: { onUnproven: "Release" } }) ?? {};
    expect(reason).toBe("Adopting");
    expect(
      message
        ?.split("; ")
        .filter((part) => part.includes("("))
        .map((part) => part.replace(/:.*/, "")),
    ).toEqual([
      "b (Bucket.cloud.example.org/b)",
      "d (Bucket.cloud.example.org/d)",
      "a (Bucket.cloud.example.org/a), c (Bucket.cloud.example.org/c)",
    ]);
  });

  test.each([
    { count: 10, end: "b18 (Bucket.cloud.example.org/b18), b19 (Bucket.cloud.example.org/b19): no longer" },
    { count: 11, end: "b18 (Bucket.cloud.example.org/b18), b19 (Bucket.cloud.example.org/b19) and 1 more: no longer" },
  ])("of $count resources with the names of ten", ({ count, end }) => {
    const names = Array.from({ length: count }, (_, index) => `b${10 + index}`);
    const observed = Object.fromEntries(names.map((name) => [name, bucket(name, controlledBy("uid-now"))]));
    const { message } = conditionOf({ observed }) ?? {};
    expect(message).toContain(end);
    expect(message).not.toContain("b20 (");
  });
});

describe("what a feature before this one has edited counts as it has left it", () => {
  const parts = { xr: store(referring("a")), observed: { a: bucket("a", controlledBy("uid-now")) } };
  test.each<[what: string, desired: Parts["desired"], draft: Partial<Draft>, reason: string]>([
    ["one that it desires is desired", {}, { resources: new Map([["a", { is: "set", object: {} }]]) }, "Adopted"],
    ["one that it left out is not", { a: {} }, { resources: new Map([["a", { is: "removed" }]]) }, "NoLongerDesired"],
    [
      "one beside it is as the steps before have it",
      { a: {} },
      { resources: new Map([["b", { is: "removed" }]]) },
      "Adopted",
    ],
  ])("%s", (_what, desired, draft, reason) => {
    expect(conditionOf({ ...parts, desired: desired ?? {} }, { ...emptyDraft, ...draft })?.reason).toBe(reason);
  });
});

describe("a step after this one is noticed", () => {
  const left = bucket("a", controlledBy("uid-now"));
  const saidBefore = (message: string): JsonObject => ({
    status: { conditions: [{ type: "ResourcesAdopted", status: "True", reason: "NoLongerDesired", message }] },
  });
  const sentence = "no longer desired; Crossplane deletes it";

  test("only where the same resources were left out before", () => {
    const xr = store({ ...referring("a"), ...saidBefore(`b (Bucket.cloud.example.org/b): ${sentence}`) });
    expect(conditionOf({ xr, observed: { a: left } })?.reason).toBe("NoLongerDesired");
  });

  test("only where resources are left out", () => {
    const xr = store({ ...referring("a"), ...saidBefore(`a (Bucket.cloud.example.org/a): ${sentence}`) });
    expect(conditionOf({ xr, observed: { a: left }, desired: { a: {} } })?.reason).toBe("Adopted");
  });

  test("and says so of those alone", () => {
    const xr = store({ ...referring("a", "b"), ...saidBefore(`a (Bucket.cloud.example.org/a): ${sentence}`) });
    const { reason, message } = conditionOf({ xr, observed: { a: left, b: bucket("b") } }) ?? {};
    expect(reason).toBe("StepNotLast");
    expect(message).toBe(
      "a (Bucket.cloud.example.org/a): not desired by the steps before this one, but the XR still refers to it; move this step " +
        "to the end of the pipeline; b (Bucket.cloud.example.org/b): desired again until this XR controls it, so that " +
        "Crossplane can delete it properly",
    );
  });
});
