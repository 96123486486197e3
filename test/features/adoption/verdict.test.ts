import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { composerName } from "../../../src/crossplane/metadata.ts";
import { toPossibleComposer } from "../../../src/crossplane/proof.ts";
import { judgeObserved, judgeReferenced } from "../../../src/features/adoption/verdict.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { bucket, controlledBy, referring, restoredStore, store } from "../../../testing/builders/composed.ts";

const compositeOf = (xr: JsonObject) => toPossibleComposer(toComposite(documentOf(xr)));
const composite = compositeOf(store());

const labelled = (value: string, more: JsonObject = {}): JsonObject => ({
  labels: { "crossplane.io/composite": value, ...more },
});
const appliedBy = (...managers: readonly string[]): JsonObject => ({
  managedFields: managers.map((manager) => ({ manager, operation: "Apply" })),
});
const ours = composerName({ apiVersion: "apps.example.org/v1", kind: "XStore", name: "store" });

test("the name of the field manager is the one that Crossplane computes", () => {
  // sha256 of "storeXStore.apps.example.org", as ComposedFieldOwnerName makes it.
  expect(ours).toMatch(/^apiextensions\.crossplane\.io\/composed\/[0-9a-f]{64}$/);
  expect(composerName({ apiVersion: "v1", kind: "Thing", name: "a" })).not.toBe(
    composerName({ apiVersion: "g/v1", kind: "Thing", name: "a" }),
  );
});

describe("an observed resource that is not desired", () => {
  test.each<{ reason: string; metadata: JsonObject; is: string; xr?: JsonObject }>([
    { reason: "this XR controls it", metadata: controlledBy("uid-now"), is: "ours" },
    { reason: "it has our label and no controller, as after a restore", metadata: {}, is: "unadopted" },
    {
      reason: "its only owner is not its controller",
      metadata: { ownerReferences: [{ uid: "uid-now", kind: "XStore", name: "store" }] },
      is: "unadopted",
    },
    { reason: "it has no label", metadata: { labels: {} }, is: "unproven" },
    { reason: "it has the label of another XR", metadata: labelled("other"), is: "unproven" },
    { reason: "it has our label and our field manager", metadata: appliedBy("velero", ours), is: "unadopted" },
    { reason: "it has our label and the field manager of another XR", metadata: appliedBy(`${ours}0`), is: "unproven" },
    { reason: "only its field manager is ours", metadata: { ...labelled("x"), ...appliedBy(ours) }, is: "unproven" },
    {
      reason: "it has our label and belongs to an XR of another kind and claim",
      metadata: labelled("store", { "crossplane.io/claim-name": "theirs", "crossplane.io/claim-namespace": "team-b" }),
      is: "unproven",
    },
    { reason: "it is rendered with the owner of a backup", metadata: controlledBy("uid-then"), is: "stale" },
    { reason: "it is rendered with another owner", metadata: controlledBy("u", "other"), is: "foreign" },
    { reason: "it is being deleted", metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, is: "gone" },
  ])("is judged $is when $reason", ({ metadata, is }) => {
    expect(judgeObserved(documentOf(bucket("a", metadata)), composite).is).toBe(is);
  });
});

test("an observed resource with any controller is judged ours when the XR is rendered without a UID", () => {
  const rendered = compositeOf(store({ metadata: { name: "store" } }));
  expect(judgeObserved(documentOf(bucket("a", controlledBy("u"))), rendered).is).toBe("ours");
});

test("unadopted: a nested XR that nobody controls, restored and not reconciled yet", () => {
  const xr = restoredStore(referring("a"));
  const nested = { ...xr, metadata: { ...(xr["metadata"] as JsonObject), ...labelled("store") } };
  expect(judgeObserved(documentOf(nested), composite).is).toBe("unadopted");
});

