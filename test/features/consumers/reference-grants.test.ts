import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import {
  claimRecord,
  consumersDraft,
  credentialKey,
  ownDatabase,
  recordIn,
  V2_0,
} from "../../../testing/builders/consumers.ts";
import { couldNotRead, referenceGrant, synced } from "../../../testing/builders/kubernetes.ts";
import { listedIn, requirementsIn, roleIn, statusOf } from "../../../testing/builders/read-draft.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";

const REQUIREMENT = "consumers/reference-grants";

const database = (more: JsonObject = {}, annotations: JsonObject = {}): JsonObject => {
  const writeConnectionSecretToRef = { namespace: "databases", name: "orders-conn" };
  return ownDatabase(annotations, { spec: { writeConnectionSecretToRef }, ...more });
};

const grantOf = (from: JsonObject = {}, to: JsonObject = {}, namespace = "databases"): JsonObject =>
  referenceGrant({ kind: "Shop", ...from }, to, namespace);

const records = { "consumers/EnvironmentConfig": [claimRecord("team-a")] };
const section = { list: { toCompositeFieldPath: "status.consumers" }, grant: "ReferenceGrant" };
const installed = { "v1/ReferenceGrant": {} };

const draftOf = ({ answers, ...parts }: CallParts = {}, more: JsonObject = {}) =>
  consumersDraft(
    { ...section, ...more },
    { xr: database(), schemas: installed, ...parts, answers: { ...records, ...answers } },
  );

const itemsOf = (draft: Draft) => listedIn(draft).map(({ namespace, granted }) => `${namespace} ${granted}`);
const countsOf = (draft: Draft) => ["count", "withoutGrant"].map((key) => statusOf(draft)?.[key]);
const says = ({ conditions: [condition] }: Draft) => `${condition?.status} ${condition?.reason}`;

describe("the list of consumers tells who is granted by ReferenceGrants beside the Secret:", () => {
  const { metadata, ...platforms } = claimRecord("team-a", "XShop.apps.example.org/shop");
  const labels = { "crossplane.io/composite": "x" };
  const unclaimed = { ...platforms, metadata: { ...(metadata as JsonObject), labels } };
  const elsewhere = claimRecord("team-a", undefined, { secrets: ["elsewhere/orders-db"] });
  test.each<[reason: string, grants: readonly JsonObject[], items: readonly string[], record?: JsonObject]>([
    ["the claim's kind, for all Secrets", [grantOf()], ["team-a true"]],
    ["the claim's kind, for this Secret", [grantOf({}, { name: "orders-conn" })], ["team-a true"]],
    ["the kind of the claim's XR", [grantOf({ kind: "XShop" })], ["team-a true"]],
    ["the claim's namespace, wherever it copies to", [grantOf()], ["team-a true"], elsewhere],
    ["the copy's namespace, for an XR without one", [grantOf({ kind: "XShop" })], ["team-a true"], unclaimed],
    ["nobody by a grant to another kind", [grantOf({ kind: "Blog" })], []],
    ["nobody without a grant", [], []],
  ])("%s", (_reason, grants, items, record = claimRecord("team-a")) => {
    const draft = draftOf({ answers: { "consumers/EnvironmentConfig": [record], [REQUIREMENT]: grants } });
    expect(itemsOf(draft)).toEqual(items);
    expect(countsOf(draft)).toEqual([items.length, 1 - items.length]);
    expect(says(draft)).toBe(items[0]?.endsWith("true") ? "True Served" : "False AccessNotGranted");
  });

  test("those that the annotations grant as well", () => {
    const xr = database({}, { [ALLOWED]: "team-b" });
    const both = [claimRecord("team-a"), claimRecord("team-b")];
    const draft = draftOf({ xr, answers: { "consumers/EnvironmentConfig": both, [REQUIREMENT]: [grantOf()] } });
    expect(itemsOf(draft)).toEqual(["team-a true", "team-b true"]);
  });

  test("each copy of a granted team's, whose record lies in its namespace", () => {
    const record = recordIn("team-a", "Shop.apps.example.org/team-a/shop", { secrets: ["team-a/x", "team-a/y"] });
    const found = { "consumers/ConfigMap": [record], "consumers/EnvironmentConfig": [], [REQUIREMENT]: [grantOf()] };
    expect(itemsOf(draftOf({ answers: found }))).toEqual(["team-a true", "team-a true"]);
  });

  test("not a team without a grant whose record names the claim of one that has it", () => {
    const forged = recordIn("evil", "Shop.apps.example.org/team-a/shop");
    const draft = draftOf({ answers: { "consumers/ConfigMap": [forged], [REQUIREMENT]: [grantOf()] } });
    expect(itemsOf(draft)).toEqual(["team-a true"]);
    expect(countsOf(draft)).toEqual([1, 1]);
  });
});

