import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { admissionSubject, composeAnswer } from "../../../src/ownership/answer.ts";
import { RECORD_NAME, recordOf } from "../../../src/ownership/record.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { objectIn, withoutCopies } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, type CallParts, callOf, xr } from "../../../testing/builders/sharing.ts";

const load = (reason: string): JsonObject => ({
  conditions: [{ type: "CapacityAvailable", status: reason === "Full" ? "False" : "True", reason }],
});

/** A member of the pool. */
const member = (name: string, status: JsonObject = load("Available"), allowed = "team-a"): JsonObject => ({
  apiVersion: "data.example.org/v1",
  kind: "XPostgres",
  metadata: { name, uid: `${name}-uid`, annotations: { [ALLOWED]: allowed } },
  status,
});

const TICKET = "e3b0c44298fc1c14.1";
const shop = toComposite(documentOf(xr()));
const subject = admissionSubject(undefined, recordOf(shop), "db");

/** The answer by which a member admits the XR. */
const answer = (name: string, { ticket = TICKET, uid = `${name}-uid` } = {}): JsonObject => {
  const object = composeAnswer(toComposite(documentOf(member(name))), subject, { ticket });
  const controller = { apiVersion: "data.example.org/v1", kind: "XPostgres", name, uid, controller: true };
  return {
    ...object,
    metadata: { ...(object["metadata"] as JsonObject), name: "answer", ownerReferences: [controller] },
  };
};

/** The XR's record: what it was bound to, or proposed itself to, before. */
const bound = (name: string, access: string, ticket = TICKET): CallParts["observed"] => ({
  [RECORD_NAME]: {
    data: {
      db: JSON.stringify([{ apiVersion: "data.example.org/v1", kind: "XPostgres", name, access, ticket }]),
    },
  },
});

interface Row {
  readonly reason: string;
  readonly prefer?: "First" | "LeastUsed";
  readonly members: readonly JsonObject[];
  readonly before?: CallParts["observed"];
  readonly answers?: readonly JsonObject[];
  /** The member that the record names afterwards, the access and the number of its ticket. */
  readonly binds: string;
  /** By default it waits for admission. */
  readonly condition?: string;
  /** The field of the member that the XR gets. */
  readonly gets?: string;
}

describe("an XR that selects from a pool", () => {
  const [a, b, c, bFull] = [member("a"), member("b"), member("c"), member("b", load("Full"))];
  const aFull = member("a", load("Full"));
  const [closedA, closedB] = ["a", "b"].map((name) => member(name, load("Available"), "team-b")) as [
    JsonObject,
    JsonObject,
  ];
  const servedByB = { binds: "b Granted 1", condition: "Available", gets: "b" };
  test.each<Row>([
    {
      reason: "proposes itself to the first that has capacity left",
      members: [b, aFull, c],
      binds: "b Requested 1",
    },
    {
      reason: "proposes itself to the least used",
      prefer: "LeastUsed",
      members: [member("a", load("HalfUsed")), member("b", load("QuarterUsed")), member("c", {})],
      binds: "b Requested 1",
    },
    {
      reason: "passes over those that do not grant it access, and those that do not say how full they are",
      members: [closedA, member("b", {}), c],
      binds: "c Requested 1",
    },
    {
      reason: "asks the first for a grant where none grants it access",
      members: [closedA, closedB],
      binds: "a Requested 1",
      condition: "AccessNotGranted",
    },
    {
      reason: "is served once it is admitted",
      members: [a, b],
      before: bound("b", "Requested"),
      answers: [answer("b")],
      ...servedByB,
    },
    {
      reason: "is served by the last place, though the member is full now",
      members: [a, bFull],
      before: bound("b", "Requested"),
      answers: [answer("b")],
      ...servedByB,
    },
    {
      reason: "moves on from a member that is full, with another ticket",
      members: [aFull, b],
      before: bound("a", "Requested"),
      binds: "b Requested 2",
    },
    {
      reason: "waits in line where all are full",
      members: [aFull, bFull],
      before: bound("b", "Requested"),
      binds: "b Requested 1",
      condition: "NoCapacity",
    },
    {
      reason: "does not move once it is served",
      members: [a, bFull],
      before: bound("b", "Granted"),
      answers: [answer("b")],
      ...servedByB,
    },
    {
      reason: "gets nothing new by its record alone, and stays with the member",
      members: [a, b],
      before: bound("b", "Granted"),
      binds: "b Granted 1",
    },
    {
      reason: "is not served by an answer to an earlier proposal",
      members: [a],
      before: bound("a", "Requested", "e3b0c44298fc1c14.3"),
      answers: [answer("a")],
      binds: "a Requested 3",
    },
    {
      reason: "is not served by an answer that the member does not control",
      members: [a],
      before: bound("a", "Requested"),
      answers: [answer("a", { uid: "somebody-else" })],
      binds: "a Requested 1",
    },
  ])("$reason", ({ members, before = {}, answers = [], binds, condition = "WaitingForAdmission", ...row }) => {
    const select = { matchLabels: { pool: "orders" }, prefer: row.prefer ?? "First" };
    const patches = [{ fromFieldPath: "metadata.name", toCompositeFieldPath: "status.db" }];
    const call = callOf({
      observed: before,
      answers: { db: members, answer: answers },
      sharedResources: [withoutCopies({ select, patches })],
    });
    const draft = runFeature(sharing, call);
    const { db } = (objectIn(draft, RECORD_NAME)?.["data"] ?? {}) as { db?: string };
    const said = JSON.parse(db ?? "[]").map(
      ({ name, access, ticket }: Record<string, string>) => `${name} ${access} ${ticket?.split(".")[1]}`,
    );
    const value = draft.composite.find(({ path }) => path.join(".") === "status.db")?.value;
    expect([said, draft.conditions[0]?.reason, value]).toEqual([[binds], condition, row.gets]);
  });
});
