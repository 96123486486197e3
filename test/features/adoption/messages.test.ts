import { describe, expect, test } from "vitest";
import { type Draft, emptyDraft, type ResourceEdit } from "../../../src/model/draft.ts";
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

const nested = { name: "store", uid: "uid-now", ...labelled("root") };
const nestedStore = restoredStore({ ...referring("a"), metadata: nested });

const namespacedStore = store({
  metadata: { name: "store", namespace: "team-a", uid: "uid-now" },
  spec: { crossplane: { resourceRefs: [{ apiVersion: "cloud.example.org/v1", kind: "Bucket", name: "a" }] } },
});

const OUTSIDE =
  "Bucket.cloud.example.org/team-a/a: it is not in the XR's namespace, so this XR did not compose it; remove it from " +
  "the XR's resourceRefs";

const A = "a (Bucket.cloud.example.org/a):";
const REFERRED = "Bucket.cloud.example.org/a:";
const UNPROVEN = `${A} it has no controller, and nothing proves that this XR composed it: its label crossplane.io/composite is other instead of`;
const FORGET = "remove the resource from the XR's resourceRefs";
const setLabel = (name: string) => `${UNPROVEN} ${name}. If this XR did, set that label to ${name}. If not, ${FORGET}`;
const unprovenIf = (because: string, remedy: string) =>
  `${A} it has no controller, and nothing proves that this XR composed it: ${because}. If this XR did, ${remedy}. If not, ${FORGET}`;
const CLEARED = unprovenIf(
  "its managed fields name another XR as its composer",
  "replace its metadata.managedFields with [{}]",
);
const CLAIM = "its label crossplane.io/claim-name differs from the XR's";
const restored = `${REFERRED} it was restored during this reconcile; the next reconcile observes it`;
const ours = { a: bucket("a", controlledBy("uid-now")) };
const foreign = bucket("a", controlledBy("u", "other"));
const other = { answers: answerOf(foreign) };
const stale = bucket("a", controlledBy("uid-then"));
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

const CHANGED =
  `${A} it has no controller, and the Composition has another kind under its name, so Crossplane would forget it. Delete it; if its cloud ` +
  "resource has to stay, such as for the resource of the other kind, first set deletionPolicy: Orphan on it, or managementPolicies without " +
  "Delete. Then remove the resource from the XR's resourceRefs";
const again = "desired again until this XR controls it, so that Crossplane can delete it properly";
const STALE =
  "Bucket.cloud.example.org/a: it is controlled by UID uid-then, which this XR had before it was restored. Remove that " +
  "owner reference from the resource: then this XR adopts the resource";
const MISSING =
  "Bucket.cloud.example.org/a: it does not exist, and the XR's resourceRefs come from a backup. Restore the resource, too. If it cannot be " +
  `restored, ${FORGET}, or set adoption.onMissing: Recreate: then Crossplane creates it anew if a step desires it`;
const RIVAL =
  "Bucket.cloud.example.org/a: the XR's resourceRefs have two resources for a, this one and the observed one: remove the wrong one " +
  "from resourceRefs";
const UNCONFIRMED =
  `${A} it has no controller. The label crossplane.io/composite of this XR says that this XR is nested in XR root, so the XRs above have to ` +
  "adopt this XR first: XStore.apps.example.org/store has no controller. If this XR is not nested, remove that label from this XR";