describe("ReferenceGrants are asked for", () => {
  const selected = { kind: "ReferenceGrant", namespace: "databases", match: { labels: {} } };
  const selector = (version: string) => ({ apiVersion: `gateway.networking.k8s.io/${version}`, ...selected });
  const looksUp = "Unknown WaitingForRequiredResources";
  const inTeam = database({ metadata: { name: "orders", namespace: "team-x" } });
  const byPath = database({ spec: {}, status: { secret: { space: "databases", name: "orders-conn" } } });
  const secretRef = { nameFieldPath: "status.secret.name", namespaceFieldPath: "status.secret.space" };
  const unread = database({ status: synced("False", { message: couldNotRead(REQUIREMENT) }) });
  test.each<[reason: string, parts: CallParts, asked: JsonObject | undefined, condition: string, more?: JsonObject]>([
    ["after the schema of their kind", { schemas: {} }, undefined, looksUp],
    ["in the Secret's namespace, and nothing is judged before they are there", {}, selector("v1"), looksUp],
    ["as v1beta1 by Crossplane before v2.2", { capabilities: V2_0 }, selector("v1beta1"), looksUp],
    ["not by an XR that names no Secret yet", { xr: database({ spec: {} }) }, undefined, "False NoConnectionSecret"],
    ["not for a Secret of another namespace than the XR's", { xr: inTeam }, undefined, "False NoConnectionSecret"],
    ["beside the Secret that the input's paths lead to", { xr: byPath }, selector("v1"), looksUp, { secretRef }],
    ["not again where Crossplane could not read them", { xr: unread }, undefined, "False ReferenceGrantsNotReadable"],
  ])("%s", (_reason, parts, asked, condition, more) => {
    const draft = draftOf(parts, more);
    expect(requirementsIn(draft).get(REQUIREMENT)).toEqual(asked);
    expect(says(draft)).toBe(condition);
    expect(itemsOf(draft)).toEqual([]);
  });

  test("nor where the cluster serves none", () => {
    const draft = draftOf({ schemas: { ReferenceGrant: null } });
    expect([requirementsIn(draft).has(REQUIREMENT), says(draft)]).toEqual([false, "False ReferenceGrantsNotReadable"]);
  });

  test("never without grant: ReferenceGrant", () => {
    const draft = draftOf({}, { grant: "Annotation" });
    expect(requirementsIn(draft).has(REQUIREMENT)).toBe(false);
    expect(JSON.stringify([...draft.requiredSchemas])).not.toContain("ReferenceGrant");
  });

  test("never of Crossplane v1, which cannot look them up", () => {
    expect(() => draftOf({ capabilities: [] })).toThrow("spec.consumers.grant: ReferenceGrant needs");
  });
});

test("a consumer with a ReferenceGrant keeps the XR from being deleted", () => {
  const drafts = [[grantOf()], []].map((grants) => draftOf({ answers: { [REQUIREMENT]: grants } }, { protect: true }));
  expect(drafts.map(({ resources }) => resources.size)).toEqual([1, 0]);
});

test("a credential goes with its annotation's grant while ReferenceGrants cannot be judged", () => {
  const template = { apiVersion: "sql.example.org/v1", kind: "Role", metadata: { name: "orders-{namespace}" } };
  const observed = { [credentialKey("team-a")]: template, [credentialKey("team-b")]: template };
  const xr = database({}, { [ALLOWED]: "team-b" });
  const draft = draftOf({ xr, observed }, { credentials: { forEach: "Grant", template } });
  expect([...draft.resources.keys()]).toEqual([credentialKey("team-b")]);
});

const rotation = { rotation: { resource: "role", toFieldPath: "spec.trigger" } };
const desired = { role: { apiVersion: "sql.example.org/v1", kind: "Role", spec: {} } };

/** The role after a reconcile with these grants, as Crossplane would observe it. */
function reconcile(grants: readonly JsonObject[] | "pending", before?: JsonObject, annotations: JsonObject = {}) {
  const observed = before === undefined ? {} : { role: before };
  const parts = { xr: database({}, annotations), desired, observed, answers: { [REQUIREMENT]: grants } };
  return roleIn(draftOf(parts, rotation));
}
const triggerOf = (role: JsonObject) => (role["spec"] as JsonObject)["trigger"];

test.each<[reason: string, grants: readonly JsonObject[] | "pending", isRotated: boolean, annotations?: JsonObject]>([
  ["happens when a namespace loses its ReferenceGrant", [], true],
  ["does not happen while they stay", [grantOf({ kind: "XShop" })], false],
  ["waits while they are not looked up", "pending", false],
  ["does not happen where an annotation grants the same namespace then", [], false, { [ALLOWED]: "team-a" }],
])("rotation by ReferenceGrants: %s", (_reason, grants, isRotated, annotations) => {
  const role = reconcile(grants, reconcile([grantOf()]), annotations);
  expect(triggerOf(role) !== undefined).toBe(isRotated);
});
