import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import {
  type AdoptionParts,
  adopt,
  answerOf,
  bucket,
  controlledBy,
  labelled,
  referring,
  restoredStore,
  store,
} from "../../../testing/builders/composed.ts";

const conditionOf = (parts: AdoptionParts, draft?: Draft) => adopt(parts, draft).conditions[0];

const nestedStore = restoredStore({
  ...referring("a"),
  metadata: { name: "store", uid: "uid-now", ...labelled("root") },
});

const namespacedStore = store({
  metadata: { name: "store", namespace: "team-a", uid: "uid-now" },
  spec: { crossplane: { resourceRefs: [{ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: "a" }] } },
});
const OUTSIDE = "it is not in the XR's namespace, so this XR did not compose it; remove its reference from the XR";

const A = "a (Bucket.cloud.example.org/a):";
const UNPROVEN = `${A} it has no controller, and nothing proves that this XR composed it: its label crossplane.io/composite is`;
const setLabel = (name: string) =>
  `${UNPROVEN} other instead of ${name}; if this XR did, set its label crossplane.io/composite to ${name}; if not, remove its ` +
  "reference from the XR";
const restored = "Bucket.cloud.example.org/a: it was restored during this reconcile; the next reconcile observes it";
const foreign = bucket("a", controlledBy("u", "other"));
const unproven = { a: bucket("a", labelled("other")) };
const inTeamA = (found: JsonObject): AdoptionParts => ({
  xr: namespacedStore,
  answers: { "adoption/Bucket.cloud.example.org/team-a/a": [found] },
});

/** The severity of the event with a reason; who waits for an answer has none. */
function severityOf(reason: string): readonly string[] {
  if (reason === "WaitingForRequiredResources") return [];
  if (["ControlledByAnother", "Released"].includes(reason)) return ["Warning"];
  return ["Adopted", "Adopting", "NoLongerDesired"].includes(reason) ? ["Normal"] : ["Fatal"];
}

describe("ResourcesAdopted says what is wrong with a resource, and how to go on", () => {
  const block = { onUnadopted: "Block", onUnproven: "Release", onMissing: "Recreate" };
  const inner = { ...restoredStore(referring("x")), metadata: { name: "a", ...controlledBy("uid-now") } };
  const nested = { name: "store", uid: "uid-now", ...labelled("root"), ...controlledBy("u", "root") };
  test.each<[when: string, reason: string, message: string | undefined, parts?: AdoptionParts]>([
    [
      "a resource is left out",
      "NoLongerDesired",
      `${A} no longer desired; Crossplane deletes it`,
      { observed: { a: bucket("a", controlledBy("uid-now")) } },
    ],
    [
      "a restored resource is left out",
      "Adopting",
      `${A} desired again until this XR controls it, so that Crossplane can delete it properly`,
      { observed: { a: bucket("a") } },
    ],
    [
      "a nested XR has not taken back its own",
      "Adopting",
      "a (XStore.apps.example.org/a): kept until it controls its own composed resources again",
      { observed: { a: inner } },
    ],
    [
      "onUnadopted: Block",
      "Unadopted",
      `${A} it has no controller; desire it again until this XR controls it, or set onUnadopted: Adopt`,
      { observed: { a: bucket("a") }, policy: block },
    ],
    ["nothing proves whose it is", "Unproven", setLabel("store"), { observed: unproven }],
    [
      "nothing proves whose it is, and the XR is nested",
      "Unproven",
      setLabel("root"),
      { xr: store({ ...referring("a"), metadata: nested }), observed: unproven },
    ],
    [
      "the XR waits for its own adoption",
      "WaitingForComposite",
      `${A} it has no controller, and nothing confirms that this XR is nested below root, as its label crossplane.io/composite ` +
        "says: XStore.apps.example.org/store has no controller; XR root has to adopt this XR first; if this XR is not nested, remove " +
        "the label from it",
      { xr: nestedStore, observed: { a: bucket("a", labelled("root")) } },
    ],
    [
      "onUnproven: Release",
      "Released",
      `${UNPROVEN} other instead of store; released, because onUnproven is Release`,
      { observed: unproven, policy: { onUnproven: "Release" } },
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
      { answers: answerOf(foreign) },
    ],
    [
      "a namespaced XR names what is cluster-scoped, of which it is told nothing",
      "ControlledByAnother",
      `Bucket.cloud.example.org/team-a/a: ${OUTSIDE}`,
      inTeamA(foreign),
    ],
    [
      "the same, which nobody controls",
      "Unproven",
      `Bucket.cloud.example.org/team-a/a: ${OUTSIDE}`,
      inTeamA(bucket("a", labelled("secret-project"))),
    ],
    [
      "the XR's former self controls it",
      "StaleController",
      "Bucket.cloud.example.org/a: it is controlled by UID uid-then, which this XR had before it was restored; remove that " +
        "owner reference from the resource, and this XR adopts it",
      {
        answers: answerOf(bucket("a", controlledBy("uid-then"))),
        policy: { onMissing: "Recreate", onUnproven: "Release" },
      },
    ],
    [
      "it is missing after a restore",
      "MissingAfterRestore",
      "Bucket.cloud.example.org/a: it does not exist, and the XR's references come from a backup; restore it too, or remove " +
        "its reference from the XR, or set onMissing: Recreate",
      { xr: restoredStore(referring("a")), answers: answerOf() },
    ],
    ["it is gone", "Adopted", undefined, { answers: answerOf() }],
    ["it came back just now", "RestoreInProgress", restored, { answers: answerOf(bucket("a")) }],
    [
      "it came back just now, without its composed name",
      "RestoreInProgress",
      restored,
      { answers: answerOf(bucket("a", { annotations: {} })) },
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
        answers: answerOf(bucket("a")),
      },
    ],
  ])("where %s: %s", (_when, reason, message, parts = {}) => {
    const { conditions, results, resources } = adopt({ xr: store(referring("a")), ...parts });
    expect(conditions[0]).toMatchObject({ reason, message });
    expect(results.map(({ severity }) => severity)).toEqual(severityOf(reason));
    if (reason !== "Adopting") expect(resources.size).toBe(0);
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
  test.each<[what: string, desired: AdoptionParts["desired"], draft: Partial<Draft>, reason: string]>([
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
  const sentence = "no longer desired; Crossplane deletes it";
  /** An XR that was told of this resource that it is no longer desired. */
  const toldOf = (name: string, ...references: readonly string[]): JsonObject => {
    const message = `${name} (Bucket.cloud.example.org/${name}): ${sentence}`;
    const condition = { type: "ResourcesAdopted", status: "True", reason: "NoLongerDesired", message };
    return store({ ...referring(...references), status: { conditions: [condition] } });
  };

  test("only where the same resources were left out before, and are left out now", () => {
    const others = conditionOf({ xr: toldOf("b", "a"), observed: { a: left } });
    const desired = conditionOf({ xr: toldOf("a", "a"), observed: { a: left }, desired: { a: {} } });
    expect([others?.reason, desired?.reason]).toEqual(["NoLongerDesired", "Adopted"]);
  });

  test("and says so of those alone", () => {
    const parts = { xr: toldOf("a", "a", "b"), observed: { a: left, b: bucket("b") } };
    const { reason, message } = conditionOf(parts) ?? {};
    expect(reason).toBe("StepNotLast");
    expect(message).toBe(
      "a (Bucket.cloud.example.org/a): not desired by the steps before this one, but the XR still refers to it; move this step " +
        "to the end of the pipeline; b (Bucket.cloud.example.org/b): desired again until this XR controls it, so that " +
        "Crossplane can delete it properly",
    );
  });
});