describe("ResourcesAdopted says what is wrong with a resource, and how to go on", () => {
  const inner = { ...restoredStore(referring("x")), metadata: { name: "a", ...controlledBy("uid-now") } };
  const nested = { name: "store", uid: "uid-now", ...labelled("root"), ...controlledBy("u", "root") };
  const nestedBelow = store({ ...referring("a"), metadata: nested });
  const secret = bucket("a", labelled("secret-project"));
  const foreignInTeam = bucket("a", { namespace: "team-a", ...controlledBy("u", "other") });
  const beside = "Bucket.cloud.example.org/team-a/a: controlled by XStore other, so left unchanged";
  const nameless = bucket("a", { annotations: {} });
  const deleting = bucket("a", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const gone = { xr: restoredStore(referring("a")), answers: answerOf() };
  const recreate = { onMissing: "Recreate", onUnproven: "Release" };
  const b = bucket("b", controlledBy("uid-now"));
  const both = store(referring("a", "b"));
  const rivals = { xr: both, observed: { a: b }, desired: { a: {} }, answers: answerOf(bucket("a")) };
  const words = { observed: { "x: run y": bucket("a", controlledBy("uid-now")) } };
  const blockedBy = { observed: { a: bucket("a") }, policy: { onUnadopted: "Block" } };
  const waiting = { xr: nestedStore, observed: { a: bucket("a", labelled("root")) } };
  const unlabelled = { observed: { a: bucket("a", { labels: {} }) } };
  const managedFields = [{ manager: "apiextensions.crossplane.io/composed/0" }];
  const appliedByOther = bucket("a", { ...labelled("store"), managedFields });
  const claimed = bucket("a", labelled("store", { "crossplane.io/claim-name": "x" }));
  const pending = `${REFERRED} waiting for Crossplane to look it up`;
  const kept =
    "a (XStore.apps.example.org/a): kept until this nested XR controls all of its composed resources again, and none of them only " +
    "observes: see its conditions";
  const blocked = `${A} it has no controller, and no step desires it. To keep it, put it back into the Composition. To have this XR adopt it and Crossplane delete it, set adoption.onUnadopted: Adopt`;
  const managed = { spec: { providerConfigRef: { name: "default" } } };
  const scoped = { apiVersion: "cloud.m.example.org/v1", kind: "Bucket" };
  const changed = { observed: { a: bucket("a", {}, managed) }, desired: { a: scoped } };
  const unprovenKind = { observed: { a: bucket("a", labelled("other"), managed) }, desired: { a: scoped } };
  const native = { observed: { a: bucket("a") }, desired: { a: scoped } };
  const controlled = { observed: { a: bucket("a", controlledBy("uid-now"), managed) }, desired: { a: scoped } };
  const inVersion = { ...changed, desired: { a: { ...scoped, apiVersion: "cloud.example.org/v2" } } };
  const release = { observed: unproven, policy: { onUnproven: "Release" } };
  test.each<[when: string, reason: string, message: string | undefined, parts?: AdoptionParts]>([
    ["a resource is left out", "NoLongerDesired", `${A} no longer desired; Crossplane deletes it`, { observed: ours }],
    [
      "a team has renamed it to words",
      "NoLongerDesired",
      `"x: run y" (${A.slice(3, -2)}): no longer desired; Crossplane deletes it`,
      words,
    ],
    ["a restored resource is left out", "Adopting", `${A} ${again}`, { observed: { a: bucket("a") } }],
    ["a nested XR has not taken back its own", "Adopting", kept, { observed: { a: inner } }],
    ["onUnadopted is Block", "Unadopted", blocked, blockedBy],
    ["another's label says whose it is", "Unproven", setLabel("store"), { observed: unproven }],
    [
      "no label says whose it is",
      "Unproven",
      unprovenIf("its label crossplane.io/composite is not set", "set that label to store"),
      unlabelled,
    ],
    ["a nested XR's has another's label", "Unproven", setLabel("root"), { xr: nestedBelow, observed: unproven }],
    ["its managed fields are another's", "Unproven", CLEARED, { observed: { a: appliedByOther } }],
    ["a claim's label is another's", "Unproven", unprovenIf(CLAIM, "remove that label"), { observed: { a: claimed } }],
    ["the XR waits for its own adoption", "WaitingForComposite", UNCONFIRMED, waiting],
    [
      "onUnproven is Release",
      "Released",
      `${UNPROVEN} store. By onUnproven: Release it is left to Crossplane: v2.3 and earlier delete it, v2.4 drops the reference to it`,
      release,
    ],
    ["the Composition has another kind under its name", "KindChanged", CHANGED, changed],
    ["the same, and nothing proves that it is this XR's", "Adopted", undefined, unprovenKind],
    ["the same, and it stands for nothing in the cloud", "Adopted", undefined, native],
    ["the same, and this XR controls it", "Adopted", undefined, controlled],
    ["only the version of its kind is another", "Adopted", undefined, inVersion],
    ["it is being deleted", "Adopted", undefined, { observed: { a: deleting } }],
    ["nobody has looked it up yet", "WaitingForRequiredResources", pending],
    ["another controls it", "ControlledByAnother", `${REFERRED} controlled by XStore other, so left unchanged`, other],
    ["a namespaced XR names what is cluster-scoped", "ControlledByAnother", OUTSIDE, inTeamA(foreign)],
    ["the same, which nobody controls", "Unproven", OUTSIDE, inTeamA(secret)],
    [
      "a namespaced XR names what another one controls beside it",
      "ControlledByAnother",
      beside,
      inTeamA(foreignInTeam),
    ],
    ["the XR's former self controls it", "StaleController", STALE, { answers: answerOf(stale), policy: recreate }],
    ["it is missing after a restore", "MissingAfterRestore", MISSING, gone],
    ["it is missing then, under onMissing: Recreate", "Adopted", undefined, { ...gone, policy: recreate }],
    ["it is gone", "Adopted", undefined, { answers: answerOf() }],
    ["it came back just now", "RestoreInProgress", restored, { answers: answerOf(bucket("a")) }],
    ["it came back without its name", "RestoreInProgress", restored, { answers: answerOf(nameless) }],
    ["two references share a composed name", "RestoreInProgress", RIVAL, rivals],
  ])("where %s: %s", (_when, reason, message, parts = {}) => {
    const { conditions, results, resources } = adopt({ xr: store(referring("a")), ...parts });
    expect(conditions[0]).toMatchObject({ reason, message });
    expect(results.map(({ severity }) => severity)).toEqual(severityOf(reason));
    if (reason !== "Adopting") expect(resources.size).toBe(0);
  });

  test("with the worst first, and resources of which the same is said together, by name", () => {
    const [c, a] = ["c", "a"].map((name) => bucket(name, controlledBy("uid-now"))) as [JsonObject, JsonObject];
    const observed = { d: bucket("d", labelled("other")), c, a, b: bucket("b") };
    const { reason, message = "" } = conditionOf({ observed, policy: { onUnproven: "Release" } }) ?? {};
    expect(reason).toBe("Adopting");
    const [inA, inB, inC, inD] = ["a", "b", "c", "d"].map((name) => `${name} (Bucket.cloud.example.org/${name})`);
    expect(message.match(/[a-d] \([^:]*(?=: )/g)).toEqual([inB, inD, `${inA}, ${inC}`]);
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

const parts = { xr: store(referring("a")), observed: ours };
type Row = [what: string, desired: Record<string, JsonObject>, name: string, edit: ResourceEdit, is: string];
test.each<Row>([
  ["one that it desires is desired", {}, "a", { is: "set", object: {} }, "Adopted"],
  ["one that it left out is not", { a: {} }, "a", { is: "removed" }, "NoLongerDesired"],
  ["one beside it is as the steps before have it", { a: {} }, "b", { is: "removed" }, "Adopted"],
])("what a feature before this one has edited counts as it has left it: %s", (_what, desired, name, edit, is) => {
  const draft = { ...emptyDraft, resources: new Map([[name, edit]]) };
  expect(conditionOf({ ...parts, desired }, draft)?.reason).toBe(is);
});

describe("a step after this one is noticed", () => {
  const sentence = "no longer desired; Crossplane deletes it";
  const notLast =
    "not desired by the steps before this one, but the XR still refers to it; move this step to the end of the pipeline";
  /** An XR that was told this of a resource. */
  const toldOf = (name: string, references: readonly string[], said = sentence): JsonObject => {
    const message = `${name} (Bucket.cloud.example.org/${name}): ${said}`;
    const condition = { type: "ResourcesAdopted", status: "True", reason: "NoLongerDesired", message };
    return store({ ...referring(...references), status: { conditions: [condition] } });
  };

  test("only where the same resources were left out before, and are left out now", () => {
    const others = conditionOf({ xr: toldOf("b", ["a"]), observed: ours });
    const desired = conditionOf({ xr: toldOf("a", ["a"]), observed: ours, desired: { a: {} } });
    expect([others?.reason, desired?.reason]).toEqual(["NoLongerDesired", "Adopted"]);
  });

  test.each([sentence, notLast])("and says so of those alone, of which was said: %s", (said) => {
    const { conditions, results } = adopt({ xr: toldOf("a", ["a", "b"], said), observed: { ...ours, b: bucket("b") } });
    const message = `${A} ${notLast}; b (Bucket.cloud.example.org/b): ${again}`;
    expect(conditions).toMatchObject([{ status: "False", reason: "StepNotLast", message }]);
    expect(results).toMatchObject([{ severity: "Warning", reason: "StepNotLast" }]);
  });
});
