import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { admissionSubject, composeAnswer } from "../../../src/ownership/answer.ts";
import { RECORD_LABEL } from "../../../src/ownership/record.ts";
import { consumersDraft, finding, ownDatabase, shopIn } from "../../../testing/builders/consumers.ts";
import { ALLOWED, type CallParts } from "../../../testing/builders/sharing.ts";

const database = (conditions: readonly JsonObject[] = []): JsonObject =>
  ownDatabase({ [ALLOWED]: "team-a, team-b, team-c" }, { status: { conditions } });

const TICKET = "0123456789abcdef.1";
const OTHER = "0123456789abcdef.2";

/** The record of an XR that asks for a place. */
const asking = (namespace: string, since: string, binding: JsonObject = {}, metadata: JsonObject = {}): JsonObject => {
  const record = shopIn(namespace, { access: "Requested", ticket: TICKET, ...binding });
  const own = record["metadata"] as JsonObject;
  const labels = { ...(own["labels"] as JsonObject), [RECORD_LABEL]: `of-${namespace}` };
  return { ...record, metadata: { ...own, creationTimestamp: since, labels, ...metadata } };
};
const served = { access: "Granted" };
const restored = { ownerReferences: [] };

const subjectOf = (namespace: string) => admissionSubject(namespace, `of-${namespace}`, "db");
const answerTo = (namespace: string, ticket = TICKET): JsonObject =>
  composeAnswer(toComposite(documentOf(database())), subjectOf(namespace), { ticket });
const admitted = (...namespaces: readonly string[]) =>
  Object.fromEntries(namespaces.map((namespace) => [`consumers/${subjectOf(namespace)}`, answerTo(namespace)]));

const draftOf = (capacity: number, parts: CallParts) => consumersDraft({ capacity }, { xr: database(), ...parts });

describe("admission", () => {
  const aThenB = [asking("team-a", "1"), asking("team-b", "2")];
  const halfUsed = database([{ type: "CapacityAvailable", status: "True", reason: "HalfUsed" }]);
  interface Row {
    readonly reason: string;
    readonly capacity?: number;
    /** The namespaces whose XRs are admitted already. */
    readonly before?: readonly string[];
    readonly records: readonly JsonObject[] | "pending";
    readonly xr?: JsonObject;
    /** Who is admitted, and how full the database is. */
    readonly is: string;
  }
  test.each<Row>([
    {
      reason: "takes the oldest records first, as many as there is room for",
      capacity: 2,
      records: [asking("team-a", "3"), asking("team-b", "1"), asking("team-c", "2")],
      is: "team-b team-c: Full",
    },
    {
      reason: "takes records of one second by namespace and name",
      records: [asking("team-b", "1"), asking("team-a", "1")],
      is: "team-a: Full",
    },
    { reason: "keeps who is admitted, whatever is older", before: ["team-b"], records: aThenB, is: "team-b: Full" },
    {
      reason: "keeps who is admitted where the capacity was reduced",
      before: ["team-a", "team-b"],
      records: aThenB,
      is: "team-a team-b: Full",
    },
    {
      reason: "prefers who was served before, as right after a restore, also where no XR controls its record yet",
      records: [asking("team-a", "1"), asking("team-b", "2", served, restored)],
      is: "team-b: Full",
    },
    {
      reason: "does not go beyond its capacity for those who say that they were served",
      before: ["team-a"],
      records: [asking("team-a", "1"), asking("team-b", "2", served)],
      is: "team-a: Full",
    },
    {
      reason: "begins none for a record that no XR controls",
      records: [asking("team-a", "1", {}, restored)],
      is: ": Available",
    },
    {
      reason: "needs a grant",
      capacity: 4,
      records: [asking("team-z", "1"), asking("team-a", "2")],
      is: "team-a: QuarterUsed",
    },
    {
      reason: "takes the place of an XR away that has gone",
      before: ["team-b"],
      records: [asking("team-a", "1")],
      is: "team-a: Full",
    },
    {
      reason: "counts those that do not ask",
      capacity: 2,
      records: [asking("team-a", "1", { ticket: null, ...served }), asking("team-b", "2"), asking("team-c", "3")],
      is: "team-b: Full",
    },
    {
      reason: "stays as it is while it is not known who asks",
      capacity: 4,
      before: ["team-a", "team-b"],
      records: "pending",
      xr: halfUsed,
      is: "team-a team-b: HalfUsed",
    },
  ])("$reason", ({ capacity = 1, before = [], records, xr = database(), is }) => {
    const [has = "", says] = is.split(": ");
    const parts = { xr, observed: admitted(...before), answers: { "consumers/ConfigMap": records } };
    const { resources, conditions } = draftOf(capacity, parts);
    const answers = [...resources].flatMap(([key, edit]) =>
      key.startsWith("consumers/admission/") && edit.is === "set" ? [[key, edit.object]] : [],
    );
    expect(Object.fromEntries(answers)).toEqual(admitted(...has.split(" ").filter(Boolean)));
    expect(conditions.find(({ type }) => type === "CapacityAvailable")).toMatchObject({
      reason: says,
      status: says === "Full" ? "False" : "True",
    });
  });

  test("repeats the ticket of the present proposal, not of an earlier one", () => {
    const answers = finding(asking("team-a", "1", { ticket: OTHER }));
    const draft = draftOf(1, { observed: admitted("team-a"), answers });
    expect(draft.resources.get(`consumers/${subjectOf("team-a")}`)).toMatchObject({
      object: answerTo("team-a", OTHER),
    });
  });

  test("protects the database from deletion for who is admitted, and not for who waits in line", () => {
    const observed = admitted("team-a");
    const { resources } = draftOf(1, { observed, answers: finding(asking("team-a", "1"), asking("team-b", "2")) });
    const reasons = [...resources.values()].flatMap((edit) => {
      const { spec } = (edit.is === "set" ? edit.object : undefined) ?? {};
      return spec === undefined ? [] : [(spec as JsonObject)["reason"]];
    });
    expect(reasons).toEqual([
      "Shop.apps.example.org shop in namespace team-a uses it: delete them, or take back their grant",
    ]);
  });

  test("gives no place to a team without a grant, whatever it writes into its record", () => {
    const forged = shopIn("evil", served);
    const draft = draftOf(1, { answers: finding(asking("team-a", "1"), forged) });
    expect(draft.resources.has(`consumers/${subjectOf("team-a")}`)).toBe(true);
  });
});