describe("a nested XR that this XR controls", () => {
  const nested = (xr: JsonObject) =>
    documentOf({ ...xr, metadata: { ...(xr["metadata"] as JsonObject), ...controlledBy("uid-now") } });
  test.each([
    { reason: "it was restored and is not reconciled yet", xr: restoredStore(referring("a")), is: "unsettled" },
    {
      reason: "it was restored on Crossplane v2 and is not reconciled yet",
      xr: restoredStore({ spec: { crossplane: referring("a")["spec"] ?? null } }),
      is: "unsettled",
    },
    { reason: "it is reconciled", xr: store(referring("a")), is: "ours" },
    { reason: "it has composed nothing", xr: restoredStore(), is: "ours" },
  ])("is judged $is when $reason", ({ xr, is }) => {
    expect(judgeObserved(nested(xr), composite).is).toBe(is);
  });
});

describe("a resource composed by a nested XR, and so labelled with the name of the XR at the root,", () => {
  const nested = (metadata: JsonObject) =>
    compositeOf(store({ metadata: { name: "store", uid: "uid-now", ...labelled("root"), ...metadata } }));
  test.each<[is: string, reason: string, xr: JsonObject, metadata: JsonObject]>([
    ["nested", "it depends on the XRs above", {}, labelled("root")],
    ["nested", "a controller alone is no proof", controlledBy("u", "root"), labelled("root")],
    ["unadopted", "its field manager is proof enough", {}, { ...labelled("root"), ...appliedBy(ours) }],
    [
      "unproven",
      "its label has the name of the nested XR, which is no proof",
      controlledBy("u", "root"),
      labelled("store"),
    ],
    [
      "unproven",
      "its field manager is that of a sibling",
      controlledBy("u", "root"),
      { ...labelled("root"), ...appliedBy(`${ours}0`) },
    ],
  ])("is judged %s when %s", (is, _reason, xr, metadata) => {
    expect(judgeObserved(documentOf(bucket("a", metadata)), nested(xr)).is).toBe(is);
  });
});

describe("a resource that is referred to and not observed", () => {
  const found = (metadata: JsonObject) => ({ is: "resolved", items: [documentOf(bucket("a", metadata))] }) as const;
  const nothing = { is: "resolved", items: [] } as const;
  test.each([
    { reason: "it is not looked up yet", answer: { is: "pending" } as const, is: "pending" },
    { reason: "it does not exist", answer: nothing, is: "gone" },
    { reason: "it does not exist after a restore", answer: nothing, isRestored: true, is: "missing" },
    { reason: "this XR controlled it before the restore", answer: found(controlledBy("uid-then")), is: "stale" },
    {
      reason: "this XR controlled it before the restore, in another API version",
      answer: found({
        ownerReferences: [
          { apiVersion: "apps.example.org/v2", kind: "XStore", name: "store", uid: "u", controller: true },
        ],
      }),
      is: "stale",
    },
    {
      reason: "an XR of this kind and name in another API group controls it",
      answer: found({
        ownerReferences: [{ apiVersion: "other.org/v1", kind: "XStore", name: "store", uid: "u", controller: true }],
      }),
      is: "foreign",
    },
    { reason: "another XR controls it", answer: found(controlledBy("uid-then", "other")), is: "foreign" },
    { reason: "another kind controls it", answer: found(controlledBy("uid-then", "store", "XShop")), is: "foreign" },
    { reason: "this XR controls it", answer: found(controlledBy("uid-now")), is: "ours" },
    { reason: "nobody controls it, and it is ours: it has just come back", answer: found({}), is: "unadopted" },
    { reason: "nobody controls it, and it is not ours", answer: found(labelled("other")), is: "unproven" },
    { reason: "it is being deleted", answer: found({ deletionTimestamp: "2026-01-01T00:00:00Z" }), is: "gone" },
  ])("is judged $is when $reason", ({ answer, isRestored = false, is }) => {
    expect(judgeReferenced(answer, composite, isRestored).is).toBe(is);
  });
});
