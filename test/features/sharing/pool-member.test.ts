import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { admissionSubject, composeAnswer } from "../../../src/records/answer.ts";
import { RECORD_NAME, recordId } from "../../../src/records/record.ts";
import { type CallParts, callOf } from "../../../testing/builders/calls.ts";
import { KEY, objectIn, recorded, withoutCopies } from "../../../testing/builders/copies.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { toStatus } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, observedObject, POSTGRES, shared, xr } from "../../../testing/builders/sharing.ts";

const load = (reason: string): JsonObject => ({
  conditions: [{ type: "CapacityAvailable", status: reason === "Full" ? "False" : "True", reason }],
});

/** A member of the pool. */
const member = (name: string, status: JsonObject = load("Available"), allowed = "team-a"): JsonObject => ({
  ...POSTGRES,
  metadata: { name, uid: `${name}-uid`, annotations: { [ALLOWED]: allowed } },
  status,
});

const TICKET = "e3b0c44298fc1c14.1";
const shop = toComposite(documentOf(xr()));
const subject = admissionSubject(undefined, recordId(shop), "db");

/** The answer by which a member admits the XR. */
const answer = (name: string, uid = `${name}-uid`): JsonObject => {
  const object = composeAnswer(toComposite(documentOf(member(name))), subject, { ticket: TICKET });
  const ownerReferences = [{ ...POSTGRES, name, uid, controller: true }];
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), name: "answer", ownerReferences } };
};

/** The XR's record: what it was bound to, or proposed itself to, before. */
const bound = (name: string, access: string, ticket = TICKET): CallParts["observed"] => ({
  [RECORD_NAME]: { data: { db: JSON.stringify([{ ...POSTGRES, name, access, ticket }]) } },
});

test("a copy of a member that took its grant back goes, whatever the record says of another one that is full", () => {
  const revoked = { ...member("b"), metadata: { name: "b" } };
  const object = observedObject({ ready: "True" });
  const copy = { ...object, metadata: { ...(object["metadata"] as JsonObject), annotations: recorded("b") } };
  const sharedResources = [shared({ select: { matchLabels: { pool: "orders" }, prefer: "First" } })];
  const resourcesOf = (b: JsonObject) => {
    const answers = { db: [member("a", load("Full"))], answer: [], "db/recorded": [b] };
    const observed = { [KEY]: copy, ...bound("a", "Granted") };
    return runFeature(sharing, callOf({ observed, answers, sharedResources })).resources;
  };
  expect([resourcesOf(revoked).has(KEY), resourcesOf(member("b")).has(KEY)]).toEqual([false, true]);
});

