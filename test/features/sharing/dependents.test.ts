import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DEPENDS_ON } from "../../../src/ownership/annotations.ts";
import { RECORD_NAME, readBindings } from "../../../src/records/record.ts";
import { boundTo, type CallParts, callOf, sharingDraft, V2 } from "../../../testing/builders/calls.ts";
import { SELECTOR } from "../../../testing/builders/consumers.ts";
import { copying, KEY, objectIn, recorded, withoutCopies } from "../../../testing/builders/copies.ts";
import { couldNotRead } from "../../../testing/builders/kubernetes.ts";
import { fatalsIn, reasonIn, requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { another, grantedTo, naming, refused } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, observedObject, POSTGRES, xr } from "../../../testing/builders/sharing.ts";

/** What exists only while its XR has access: here a PushSecret that an earlier step desires. */

const PUSH = { apiVersion: "external-secrets.io/v1alpha1", kind: "PushSecret" };
const WANTED = { ...PUSH, spec: { to: "now" } };
const alone = withoutCopies({ dependents: ["push*"] });
const withCopy = (connection: JsonObject = {}) => ({ ...copying({}, connection), dependents: ["push*"] });

const mark = (name: string, kind = POSTGRES) => ({ [DEPENDS_ON]: JSON.stringify({ db: { ...kind, name } }) });
/** The PushSecret as it is observed: for this database, or without our mark. */
const there = (name: string | undefined = "orders"): JsonObject => ({
  ...PUSH,
  metadata: { name: "push-1", uid: "u", ...(name !== "" && { annotations: mark(name) }) },
  spec: { to: "before" },
  status: { synced: true },
});
const bare = there("");
const copy = (status = { ready: "True" }): JsonObject => {
  const { metadata, ...object } = observedObject(status);
  return { ...object, metadata: { ...(metadata as JsonObject), annotations: recorded() } };
};
const USUAL = { capabilities: V2, sharedResources: [alone], desired: { push: WANTED } };

const draftOf = ({ answers = {}, ...parts }: CallParts): Draft =>
  sharingDraft({ ...USUAL, ...parts, answers: { "adoption/predecessors/PushSecret": [], ...answers } });

/** `as desired`, `as observed`, or what becomes of it. */
function fateOf(draft: Draft, name = "push"): string {
  if (draft.resources.get(name)?.is === "removed") return "left out";
  const { spec } = objectIn(draft, name) ?? {};
  return spec === undefined ? "untouched" : (spec as JsonObject)["to"] === "now" ? "as desired" : "as observed";
}

const UNREADABLE = { type: "Synced", status: "False", message: couldNotRead("namespace/team-a") };
const cannotRead = { xr: xr({ status: { conditions: [UNREADABLE] } }) };
const bySelector = another("orders", undefined, { annotations: { [SELECTOR]: "team=a" } });
const decoy = { answers: { db: [another("decoy", "*")] }, xr: naming("decoy") };
const onDelete = { onSourceMissing: "Delete" };

const granted = { answers: { db: [database()] } };
const revoked = { answers: { db: [refused] } };
const gone = { answers: { db: [], "db/recorded": [] } };
const nameless = { xr: naming() };
const namelessRevoked = { ...nameless, answers: { "db/recorded": [refused] } };
const copied = { ...granted, sharedResources: [withCopy()] };
const record = (name: string) => ({ [RECORD_NAME]: boundTo({ db: { ...POSTGRES, name } }) });
const observed = { push: there() };

type Row = readonly [reason: string, fate: string, condition: string, parts: CallParts];

