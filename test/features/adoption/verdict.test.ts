import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { composerName } from "../../../src/crossplane/field-managers.ts";
import { judgeObserved, judgeReferenced } from "../../../src/features/adoption/verdict.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { bucket, controlledBy, referring, restoredStore, store } from "../../../testing/builders/composed.ts";

const compositeOf = (xr: JsonObject) => toComposite(documentOf(xr));
const composite = compositeOf(store());

const labelled = (value: string, more: JsonObject = {}): JsonObject => ({
  labels: { "crossplane.io/composite": value, ...more },
});
const appliedBy = (...managers: readonly string[]): JsonObject => ({
  managedFields: managers.map((manager) => ({ manager, operation: "Apply" })),
});
const ours = composerName({ apiVersion: "apps.example.org/v1", kind: "XStore", name: "store" });

test("the field manager is the one that Crossplane computes", () => {
  // sha256 of "storeXStore.apps.example.org", as ComposedFieldOwnerName makes it.
  expect(ours).toMatch(/^apiextensions\.crossplane\.io\/composed\/[0-9a-f]{64}$/);
  expect(composerName({ apiVersion: "v1", kind: "Thing", name: "a" })).not.toBe(
    composerName({ apiVersion: "g/v1", kind: "Thing", name: "a" }),
  );
});

describe("observed, and not desired", () => {
  test.each<{ reason: string; metadata: JsonObject; is: string; xr?: JsonObject }>([
    { reason: "this XR controls it", metadata: controlledBy("uid-now"), is: "ours" },
    { reason: "restored: no controller, our label", metadata: {}, is: "unadopted" },
    {
      reason: "an owner that is no controller",
      metadata: { ownerReferences: [{ uid: "uid-now", kind: "XStore", name: "store" }] },
      is: "unadopted",
    },
    { reason: "no label", metadata: { labels: {} }, is: "unproven" },
    { reason: "another XR's label", metadata: labelled("other"), is: "unproven" },
    { reason: "our label, and our field manager", metadata: appliedBy("velero", ours), is: "unadopted" },
    { reason: "our label, and another XR's manager", metadata: appliedBy(`${ours}0`), is: "unproven" },
    { reason: "our manager, another's label", metadata: { ...labelled("x"), ...appliedBy(ours) }, is: "unproven" },
    {
      reason: "our label, another claim's XR of another kind",
      metadata: labelled("store", { "crossplane.io/claim-name": "theirs", "crossplane.io/claim-namespace": "team-b" }),
      is: "unproven",
    },
    { reason: "rendered with the owner of a backup", metadata: controlledBy("uid-then"), is: "stale" },
    { reason: "rendered with somebody else's owner", metadata: controlledBy("u", "other"), is: "foreign" },
    { reason: "it is being deleted", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, is: "gone" },
  ])("$is: $reason", ({ metadata, is }) => {
    expect(judgeObserved(documentOf(bucket("a", metadata)), composite).is).toBe(is);
  });
});

test("ours: rendered without a UID, any controller is this XR", () => {
  const rendered = compositeOf(store({ metadata: { name: "store" } }));
  expect(judgeObserved(documentOf(bucket("a", controlledBy("u"))), rendered).is).toBe("ours");
});

describe("a nested XR that this XR controls", () => {
  const nested = (xr: JsonObject) =>
    documentOf({ ...xr, metadata: { ...(xr["metadata"] as JsonObject), ...controlledBy("uid-now") } });
  test.each([
    { reason: "restored, and not reconciled yet", xr: restoredStore(referring("a")), is: "unsettled" },
    {
      reason: "of Crossplane v2",
      xr: restoredStore({ spec: { crossplane: referring("a")["spec"] ?? null } }),
      is: "unsettled",
    },
    { reason: "reconciled", xr: store(referring("a")), is: "ours" },
    { reason: "it has composed nothing", xr: restoredStore(), is: "ours" },
  ])("$is: $reason", ({ xr, is }) => {
    expect(judgeObserved(nested(xr), composite).is).toBe(is);
  });
});

describe("by a nested XR, whose resources carry the name of the XR at the root", () => {
  const nested = (metadata: JsonObject) =>
    compositeOf(store({ metadata: { name: "store", uid: "uid-now", ...labelled("root"), ...metadata } }));
  test.each<{ reason: string; xr: JsonObject; metadata: JsonObject; is: string }>([
    { reason: "it is adopted itself", xr: controlledBy("u", "root"), metadata: labelled("root"), is: "unadopted" },
    { reason: "it waits for its own adoption", xr: {}, metadata: labelled("root"), is: "nested" },
    {
      reason: "its field manager says enough",
      xr: {},
      metadata: { ...labelled("root"), ...appliedBy(ours) },
      is: "unadopted",
    },
    { reason: "its own name is no proof", xr: controlledBy("u", "root"), metadata: labelled("store"), is: "unproven" },
    {
      reason: "a sibling's resource",
      xr: controlledBy("u", "root"),
      metadata: { ...labelled("root"), ...appliedBy(`${ours}0`) },
      is: "unproven",
    },
  ])("$is: $reason", ({ xr, metadata, is }) => {
    expect(judgeObserved(documentOf(bucket("a", metadata)), nested(xr)).is).toBe(is);
  });
});

describe("referred to, and not observed", () => {
  const found = (metadata: JsonObject) => ({ is: "resolved", items: [documentOf(bucket("a", metadata))] }) as const;
  const nothing = { is: "resolved", items: [] } as const;
  const restored = compositeOf(restoredStore());
  test.each([
    { reason: "not looked up yet", answer: { is: "pending" } as const, is: "pending" },
    { reason: "there is none", answer: nothing, is: "gone" },
    { reason: "there is none, after a restore", answer: nothing, isRestored: true, is: "missing" },
    { reason: "this XR, before the restore", answer: found(controlledBy("uid-then")), is: "stale" },
    {
      reason: "this XR, before the restore, of another version",
      answer: found({
        ownerReferences: [
          { apiVersion: "apps.example.org/v2", kind: "XStore", name: "store", uid: "u", controller: true },
        ],
      }),
      is: "stale",
    },
    { reason: "another XR", answer: found(controlledBy("uid-then", "other")), is: "foreign" },
    { reason: "another kind", answer: found(controlledBy("uid-then", "store", "XShop")), is: "foreign" },
    { reason: "this XR", answer: found(controlledBy("uid-now")), is: "ours" },
    { reason: "nobody, and it is ours: it has just come back", answer: found({}), is: "unadopted" },
    { reason: "nobody, and it is not ours", answer: found(labelled("other")), is: "unproven" },
    { reason: "nobody, and it is going", answer: found({ deletionTimestamp: "2026-01-01T00:00:00Z" }), is: "gone" },
  ])("$is: $reason", ({ answer, isRestored = false, is }) => {
    expect(judgeReferenced(answer, isRestored ? restored : composite).is).toBe(is);
  });
});