describe("an XR that selects from a pool", () => {
  const [a, b, c, bFull] = [member("a"), member("b"), member("c"), member("b", load("Full"))];
  const [aFull, silent] = [member("a", load("Full")), member("a", {})];
  const goingA = { ...a, metadata: { ...(a["metadata"] as JsonObject), deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const paused = { annotations: { [ALLOWED]: "team-a", "crossplane.io/paused": "true" } };
  const pausedA = { ...a, metadata: { ...(a["metadata"] as JsonObject), ...paused } };
  const [closedA, closedB] = [member("a", load("Available"), "team-b"), member("b", load("Available"), "team-b")];
  const used = [member("a", load("HalfUsed")), member("b", load("QuarterUsed")), member("c", {})];
  const [proposed, served] = [bound("b", "Requested"), bound("b", "Granted")];
  const toA = bound("a", "Requested");
  const admitted = [answer("b")];
  const anew = { before: bound("a", "Requested", "e3b0c44298fc1c14.3"), answers: [answer("a")] };
  const byAnother = { before: toA, answers: [answer("a", "other")] };
  interface More {
    readonly prefer?: "LeastUsed";
    readonly before?: CallParts["observed"];
    /** Null while Crossplane has not looked for answers. */
    readonly answers?: readonly JsonObject[] | null;
  }
  /** The member that the record names afterwards, its access, the number of its ticket; the reason; the field that the XR gets. */
  type Outcome = readonly [binds: string, condition: string, gets: string | undefined];
  const waits = (binds: string): Outcome => [binds, "WaitingForAdmission", undefined];
  const servedByB: Outcome = ["b Granted 1", "Available", "b"];
  const servedByA: Outcome = ["a Granted 1", "Available", "a"];
  const toOne = [answer("a")];
  const noGrant: Outcome = ["a Requested 1", "AccessNotGranted", undefined];
  const lookingUp: Outcome = ["b Requested 1", "WaitingForRequiredResources", undefined];
  const noCapacity: Outcome = ["b Requested 1", "NoCapacity", undefined];
  test.each<[reason: string, members: readonly JsonObject[], is: Outcome, more?: More]>([
    ["proposes itself to the first that has capacity left", [b, aFull, c], waits("b Requested 1")],
    ["proposes itself to the least used", used, waits("b Requested 1"), { prefer: "LeastUsed" }],
    ["passes over those without a grant or a load", [closedA, member("b", {}), c], waits("c Requested 1")],
    ["passes over one that is being deleted, which admits nobody", [goingA, b], waits("b Requested 1")],
    ["moves on from one that is being deleted", [goingA, b], waits("b Requested 2"), { before: toA }],
    ["waits in line where all are being deleted", [goingA], ["a Requested 1", "NoCapacity", undefined]],
    [
      "stays with one that is being deleted, once it is served",
      [goingA, b],
      servedByA,
      { before: toA, answers: toOne },
    ],
    ["asks the first for a grant where none grants it access", [closedA, closedB], noGrant],
    ["waits until its answer is looked up", [a, b], lookingUp, { before: proposed, answers: null }],
    ["is served once it is admitted", [a, b], servedByB, { before: proposed, answers: admitted }],
    ["is served by the last place of what is full now", [a, bFull], servedByB, { before: proposed, answers: admitted }],
    ["moves on from a member that is full, with another ticket", [aFull, b], waits("b Requested 2"), { before: toA }],
    ["moves on from one without a load, which may admit nobody", [silent, b], waits("b Requested 2"), { before: toA }],
    ["moves on from one that is paused, which admits nobody", [pausedA, b], waits("b Requested 2"), { before: toA }],
    ["stays with one without a load, once it is admitted", [silent, b], servedByA, { before: toA, answers: toOne }],
    ["waits for one without a load where no other has room", [silent, bFull], waits("a Requested 1"), { before: toA }],
    ["waits in line where all are full", [aFull, bFull], noCapacity, { before: proposed }],
    ["does not move once it is served", [a, bFull], servedByB, { before: served, answers: admitted }],
    ["gets nothing new by its record alone, and stays", [a, b], waits("b Granted 1"), { before: served }],
    ["is not served by an answer to an earlier proposal", [a], waits("a Requested 3"), anew],
    ["is not served by an answer that the member does not control", [a], waits("a Requested 1"), byAnother],
  ])("%s", (_reason, members, is, { prefer = "First", before = {}, answers = [] } = {}) => {
    const select = { matchLabels: { pool: "orders" }, prefer };
    const sharedResources = [withoutCopies({ select, patches: [toStatus("db", "metadata.name")] })];
    const call = callOf({ observed: before, answers: { db: members, answer: answers ?? "pending" }, sharedResources });
    const draft = runFeature(sharing, call);
    const { db } = (objectIn(draft, RECORD_NAME)?.["data"] ?? {}) as { db?: string };
    const said = JSON.parse(db ?? "[]").map(
      ({ name, access, ticket }: Record<string, string>) => `${name} ${access} ${ticket?.split(".")[1]}`,
    );
    const value = draft.composite.find(({ path }) => path.join(".") === "status.db")?.value;
    expect([said.join(), draft.conditions[0]?.reason, value]).toEqual(is);
  });
});
