import { describe, expect, test } from "vitest";
import { ALLOWED_NAMESPACE_SELECTOR } from "../../../src/crossplane/grants.ts";
import { judgeShares } from "../../../src/features/sharing/judge.ts";
import { explainReason, joinReasons } from "../../../src/features/sharing/reasons.ts";
import { quote } from "../../../src/model/condition.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { type CallParts, callOf, sharingDraft, V2 } from "../../../testing/builders/calls.ts";
import { copying, withoutCopies } from "../../../testing/builders/copies.ts";
import { says } from "../../../testing/builders/read-draft.ts";
import { begin } from "../../../testing/builders/run-feature.ts";
import { another, fromXr, grantedTo, naming, refused, toStatus } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, shared, xr } from "../../../testing/builders/sharing.ts";

const judge = (parts: CallParts) => {
  const [first] = judgeShares(begin(callOf(parts)));
  if (first === undefined) throw new Error("no shared resource");
  const { copies, reasons } = first.judgement;
  const [reason] = copies.is === "copy" ? [] : reasons;
  return { copies, reasons, is: copies.is, says: reason && explainReason(reason, first.shared) };
};

const found = { db: [database()] };
const selecting = (select: JsonObject) => ({ sharedResources: [shared({ select })] });
const byLabel = selecting({ matchLabels: { db: "orders" } });
/** The database found, and one copy that is made like this. */
const copied = (copy: JsonObject): CallParts => ({ sharedResources: [copying(copy)], answers: found });
const inNamespace = (namespace: JsonValue) => ({ ...selecting({ name: "orders", namespace }), capabilities: V2 });

const HOW =
  ": set that field; if another field or none names the Secret, set connection.secretRef in the Composition instead";

