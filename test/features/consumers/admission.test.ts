import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { admissionSubject, composeAnswer } from "../../../src/records/answer.ts";
import { RECORD_LABEL } from "../../../src/records/record.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import { consumersDraft, finding, ownDatabase, shopIn } from "../../../testing/builders/consumers.ts";
import { objectSetBy } from "../../../testing/builders/read-draft.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";

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
  const both = ["team-a", "team-b"];
  const [a, b, c] = [asking("team-a", "1"), asking("team-b", "2"), asking("team-c", "3")];
  const [z, servedZ] = [asking("team-z", "1"), asking("team-z", "1", served)];
  const requesting = shopIn("team-a", { access: "Requested" });
  const alsoInZ = shopIn("team-a", { ...served, secrets: ["team-a/orders-db", "team-z/orders-db"] });
  const servedB = asking("team-b", "2", served);
  const halfUsed = database([{ type: "CapacityAvailable", status: "True", reason: "HalfUsed" }]);
  /** An object in a team's namespace that the team calls its answer. */
  const forged = { [`consumers/${subjectOf("team-b")}`]: { ...answerTo("team-b"), metadata: { namespace: "team-b" } } };
  interface More {
    readonly capacity?: number;
    /** The namespaces whose XRs are admitted already. */
    readonly before?: readonly string[];
    readonly xr?: JsonObject;
    readonly observed?: Readonly<Record<string, JsonObject>>;
  }
  /** `is`: who is admitted, and how full the database is. */
  type Row = [reason: string, is: string, records: readonly JsonObject[] | "pending", more?: More];
  test.each<Row>([
    ["takes the oldest that there is room for", "team-b team-c: Full", [asking("team-a", "4"), b, c], { capacity: 2 }],
    ["takes records of one second by namespace and name", "team-a: Full", [asking("team-b", "1"), a]],
    ["keeps who is admitted, whatever is older", "team-b: Full", [a, b], { before: ["team-b"] }],
    ["keeps who is admitted where the capacity was reduced", "team-a team-b: Full", [a, b], { before: both }],
    ["keeps none by an object that the team calls its answer", "team-a: Full", [a, b], { observed: forged }],
    ["fills the places beside who is admitted", "team-a team-b: Full", [a, b], { capacity: 2, before: ["team-a"] }],
    ["keeps who has lost its grant and is served", "team-z: Full", [servedZ, a], { before: ["team-z"] }],
    ["does not keep who has lost its grant otherwise", "team-a: Full", [z, a], { before: ["team-z"] }],
    ["prefers who was served before a restore", "team-b: Full", [a, asking("team-b", "2", served, restored)]],
    ["gives no more places than it has for that", "team-a: Full", [a, servedB], { before: ["team-a"] }],
    ["begins none for a record that no XR controls", ": Available", [asking("team-a", "1", {}, restored)]],
    ["needs a grant", "team-a: QuarterUsed", [asking("team-z", "1"), a], { capacity: 4 }],
    ["does not count a team without a grant, whatever it writes", "team-a: Full", [a, shopIn("evil", served)]],
    ["takes the place of an XR away that has gone", "team-a: Full", [a], { before: ["team-b"] }],
    ["counts none that neither ask nor are served", "team-b: Full", [requesting, b]],
    ["counts those that do not ask", "team-b: Full", [shopIn("team-a", served), b, c], { capacity: 2 }],
    ["counts those with a copy that lacks a grant as well", ": Full", [alsoInZ, b]],
    ["waits for who asks", "team-a team-b: HalfUsed", "pending", { capacity: 4, before: both, xr: halfUsed }],
  ])("%s: %s", (_reason, is, records, { capacity = 1, before = [], xr = database(), ...more } = {}) => {
    const [has = "", says] = is.split(": ");
    const observed = { ...admitted(...before), ...more.observed };
    const parts = { xr, observed, answers: { "consumers/ConfigMap": records } };
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

  test("protects the database from deletion for who is admitted or does not ask, and not for who waits in line", () => {
    const { resources } = draftOf(1, {
      observed: admitted("team-a"),
      answers: finding(a, b, shopIn("team-c", served)),
    });
    const reasons = [...resources.values()].flatMap((edit) => {
      const { spec } = objectSetBy(edit) ?? {};
      return spec === undefined ? [] : [(spec as JsonObject)["reason"]];
    });
    expect(reasons).toEqual([
      "Shop.apps.example.org shop in namespace team-a, Shop.apps.example.org shop in namespace team-c use it: first delete " +
        "its consumers, or take back their grants",
    ]);
  });
});
