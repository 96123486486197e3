import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { admissionSubject, composeAnswer } from "../../../src/ownership/answer.ts";
import { RECORD_LABEL } from "../../../src/ownership/record.ts";
import { consumersDraft, recordIn, SHARED } from "../../../testing/builders/consumers.ts";
import { ALLOWED, type CallParts } from "../../../testing/builders/sharing.ts";

const database = (conditions: readonly JsonObject[] = []): JsonObject => ({
  apiVersion: SHARED.apiVersion,
  kind: SHARED.kind,
  metadata: { name: SHARED.name, uid: "database-uid", annotations: { [ALLOWED]: "team-a, team-b, team-c" } },
  status: { conditions },
});

const TICKET = "0123456789abcdef.1";
const OTHER = "0123456789abcdef.2";

/** The record of an XR that asks for a place. */
const asking = (namespace: string, since: string, binding: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
  const record = recordIn(namespace, `Shop.apps.example.org/${namespace}/shop`, {
    access: "Requested",
    ticket: TICKET,
    ...binding,
  });
  const own = record["metadata"] as JsonObject;
  const labels = { ...(own["labels"] as JsonObject), [RECORD_LABEL]: `of-${namespace}` };
  return { ...record, metadata: { ...own, creationTimestamp: since, labels, ...metadata } };
};

const subjectOf = (namespace: string) => admissionSubject(namespace, `of-${namespace}`, "db");
const answerTo = (namespace: string, ticket = TICKET): JsonObject =>
  composeAnswer(toComposite(documentOf(database())), subjectOf(namespace), { ticket });
const admitted = (...namespaces: readonly string[]) =>
  Object.fromEntries(namespaces.map((namespace) => [`consumers/${subjectOf(namespace)}`, answerTo(namespace)]));

const draftOf = (capacity: number, parts: CallParts) => consumersDraft({ capacity }, { xr: database(), ...parts });
const inLine = (...records: readonly JsonObject[]): NonNullable<CallParts["answers"]> => ({
  "consumers/ConfigMap": records,
});

describe("admission", () => {
  test.each<{ reason: string; capacity: number; parts: CallParts; has: readonly string[]; says: string }>([
    {
      reason: "takes the oldest records first, as many as there is room for",
      capacity: 2,
      parts: { answers: inLine(asking("team-a", "3"), asking("team-b", "1"), asking("team-c", "2")) },
      has: ["team-b", "team-c"],
      says: "Full",
    },
    {
      reason: "takes records of one second by namespace and name",
      capacity: 1,
      parts: { answers: inLine(asking("team-b", "1"), asking("team-a", "1")) },
      has: ["team-a"],
      says: "Full",
    },
    {
      reason: "keeps who is admitted, whatever is older",
      capacity: 1,
      parts: { observed: admitted("team-b"), answers: inLine(asking("team-a", "1"), asking("team-b", "2")) },
      has: ["team-b"],
      says: "Full",
    },
    {
      reason: "keeps who is admitted where the capacity was reduced",
      capacity: 1,
      parts: { observed: admitted("team-a", "team-b"), answers: inLine(asking("team-a", "1"), asking("team-b", "2")) },
      has: ["team-a", "team-b"],
      says: "Full",
    },
    {
      reason: "prefers who was served before, as right after a restore, also where no XR controls its record yet",
      capacity: 1,
      parts: {
        answers: inLine(asking("team-a", "1"), asking("team-b", "2", { access: "Granted" }, { ownerReferences: [] })),
      },
      has: ["team-b"],
      says: "Full",
    },
    {
      reason: "does not go beyond its capacity for those who say that they were served",
      capacity: 1,
      parts: {
        observed: admitted("team-a"),
        answers: inLine(asking("team-a", "1"), asking("team-b", "2", { access: "Granted" })),
      },
      has: ["team-a"],
      says: "Full",
    },
    {
      reason: "begins none for a record that no XR controls",
      capacity: 1,
      parts: { answers: inLine(asking("team-a", "1", {}, { ownerReferences: [] })) },
      has: [],
      says: "Available",
    },
    {
      reason: "needs a grant",
      capacity: 4,
      parts: { answers: inLine(asking("team-z", "1"), asking("team-a", "2")) },
      has: ["team-a"],
      says: "QuarterUsed",
    },
    {
      reason: "takes the place of an XR away that has gone",
      capacity: 1,
      parts: { observed: admitted("team-b"), answers: inLine(asking("team-a", "1")) },
      has: ["team-a"],
      says: "Full",
    },
    {
      reason: "counts those that do not ask",
      capacity: 2,
      parts: {
        answers: inLine(
          asking("team-a", "1", { ticket: null, access: "Granted" }),
          asking("team-b", "2"),
          asking("team-c", "3"),
        ),
      },
      has: ["team-b"],
      says: "Full",
    },
    {
      reason: "stays as it is while it is not known who asks",
      capacity: 4,
      parts: {
        xr: database([{ type: "CapacityAvailable", status: "True", reason: "HalfUsed" }]),
        observed: admitted("team-a", "team-b"),
        answers: { "consumers/ConfigMap": "pending" },
      },
      has: ["team-a", "team-b"],
      says: "HalfUsed",
    },
  ])("$reason", ({ capacity, parts, has, says }) => {
    const { resources, conditions } = draftOf(capacity, parts);
    const answers = [...resources].flatMap(([key, edit]) =>
      key.startsWith("consumers/admission/") && edit.is === "set" ? [[key, edit.object]] : [],
    );
    expect(Object.fromEntries(answers)).toEqual(admitted(...has));
    expect(conditions.find(({ type }) => type === "CapacityAvailable")).toMatchObject({
      reason: says,
      status: says === "Full" ? "False" : "True",
    });
  });

  test("repeats the ticket of the present proposal, not of an earlier one", () => {
    const draft = draftOf(1, {
      observed: admitted("team-a"),
      answers: inLine(asking("team-a", "1", { ticket: OTHER })),
    });
    expect(draft.resources.get(`consumers/${subjectOf("team-a")}`)).toMatchObject({
      object: answerTo("team-a", OTHER),
    });
  });

  test("protects the database from deletion for who is admitted, and not for who waits in line", () => {
    const observed = admitted("team-a");
    const { resources } = draftOf(1, { observed, answers: inLine(asking("team-a", "1"), asking("team-b", "2")) });
    const reasons = [...resources.values()].flatMap((edit) => {
      const { spec } = (edit.is === "set" ? edit.object : undefined) ?? {};
      return spec === undefined ? [] : [(spec as JsonObject)["reason"]];
    });
    expect(reasons).toEqual([
      "Shop.apps.example.org shop in namespace team-a uses it: delete them, or take back their grant",
    ]);
  });

  test("gives no place to a team without a grant, whatever it writes into its record", () => {
    const forged = recordIn("evil", "Shop.apps.example.org/evil/shop", { access: "Granted" });
    const draft = draftOf(1, { answers: inLine(asking("team-a", "1"), forged) });
    expect(draft.resources.has(`consumers/${subjectOf("team-a")}`)).toBe(true);
  });
});