describe("nothing new is copied while it cannot be told what and where to", () => {
  const noGrant = `XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
  const byField = (path: string, more: JsonObject = {}) =>
    selecting({ matchLabels: { a: { ...fromXr(path), ...more } } });
  const unset = (path: string) => `${path} of the XR is not set`;
  const noDefault =
    "connection.copies[].namespaces, required for an XR with neither a namespace nor a claim, is not set";
  const toApps = copied({ namespaces: fromXr("spec.apps") });
  const unclaimed = { xr: xr({ spec: { parameters: { database: "orders" } } }), answers: found };
  const optional = byField("spec.none", { optional: true });
  const two = { ...byLabel, answers: { db: [database(), another("billing")] } };
  const inEvil = { ...byLabel, answers: { db: [database(), another("decoy", undefined, { namespace: "evil" })] } };
  const itself = copied({ namespaces: "databases", secretName: "orders-conn" });
  const foreign = { ...inNamespace("team-db"), answers: { db: [another("orders", "*", { namespace: "team-db" })] } };
  const ownOnly =
    "XPostgres orders in namespace team-db names a Secret in another namespace: the XPostgres's owner has to name a Secret in the namespace of the XPostgres, or of its claim";
  const sourceless = (overrides: JsonObject = {}) => ({ answers: { db: [database({ spec: {}, ...overrides })] } });
  const noNamespace =
    "this XR has neither metadata.namespace nor spec.claimRef.namespace, so XPostgres orders cannot grant access to it alone: create this XR by a " +
    "claim, or set grant: None in the Composition if every XR may read the shared resource";
  const fieldsOnly = { ...unclaimed, sharedResources: [withoutCopies({ patches: [toStatus("endpoint")] })] };
  const noSecret = `XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name${HOW}`;
  const noName = `XPostgres orders names no connection Secret in metadata.labels.cluster${HOW}`;
  const secretRef = { name: "{metadata.labels[cluster]}-app" };
  const byText = { sharedResources: [copying({}, { secretRef })], answers: found };
  const fromEnvironment = selecting({ name: { fromEnvironmentFieldPath: "db.name" } });
  const noLabels = "each field that select.matchLabels reads is not set";
  const empty = { answers: { db: [] } };
  const inWhere = inNamespace(fromXr("spec.where"));
  const anywhere = "XPostgres with labels db=orders is namespaced: the Composition has to set select.namespace";
  const tooMany =
    "found 2 XPostgres with labels db=orders, more than maxMatch 1: change their labels, or set select.sortByFieldPath in the Composition, which uses the first in order; matches that grant access to this XR: orders";
  const invalid = { ...byField("spec.label"), xr: xr({ spec: { label: "a b" } }) };
  test.each<[reason: string, says: string, parts: CallParts, is?: "unknown" | "gone" | "nothing"]>([
    ["nothing was looked up yet", "waiting for Crossplane to look up XPostgres", {}, "unknown"],
    ["the field that names it is not set", unset("spec.parameters.database"), { xr: xr({ spec: {} }) }],
    ["the environment does not name it", "db.name of the environment is not set", fromEnvironment],
    ["its namespace is not set", unset("spec.where"), inWhere],
    ["a label that is not optional is not set", unset("spec.none"), byField("spec.none")],
    ["the copies' namespaces are not set", unset("spec.apps"), toApps],
    [
      "these are no list of names",
      unset("a text in spec.apps"),
      { ...toApps, xr: naming("orders", { apps: ["a", {}] }) },
    ],
    ["these are an empty list", unset("a text in spec.apps"), { ...toApps, xr: naming("orders", { apps: [] }) }],
    ["the field that names it holds an object", unset("a text in spec.parameters.database"), { xr: naming({ a: 1 }) }],
    ["the field that names it is empty", unset("spec.parameters.database"), { xr: naming("") }],
    ["the copies' name is not set", unset("spec.none"), copied({ secretName: fromXr("spec.none") })],
    ["the copy's namespace is none", '"XShop" is not a valid namespace name', copied({ namespaces: fromXr("kind") })],
    ["two match, of which those are told that grant", tooMany, two],
    ["there is none", "found no XPostgres orders", empty, "gone"],
    ["no resource has the labels", "found no XPostgres with labels db=orders", { ...byLabel, ...empty }, "gone"],
    ["every label is optional and none is set", noLabels, optional],
    ["it names no Secret", noSecret, sourceless(), "gone"],
    ["no field of it makes the Secret's name", noName, byText, "gone"],
    ["no namespace is known to which it could grant its fields", noNamespace, fieldsOnly, "nothing"],
    ["it names no Secret, which is told to those only who may have it", noGrant, sourceless({ annotations: {} })],
    ["an XR without claim and namespace has no namespace of its own", noDefault, unclaimed],
    [
      "the copy's name is none",
      '"Shop" is not a valid Secret name',
      copied({ secretName: fromXr("spec.claimRef.kind") }),
    ],
    [
      "a copy would destroy its source",
      "Secret databases/orders-conn is the source itself: choose another secretName",
      itself,
    ],
    ["a namespaced resource names a Secret elsewhere", ownOnly, foreign],
    ...["../x", "..", "a/b", "a%2Fb", "a b", "x".repeat(254)].map((name): [string, string, CallParts] => [
      `a name that no resource has: ${name.slice(0, 10)}`,
      `select.name: ${quote(name)} is not a valid resource name`,
      { xr: naming(name) },
    ]),
    ["a value that no label has", 'select.matchLabels: "a b" is not a valid label value', invalid],
    [
      "its namespace is none",
      'select.namespace: "*" is not a valid namespace name',
      { ...inWhere, xr: xr({ spec: { where: "*" } }) },
    ],
    ["labels match in a namespace that is not named", anywhere, inEvil],
  ])("%s: %s", (_reason, says, parts, is) => {
    expect(judge(parts)).toMatchObject({ is: is ?? "broken", says });
  });
});

describe("only what the owner grants is copied", () => {
  const both = ["team-a", "team-b"];
  const sharedResources = [copying({ namespaces: both })];
  test.each<[reason: string, allowed: string | undefined, targets: readonly string[], refused?: readonly string[]]>([
    ["both named", "team-a, team-b", both],
    ["everybody", "*", both],
    ["one of two", "team-b", ["team-b"], ["team-a"]],
    ["a prefix is not a name", "team-, team-ab", [], both],
    ["nobody", "", [], both],
    ["no annotation", undefined, [], both],
  ])("%s: %s", (_reason, allowed, targets, refusedTeams) => {
    const db = allowed === undefined ? refused : grantedTo(allowed);
    const { copies, ...judged } = judge({ sharedResources, answers: { db: [db] } });
    if (copies.is !== "copy") throw new Error(`judged ${copies.is}`);
    const granted = copies.targets.filter(({ refusal }) => refusal === undefined);
    expect(granted.map(({ namespace }) => namespace)).toEqual(targets);
    const reasons = joinReasons(judged.reasons);
    const sentences = reasons.map((reason) => `${reason.is}: ${explainReason(reason, { kind: "XPostgres" })}`);
    const teams = refusedTeams?.join(", ");
    const expected =
      `AccessNotGranted: XPostgres orders does not grant access to namespace ${teams}: ` +
      `its owner has to add ${teams} to its annotation ${ALLOWED}`;
    expect(sentences).toEqual(teams === undefined ? [] : [expect.stringContaining(expected)]);
  });

  test("of fields and of copies is told at once what both lack", () => {
    const sharedResources = [{ ...copying({ namespaces: "team-b" }), patches: [toStatus("endpoint")] }];
    expect(says(sharingDraft({ sharedResources, answers: { db: [refused] } }))).toContain(
      "does not grant access to namespace team-a, team-b: its owner has to add team-a, team-b to its annotation",
    );
  });

  const misspelt = grantedTo("red;team-a");
  const otherKey = database({ annotations: { [ALLOWED.slice(0, -1)]: "team-a" } });
  const noSelector = database({ annotations: { [ALLOWED_NAMESPACE_SELECTOR]: "team=a;" } });
  test.each([
    ["an entry", misspelt],
    ["an annotation", otherKey],
    ["a selector", noSelector],
  ])(
    "%s that is none is told, so that it is not added a second time, and not quoted: it may name other teams",
    (_what, db) => {
      const remedy = `XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
      const said = says(sharingDraft({ answers: { db: [db] } }));
      expect(said).toContain(`${remedy}, and to correct a grant in its annotations that is misspelt or invalid`);
      expect(said).not.toMatch(/red;|team=a;/);
    },
  );
});

test("an answer from another namespace than was asked for is not taken", () => {
  const elsewhere = another("orders", "*", { namespace: "other" });
  expect(judge({ ...inNamespace("databases"), answers: { db: [elsewhere] } })).toMatchObject({
    is: "gone",
    says: "found no XPostgres orders in namespace databases",
  });
});
