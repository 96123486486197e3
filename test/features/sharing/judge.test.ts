import { describe, expect, test } from "vitest";
import { ALLOWED_NAMESPACE_SELECTOR } from "../../../src/crossplane/grants.ts";
import { resolveTargets } from "../../../src/features/sharing/copies/targets.ts";
import { findShared } from "../../../src/features/sharing/find.ts";
import { judgeShare } from "../../../src/features/sharing/judge.ts";
import { explainReason, joinReasons } from "../../../src/features/sharing/reasons.ts";
import { quote } from "../../../src/model/condition.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { says } from "../../../testing/builders/read-draft.ts";
import { begin } from "../../../testing/builders/run-feature.ts";
import { another, copying, fromXr, grantedTo, naming, refused, V2 } from "../../../testing/builders/shared-database.ts";
import {
  ALLOWED,
  type CallParts,
  callOf,
  database,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

const judge = (parts: CallParts) => {
  const call = begin(callOf(parts));
  const [first] = call.input.spec.sharedResources;
  if (first === undefined) throw new Error("no shared resource");
  const targets = resolveTargets(first.connection?.copies ?? [], call);
  const judgement = judgeShare(first, targets, findShared(first, [], call), [], call);
  const [reason] = judgement.is === "copy" ? [] : judgement.reasons;
  return { judgement, is: judgement.is, says: reason && explainReason(reason, first) };
};

const found = { db: [database()] };
const selecting = (select: JsonObject) => ({ sharedResources: [shared({ select })] });
const byLabel = selecting({ matchLabels: { db: "orders" } });
/** The database found, and one copy that is made like this. */
const copied = (copy: JsonObject): CallParts => ({ sharedResources: [copying(copy)], answers: found });
const inNamespace = (namespace: JsonValue): CallParts => ({
  ...selecting({ name: "orders", namespace }),
  capabilities: V2,
});

describe("nothing new is copied while it cannot be told what and where to", () => {
  const noGrant = `XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${ALLOWED}`;
  const byField = (path: string, more: JsonObject = {}) =>
    selecting({ matchLabels: { a: { ...fromXr(path), ...more } } });
  test.each<[reason: string, says: string, parts: CallParts, is?: "unknown" | "gone"]>([
    ["nothing was looked up yet", "waiting for Crossplane to look up XPostgres", {}, "unknown"],
    ["the field that names it is not set", "spec.parameters.database of the XR is not set", { xr: xr({ spec: {} }) }],
    [
      "the environment does not name it",
      "db.name of the environment is not set",
      selecting({ name: { fromEnvironmentFieldPath: "db.name" } }),
    ],
    ["its namespace is not set", "spec.where of the XR is not set", inNamespace(fromXr("spec.where"))],
    ["a label that is not optional is not set", "spec.none of the XR is not set", byField("spec.none")],
    [
      "the copies' namespaces are not set",
      "spec.apps of the XR is not set",
      copied({ namespaces: fromXr("spec.apps") }),
    ],
    [
      "the copies' namespaces are no list of names",
      "spec.apps of the XR is not set",
      { ...copied({ namespaces: fromXr("spec.apps") }), xr: naming("orders", { apps: ["a", {}] }) },
    ],
    ["the copies' name is not set", "spec.none of the XR is not set", copied({ secretName: fromXr("spec.none") })],
    [
      "a namespace from the XR is no name",
      '"XShop" is not a namespace\'s name',
      copied({ namespaces: fromXr("kind") }),
    ],
    [
      "two match",
      "found 2 XPostgres with labels db=orders, more than maxMatch: 1: orders",
      { ...byLabel, answers: { db: [database(), another("billing")] } },
    ],
    ["there is none", "found no XPostgres orders", { answers: { db: [] } }, "gone"],
    [
      "no resource has the labels",
      "found no XPostgres with labels db=orders",
      { ...byLabel, answers: { db: [] } },
      "gone",
    ],
    [
      "every label is optional and none is set",
      "everything that select.matchLabels refers to is not set",
      byField("spec.none", { optional: true }),
    ],
    [
      "it names no Secret",
      "XPostgres orders names no connection Secret in spec.writeConnectionSecretToRef.name",
      { answers: { db: [database({ spec: {} })] } },
      "gone",
    ],
    [
      "it names no Secret, which is told to those only who may have it",
      noGrant,
      { answers: { db: [database({ spec: {}, annotations: {} })] } },
    ],
    [
      "an XR without claim and namespace has no namespace of its own",
      "spec.claimRef.namespace of the XR, the default of namespaces, is not set",
      { xr: xr({ spec: { parameters: { database: "orders" } } }), answers: found },
    ],
    [
      "a Secret's name from the XR is none",
      '"Shop" is not a Secret\'s name',
      copied({ secretName: fromXr("spec.claimRef.kind") }),
    ],
    [
      "a copy over its own source would destroy it",
      "Secret databases/orders-conn is the source itself",
      copied({ namespaces: "databases", secretName: "orders-conn" }),
    ],
    [
      "a namespaced resource names a Secret elsewhere",
      "XPostgres orders in namespace team-db names a Secret in another namespace, but may share Secrets of its own namespace only",
      { ...inNamespace("team-db"), answers: { db: [another("orders", "*", { namespace: "team-db" })] } },
    ],
    ...["../x", "..", "a/b", "a%2Fb", "a b", "x".repeat(254)].map((name): [string, string, CallParts] => [
      `a name that no resource has: ${name.slice(0, 10)}`,
      `${quote(name)} is not a resource's name`,
      { xr: naming(name) },
    ]),
    [
      "a label's value from the XR that no label has",
      '"a b" is not a label\'s value',
      { ...byField("spec.label"), xr: xr({ spec: { label: "a b" } }) },
    ],
    [
      "a namespace from the XR that is none",
      '"*" is not a namespace\'s name',
      { ...inNamespace(fromXr("spec.where")), xr: xr({ spec: { where: "*" } }) },
    ],
    [
      "labels that match in a namespace which the Composition does not name",
      "XPostgres with labels db=orders is namespaced: the Composition has to set select.namespace",
      { ...byLabel, answers: { db: [database(), another("decoy", undefined, { namespace: "evil" })] } },
    ],
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
    const { judgement } = judge({ sharedResources, answers: { db: [db] } });
    if (judgement.is !== "copy") throw new Error(`judged ${judgement.is}`);
    const granted = judgement.targets.filter(({ refusal }) => refusal === undefined);
    expect(granted.map(({ namespace }) => namespace)).toEqual(targets);
    const reasons = joinReasons(judgement.reasons);
    const sentences = reasons.map((reason) => `${reason.is}: ${explainReason(reason, { kind: "XPostgres" })}`);
    const teams = refusedTeams?.join(", ");
    const expected =
      `AccessNotGranted: XPostgres orders does not grant access to namespace ${teams}: ` +
      `its owner has to add ${teams} to its annotation ${ALLOWED}`;
    expect(sentences).toEqual(teams === undefined ? [] : [expect.stringContaining(expected)]);
  });

  test.each([
    [
      "an entry that is no namespace's name",
      grantedTo("red;team-a"),
      `${ALLOWED}, separated by commas, in which "red;team-a" is no namespace`,
    ],
    [
      "a selector that is none",
      database({ annotations: { [ALLOWED_NAMESPACE_SELECTOR]: "team=a;" } }),
      `${ALLOWED}, or correct ${ALLOWED_NAMESPACE_SELECTOR}: "team=a;" is no label selector`,
    ],
    [
      "an annotation that is misspelt",
      database({ annotations: { [ALLOWED.slice(0, -1)]: "team-a" } }),
      `${ALLOWED}; its annotation "${ALLOWED.slice(0, -1)}" is misspelt`,
    ],
  ])("%s is quoted to the owner, so that it is not added a second time", (_what, db, quoted) => {
    expect(says(runSharing(callOf({ answers: { db: [db] } })))).toContain(
      `db: XPostgres orders does not grant access to namespace team-a: its owner has to add team-a to its annotation ${quoted}`,
    );
  });
});

test("an answer from another namespace than was asked for is not taken", () => {
  const elsewhere = another("orders", "*", { namespace: "other" });
  expect(judge({ ...inNamespace("databases"), answers: { db: [elsewhere] } })).toMatchObject({
    is: "gone",
    says: "found no XPostgres orders in namespace databases",
  });
});