const GOING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const leaving = grantedTo("team-a", { metadata: { name: "orders", annotations: { [ALLOWED]: "*" }, ...GOING } });
const asPush = { "crossplane.io/composition-resource-name": "push" };
const before = { ...there(), metadata: { name: "push-1", ...GOING, annotations: asPush } };
const onlyReady = { ...granted, sharedResources: [{ ...alone, readiness: "Required" }] };
const goingAway = { answers: { db: [leaving] } };
const unready = copy({ ready: "False" });
const unreadable = { answers: { db: [bySelector] }, ...cannotRead };
const withFormer = { answers: { ...granted.answers, "adoption/predecessors/PushSecret": [before] } };
const decoyed = { push: { apiVersion: "v1", kind: "ConfigMap", spec: { to: "before" } } };
test.each<Row>([
  ["is composed with the grant", "as desired", "Available", granted],
  ["waits for the grant", "left out", "AccessNotGranted", revoked],
  ["waits for the shared resource", "left out", "NotFound", { answers: { db: [] } }],
  ["waits for the first answer", "left out", "WaitingForRequiredResources", {}],
  ["waits where nothing is named", "left out", "FieldNotSet", nameless],
  ["waits while the shared resource is being deleted", "left out", "DependentsHeldBack", goingAway],
  ["waits for the readiness that the input asks for", "left out", "SharedResourceNotReady", onlyReady],
  ["waits for the copy to be composed", "left out", "DependentsHeldBack", copied],
  ["waits for the copy to be written", "left out", "DependentsHeldBack", { ...copied, observed: { [KEY]: unready } }],
  ["is composed once the copy is written", "as desired", "Available", { ...copied, observed: { [KEY]: copy() } }],
  ["waits where the Namespace cannot be read", "left out", "NamespaceNotReadable", unreadable],
  ["waits where another kind has its name", "left out", "AccessNotGranted", { ...revoked, observed: decoyed }],
  ["waits, whatever the record says", "left out", "AccessNotGranted", { ...revoked, observed: record("orders") }],
  ["waits for the one before it to be gone", "left out", "DependentsHeldBack", withFormer],
])("a dependent that does not exist %s", (_reason, fate, condition, parts) => {
  const draft = draftOf(parts);
  expect([fateOf(draft), says(draft)]).toEqual([fate, expect.stringContaining(condition)]);
  expect(draft.compositeReady).toBe(condition === "Available" ? undefined : "False");
});

const ownXr = { ...xr(), metadata: { name: "shop-x7k2p", uid: "1" } };
const ofOldKind = {
  ...there(),
  kind: "OldSecret",
  metadata: { ...(there()["metadata"] as JsonObject), ownerReferences: [{ uid: "1", controller: true }] },
};
test.each<Row>([
  ["goes first, since Crossplane would leave it there", "left out", "DependentsHeldBack", granted],
  ["goes with the grant", "left out", "AccessNotGranted", revoked],
  ["stays while nothing is known", "as observed", "WaitingForRequiredResources", {}],
  ["stays while the copies of the new one's share are not written", "as observed", "WaitingForCopies", copied],
])("a dependent of the kind that the Composition desired before %s", (_reason, fate, condition, parts) => {
  const draft = draftOf({ xr: ownXr, ...parts, observed: { push: ofOldKind } });
  expect([fateOf(draft), says(draft)]).toEqual([fate, expect.stringContaining(condition)]);
});

