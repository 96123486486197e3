import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { fieldManagerOf } from "../../../src/crossplane/metadata.ts";
import { findProof, type PossibleComposer, toPossibleComposer } from "../../../src/crossplane/proof.ts";
import * as verdicts from "../../../src/features/adoption/adoption-verdict.ts";
import type { Prover } from "../../../src/features/own-resources.ts";
import { type Document, documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { LookupAnswer } from "../../../src/model/requirement.ts";
import { bucket, controlledBy, labelled, referring, restoredStore, store } from "../../../testing/builders/composed.ts";

const compositeOf = (xr: JsonObject) => toPossibleComposer(toComposite(documentOf(xr)));
const composite = compositeOf(store());

/** A proof that depends on the XRs above stays pending here: they are not looked up. */
const proverFor = (composer: PossibleComposer): Prover => ({
  composer,
  prove: (resource) => {
    const proof = findProof(resource, composer);
    return proof.is === "nested" ? { is: "pending" } : proof;
  },
});
const judgeObserved = (resource: Document, composer: PossibleComposer) =>
  verdicts.judgeObserved(resource, proverFor(composer), () => [], false);

const appliedBy = (...managers: readonly string[]): JsonObject => ({
  managedFields: managers.map((manager) => ({ manager, operation: "Apply" })),
});
const ours = fieldManagerOf({ apiVersion: "apps.example.org/v1", kind: "XStore", name: "store" });

test("the name of the field manager is the one that Crossplane computes", () => {
  // sha256 of "storeXStore.apps.example.org", as ComposedFieldOwnerName makes it.
  expect(ours).toMatch(/^apiextensions\.crossplane\.io\/composed\/[0-9a-f]{64}$/);
  expect(fieldManagerOf({ apiVersion: "v1", kind: "Thing", name: "a" })).not.toBe(
    fieldManagerOf({ apiVersion: "g/v1", kind: "Thing", name: "a" }),
  );
});

const theirs = { "crossplane.io/claim-name": "theirs", "crossplane.io/claim-namespace": "team-b" };
const owners = [{ uid: "uid-now", kind: "XStore", name: "store" }];
const withMetadataOf = (xr: JsonObject, metadata: JsonObject): JsonObject => ({
  ...xr,
  metadata: { ...(xr["metadata"] as JsonObject), ...metadata },
});
const restoredNested = restoredStore(referring("a"));
const restoredOnV2 = restoredStore({ spec: { crossplane: referring("a")["spec"] as JsonObject } });
const controlled = (xr: JsonObject) => withMetadataOf(xr, controlledBy("uid-now"));
const rendered = compositeOf(store({ metadata: { name: "store" } }));
const nested = (metadata: JsonObject = {}) =>
  compositeOf(store({ metadata: { name: "store", uid: "uid-now", ...labelled("root"), ...metadata } }));
const nestedBelow = nested(controlledBy("u", "root"));
const ofRoot = (metadata: JsonObject = {}) => bucket("a", { ...labelled("root"), ...metadata });
const showing = (reason: string, status: string): JsonObject =>
  store({ ...referring("a"), status: { conditions: [{ type: "ResourcesAdopted", status, reason }] } });
test.each<[is: string, reason: string, resource: JsonObject, composer?: PossibleComposer]>([
  ["unadopted", "its only owner is not its controller", bucket("a", { ownerReferences: owners })],
  ["unadopted", "it has our label and our field manager", bucket("a", appliedBy("velero", ours))],
  ["unproven", "it has our label and the field manager of another XR", bucket("a", appliedBy(`${ours}0`))],
  ["unproven", "only its field manager is ours", bucket("a", { ...labelled("x"), ...appliedBy(ours) })],
  [
    "unproven",
    "it has our label and belongs to an XR of another kind and claim",
    bucket("a", labelled("store", theirs)),
  ],
  ["stale", "it is rendered with the owner of a backup", bucket("a", controlledBy("uid-then"))],
  ["foreign", "it is rendered with another owner", bucket("a", controlledBy("u", "other"))],
  ["ours", "the XR is rendered without a UID, whatever controls it", bucket("a", controlledBy("u")), rendered],
  ["gone", "it is being deleted", bucket("a", { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ["unadopted", "it is a restored nested XR without a controller", withMetadataOf(restoredNested, labelled("store"))],
  ["unsettled", "it is a nested XR of ours, restored on v2 and not reconciled yet", controlled(restoredOnV2)],
  ["ours", "it is a nested XR of ours that is reconciled", controlled(store(referring("a")))],
  ["unsettled", "it is one that holds resources in two phases", controlled(showing("ObservingRestored", "False"))],
  ["unsettled", "it is one that waits for a person", controlled(showing("RestoreNotConfirmed", "False"))],
  ["ours", "it is one without our step, which it had before", controlled(showing("RestoreNotConfirmed", "Unknown"))],
  ["ours", "it is one whose step is not the last", controlled(showing("StepNotLast", "False"))],
  ["ours", "it is a nested XR of ours that has composed nothing", controlled(restoredStore())],
  ["pending", "we are nested, so that it depends on the XRs above", ofRoot(), nested()],
  ["unadopted", "we are nested, and its field manager is proof enough", ofRoot(appliedBy(ours)), nested()],
  [
    "unproven",
    "we are nested, and its label has our own name, which is no proof",
    bucket("a", labelled("store")),
    nestedBelow,
  ],
  ["unproven", "we are nested, and its field manager is that of a sibling", ofRoot(appliedBy(`${ours}0`)), nestedBelow],
])("an observed resource that is not desired is judged %s when %s", (is, _reason, resource, composer = composite) => {
  expect(judgeObserved(documentOf(resource), composer).is).toBe(is);
});

describe("what was put back after a restore, and this XR controls,", () => {
  const putBack = (mark?: string) =>
    documentOf(
      bucket("a", {
        ...controlledBy("uid-now"),
        annotations: mark === undefined ? {} : { "shared-infrastructure.fn.crossplane.io/adoption": mark },
      }),
    );
  test.each<[is: string, reason: string, mark: string | undefined, areLookedAt: boolean]>([
    ["unlooked", "until providers have looked at all", "pending", false],
    ["unlooked", "and once more, since a status may go by way of the XR's own", "pending", true],
    ["ours", "after that", "looked", true],
    ["unlooked", "but not where another one was restored meanwhile", "looked", false],
    ["ours", "at once where nothing was restored", undefined, false],
  ])("is judged %s %s", (is, _reason, mark, areLookedAt) => {
    const findUnlooked = (isPutBack: boolean) => (isPutBack && !areLookedAt ? ["network"] : []);
    expect(verdicts.judgeObserved(putBack(mark), proverFor(composite), findUnlooked, false).is).toBe(is);
  });

  const created = { creationTimestamp: "2026-01-02T00:00:00Z" };
  const managed = { spec: { providerConfigRef: { name: "default" } } };
  const synced = (time: string, more: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
    status: { conditions: [{ type: "Synced", status: "True", lastTransitionTime: time, ...more }], ...status },
  });
  const [earlier, later] = ["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"];
  const before = { ...managed, ...synced(earlier) };
  const failed = { status: "False", reason: "ReconcileError", message: "observe failed: cannot get credentials" };
  const absent = { ...failed, message: "observe failed: external resource does not exist" };
  const nestedStore = { ...store(referring("x")), metadata: { name: "n", ...created } };
  const paused = { status: "False", reason: "ReconcilePaused", message: "" };
  test.each<[isLookedAt: boolean, reason: string, resource: JsonObject]>([
    [false, "a managed resource that a restore has stripped of its status", bucket("a", created, managed)],
    [
      true,
      "one whose status was restored: a look that finds nothing new leaves it as it is",
      bucket("a", created, before),
    ],
    [false, "one whose provider had failed before", bucket("a", created, { ...before, ...synced(earlier, failed) })],
    [false, "a nested XR whose status was restored", { ...nestedStore, ...synced(earlier) }],
    [true, "one that its provider has looked at", bucket("a", created, { ...managed, ...synced(later) })],
    [false, "one whose provider has failed to look", bucket("a", created, { ...managed, ...synced(later, failed) })],
    [false, "one that is paused", bucket("a", created, { ...managed, ...synced(later, paused) })],
    [true, "one that the cloud does not have", bucket("a", created, { ...managed, ...synced(later, absent) })],
    [
      true,
      "one that is reported, and cannot be changed",
      bucket("a", created, { ...managed, ...synced(later, failed, { atProvider: { id: "1" } }) }),
    ],
    [false, "a nested XR that is stopped", { ...nestedStore, ...synced(later, failed) }],
    [true, "a nested XR that is reconciled", { ...nestedStore, ...synced(later) }],
    [false, "a nested XR that is not reconciled yet", nestedStore],
    [true, "a native resource, which has no such condition", bucket("a", created)],
  ])("is looked at or not (%s): %s", (isLookedAt, _reason, resource) => {
    expect(verdicts.isLookedAt(documentOf(resource))).toBe(isLookedAt);
  });
});

const found = (metadata: JsonObject) => ({ is: "resolved", items: [documentOf(bucket("a", metadata))] }) as const;
const controller = { kind: "XStore", name: "store", uid: "u", controller: true };
const inGroup = (apiVersion: string) => found({ ownerReferences: [{ ...controller, apiVersion }] });
test.each<[is: string, reason: string, answer: LookupAnswer]>([
  ["stale", "this XR controlled it before the restore, in another API version", inGroup("apps.example.org/v2")],
  ["foreign", "an XR of this kind and name in another API group controls it", inGroup("other.org/v1")],
  ["foreign", "another kind controls it", found(controlledBy("uid-then", "store", "XShop"))],
  ["ours", "this XR controls it", found(controlledBy("uid-now"))],
])("a resource that is referred to and not observed is judged %s when %s", (is, _reason, answer) => {
  expect(verdicts.judgeReferenced(answer, proverFor(composite), false).is).toBe(is);
});