describe("a dependent that exists", () => {
  const others = (recorded: JsonObject) => ({
    answers: { db: [another("other")], "db/recorded": [recorded] },
    xr: naming("other"),
  });
  const bySecret = (connection?: JsonObject) => [{ ...copying({ via: "Secret" }, connection), dependents: ["push"] }];
  const decoyNow = (recorded: JsonObject) => ({
    answers: { ...decoy.answers, "db/secret": [], "db/recorded": [recorded] },
    xr: decoy.xr,
    sharedResources: bySecret(),
  });
  const bareOf = (name: string) => ({ observed: { push: bare, ...record(name) } });
  const recordedOnly = { ...namelessRevoked, ...bareOf("orders") };
  const namelessGranted = { ...nameless, answers: { "db/recorded": [database()] } };
  const emptied = { ...namelessRevoked, observed: { push: there(), [RECORD_NAME]: { data: {} } } };
  const recordsGone = { ...namelessRevoked, observed: { ...observed, ...record("gone") } };
  const onlyRecordsGone = { answers: { "db/recorded": [] }, xr: naming(), ...bareOf("gone") };
  const failing = { ...observed, [KEY]: unready };
  const secretGone = { answers: { ...granted.answers, "db/secret": [] }, sharedResources: bySecret(onDelete) };
  const kept = { answers: { db: [bySelector], "db/recorded": [bySelector] }, ...cannotRead };
  const before = { answers: { db: [bySelector], "db/recorded": [another("before")] } };
  const notKept = { ...cannotRead, ...before, observed: { push: there("before") } };
  const ofSecret = { ...there(), metadata: { annotations: mark("x", { ...POSTGRES, kind: "Secret" }) } };
  const markedSecret = { ...nameless, observed: { push: ofSecret } };
  const keptGone = { ...gone, sharedResources: [withCopy()] };
  const deletedGone = { ...gone, sharedResources: [withCopy(onDelete)] };
  const keptWithSource = {
    ...granted,
    sharedResources: [withCopy(onDelete)],
    observed: { ...observed, [KEY]: copy() },
  };
  test.each<Row>([
    ["follows earlier steps while the grant stands", "as desired", "Available", granted],
    ["is taken over where it had no mark", "as desired", "Available", { ...granted, observed: { push: bare } }],
    ["goes with the grant", "left out", "AccessNotGranted", revoked],
    ["goes with the grant, though only the record tells of it", "left out", "FieldNotSet", recordedOnly],
    ["stays while nothing is known", "as observed", "WaitingForRequiredResources", {}],
    ["stays while nothing is known, though it has no mark", "as observed", "Waiting", { observed: { push: bare } }],
    ["stays while the XR names nothing, and the grant stands", "as observed", "FieldNotSet", namelessGranted],
    ["stays while that is looked up", "as observed", "FieldNotSet", nameless],
    ["goes though the XR names nothing", "left out", "FieldNotSet", namelessRevoked],
    ["goes though the record is empty and the XR names nothing", "left out", "FieldNotSet", emptied],
    ["goes though the record tells of a resource that is gone", "left out", "FieldNotSet", recordsGone],
    // A team may write a resource into the record that never was.
    ["goes without a mark, by a record of a resource that is gone", "left out", "FieldNotSet", onlyRecordsGone],
    [
      "stays while the XR names another database, without a grant",
      "as observed",
      "AccessNotGranted",
      others(database()),
    ],
    ["goes though the XR names a decoy that does not grant", "left out", "AccessNotGranted", others(refused)],
    ["is made anew for a database that grants", "left out", "DependentsRemoved", decoy],
    ["is made anew without a mark, by the record", "left out", "DependentsRemoved", { ...decoy, ...bareOf("orders") }],
    ["stays until the next database's copy is written", "as observed", "SourceNotFound", decoyNow(database())],
    ["goes with the grant before that", "left out", "SourceNotFound", decoyNow(refused)],
    ["is kept without its source", "as observed", "NotFound", gone],
    ["is kept without its source, by onSourceMissing", "as observed", "NotFound", keptGone],
    ["goes with its source, by onSourceMissing", "left out", "NotFound", deletedGone],
    ["goes with its Secret, by onSourceMissing", "left out", "SourceNotFound", secretGone],
    ["stays with its source and its copy, by onSourceMissing", "as desired", "Available", keptWithSource],
    ["stays while its copy fails", "as desired", "WaitingForCopies", { ...copied, observed: failing }],
    ["stays where the Namespace cannot be read", "as observed", "NamespaceNotReadable", kept],
    ["goes though the XR names one whose Namespace cannot be read", "left out", "NamespaceNotReadable", notKept],
    ["is no other kind's, whatever its mark says", "left out", "FieldNotSet", markedSecret],
    ["is not put back where no earlier step desires it", "untouched", "Available", { ...granted, desired: {} }],
  ])("%s", (_reason, fate, condition, parts) => {
    const draft = draftOf({ observed, ...parts });
    expect([fateOf(draft), says(draft)]).toEqual([fate, expect.stringContaining(condition)]);
  });

  test("says what it is for, beside the shares of earlier steps", () => {
    const before = { ...WANTED, metadata: { annotations: { [DEPENDS_ON]: JSON.stringify({ a: { name: "x" } }) } } };
    const draft = draftOf({ ...granted, desired: { push: before } });
    expect(objectIn(draft, "push")?.["metadata"]).toEqual({
      annotations: { [DEPENDS_ON]: JSON.stringify({ a: { name: "x" }, db: { ...POSTGRES, name: "orders" } }) },
    });
  });

  test("is kept whole, without its status and what Crossplane sets", () => {
    const { status: _, metadata, ...rest } = there();
    const { uid: __, ...kept } = metadata as JsonObject;
    expect(objectIn(draftOf({ observed }), "push")).toEqual({ ...rest, metadata: kept });
  });

  test("of two shares exists while both serve it", () => {
    const second = { ...alone, name: "two", select: { name: "second" } };
    const fates = [database(), refused].map((two) =>
      fateOf(draftOf({ observed, sharedResources: [alone, second], answers: { db: [database()], two: [two] } })),
    );
    expect(fates).toEqual(["as desired", "left out"]);
  });
});

describe("the dependents of a share", () => {
  test("are all that match, and nothing that this function composes", () => {
    const ours = { [KEY]: copy(), "shared-infrastructure/names": {}, "consumers/answers/x": {} };
    const draft = draftOf({
      sharedResources: [withoutCopies({ dependents: ["*"] })],
      answers: { db: [refused] },
      desired: { push: WANTED, app: WANTED, ...ours },
    });
    const left = [...draft.resources].filter(([, { is }]) => is === "removed").map(([name]) => name);
    expect(left).toEqual(["app", "push"]);
    const held = "composed resources are not created until this XR has access and its copies are written: app, push";
    expect(says(draft)).toContain(`db: ${held}`);
  });

  test("that went are said", () => {
    const went =
      "; db: composed resources are deleted, because the access for which they were created has ended; they are created again once this XR has access: push";
    expect(says(draftOf({ ...revoked, observed }))).toContain(went);
  });

  test("may be missing with an optional share", () => {
    const draft = draftOf({ sharedResources: [{ ...alone, resolution: "Optional" }], answers: { db: [] } });
    expect([fateOf(draft), reasonIn(draft), draft.compositeReady]).toEqual(["left out", "Available", undefined]);
  });

  test("are asked for while they are to be created, and no longer", () => {
    const names = [{}, observed].map((there) => [...requirementsIn(draftOf({ ...granted, observed: there })).keys()]);
    expect(names).toEqual([["shared-resource/db", "adoption/predecessors/PushSecret"], ["shared-resource/db"]]);
  });

  test("are in the record of the XR, by the resource that they are for", () => {
    const bindingsIn = (parts: CallParts) => {
      const call = callOf({ ...USUAL, ...parts });
      const bindings = readBindings(documentOf(objectIn(runFeature(sharing, call), RECORD_NAME) ?? {})).get("db") ?? [];
      return bindings.map(({ resource: { name }, access, dependents }) => [name, access, dependents]);
    };
    const both = { answers: { db: [another("other")], "db/recorded": [database()] }, xr: naming("other") };
    const orders = ["orders", "Granted", ["push"]];
    expect(bindingsIn(granted)).toEqual([orders]);
    expect(bindingsIn({ ...revoked, observed })).toEqual([["orders", "Requested", []]]);
    expect(bindingsIn({ ...both, observed })).toEqual([["other", "Requested", []], orders]);
  });
});

const named = withoutCopies({ dependents: ["push", "none*"] });
const withPush = { ...copying(), dependents: ["push"] };
const FAULT =
  'no earlier step desires "push"; earlier steps desire app; if a step such as function-sequencer holds "push" back, move that step behind this one; if earlier steps leave it out at times, write "push*"';
const undesired = { ...granted, sharedResources: [named], desired: { app: {} } };
const WHERE = "cannot use the input:\n  spec.sharedResources[0].dependents[0]";
test.each<[reason: string, fatals: readonly string[], condition: string, parts: CallParts]>([
  ["stops the XR", [`${WHERE}: ${FAULT}`], "DependentNotDesired", {}],
  ["fails alone beside copies", [], "DependentNotDesired", { observed: { [KEY]: copy() } }],
  ["fails alone in a step with copies", [], "DependentNotDesired", { sharedResources: [withPush] }],
  ["fails alone beside another dependent", [], "DependentNotDesired", { observed: { app: there() } }],
  ["fails alone where it is observed", [], "DependentNotDesired", { observed: { push: there() } }],
])("a dependent that no earlier step desires: %s", (_reason, fatals, condition, parts) => {
  const draft = draftOf({ ...undesired, ...parts });
  expect([fatalsIn(draft), says(draft)]).toEqual([fatals, expect.stringContaining(condition)]);
});
