import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { composeAnswer } from "../../../src/records/answer.ts";
import { type CallParts, sharingDraft as draftOf, V2 } from "../../../testing/builders/calls.ts";
import { SELECTOR } from "../../../testing/builders/consumers.ts";
import { copying, copyMetadata, KEY, objectIn, withoutCopies } from "../../../testing/builders/copies.ts";
import { couldNotRead, namespaceOf, referenceGrant, synced } from "../../../testing/builders/kubernetes.ts";
import { reasonIn, requirementsIn, says } from "../../../testing/builders/read-draft.ts";
import { refused } from "../../../testing/builders/shared-database.ts";
import { ALLOWED, database, observedObject, shared, xr } from "../../../testing/builders/sharing.ts";

// Who grants access to a shared resource, and how: by labels, by ReferenceGrants, with a credential for each consumer.

const copied = { [KEY]: { ...observedObject({ ready: "True" }), metadata: copyMetadata() } };

describe("a grant by label", () => {
  const labelled = (labels: JsonObject) => ({ ...namespaceOf("team-a"), metadata: { name: "team-a", labels } });
  const owner = database({ annotations: { [SELECTOR]: "team=orders,env in (prod,stage)" } });

  const [prod, dev] = [labelled({ team: "orders", env: "prod" }), labelled({ team: "orders", env: "dev" })];
  test.each<[reason: string, copies: number, condition: string, space: readonly JsonObject[] | "pending"]>([
    ["holds where the Namespace matches", 1, "Available", [prod]],
    ["is taken back where the Namespace no longer matches", 0, "AccessNotGranted", [dev]],
    ["is taken back where there is no such Namespace", 0, "AccessNotGranted", []],
    ["is not taken back before the Namespace has been looked up", 1, "WaitingForRequiredResources", "pending"],
  ])("%s", (_reason, copies, condition, space) => {
    const draft = draftOf({ observed: copied, answers: { db: [owner], "namespace/team-a": space } });
    expect([draft.resources.size, reasonIn(draft)]).toEqual([copies, condition]);
  });

  test("is asked for with labels, too", () => {
    const draft = draftOf({ answers: { db: [owner], "namespace/team-a": [dev] } });
    expect(says(draft)).toMatch(
      /its owner has to add team-a to its annotation [^ ]*\/allowed-namespaces, or the Namespace needs the labels of its annotation [^ ]*\/allowed-namespace-selector$/,
    );
  });

  test("looks up only the Namespace that asks, and none that is granted by name", () => {
    const named = database({ annotations: { [ALLOWED]: "team-a", [SELECTOR]: "team=orders" } });
    const asked = [owner, named].map((db) => [...requirementsIn(draftOf({ answers: { db: [db] } })).keys()]);
    expect(asked).toEqual([
      ["shared-resource/db", "namespace/team-a"],
      ["shared-resource/db", `${KEY}/target`],
    ]);
  });

  test("decides about fields as about Secrets", () => {
    const sharedResources = [withoutCopies({ grant: "Annotation", toEnvironment: { fromFieldPath: "status" } })];
    const reasons = [[prod], [labelled({})], "pending" as const].map((space) =>
      reasonIn(draftOf({ sharedResources, answers: { db: [owner], "namespace/team-a": space } })),
    );
    expect(reasons).toEqual(["Available", "AccessNotGranted", "WaitingForRequiredResources"]);
  });

  const failing = (message: string, status = "False"): JsonObject => xr({ status: synced(status, { message }) });
  const notRead = couldNotRead("namespace/team-a");

  test("waits where Crossplane may not read Namespaces, and says what to do", () => {
    const draft = draftOf({ xr: failing(notRead), observed: copied, answers: { db: [owner] } });
    expect([draft.resources.size, reasonIn(draft)]).toEqual([1, "NamespaceNotReadable"]);
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db"]);
  });

  const IN_ANOTHER = "b#1: fetching resources for namespace/team-a";
  test.each<[reason: string, message: string, status?: string]>([
    ["a resource that the team gave its name", `Unsynced resources: ${notRead}`],
    ["a webhook's answer", `cannot compose resources: cannot apply "a": denied: ${notRead}`],
    ["a requirement of another step", notRead.replace("namespace/team-a", "of/namespace/team-a")],
    ["the name of a requirement", notRead.replace("namespace/team-a", IN_ANOTHER)],
    ["a condition that is True", notRead, "True"],
  ])("asks all the same where %s reads so: the copy goes with its grant", (_reason, message, status) => {
    const answers = { db: [owner], "namespace/team-a": [labelled({})] };
    const draft = draftOf({ xr: failing(message, status), observed: copied, answers });
    expect([...requirementsIn(draft).keys()]).toContain("namespace/team-a");
    expect(reasonIn(draft)).toBe("AccessNotGranted");
  });
});

describe("a credential of its own", () => {
  const keys = [{ from: "password", to: "password" }];
  const publishing = (more: JsonObject = {}) =>
    copying({ via: "ConnectionSecret", keys, ...more }, { secretRef: { perConsumer: true } });
  const own = publishing();
  const UID = "uid-of-orders";
  /** The answer to the consumers of a namespace, as the owner's XR has composed it. */
  const answerTo = (namespace: string, more: JsonObject = {}): JsonObject => {
    const secret = { namespace: "databases", name: `orders-${namespace}` };
    const { metadata, ...answer } = composeAnswer(toComposite(documentOf(database())), namespace, { secret });
    const ownerReferences = [{ apiVersion: "v1", kind: "XPostgres", name: "orders", uid: UID, controller: true }];
    return { ...answer, metadata: { ...(metadata as JsonObject), name: "x", ownerReferences, ...more } };
  };
  const owner = (annotations: JsonObject = { [ALLOWED]: "team-a" }): JsonObject =>
    database({ metadata: { name: "orders", uid: UID, annotations } });
  const sourceOf = (draft: Draft): unknown => {
    const { spec } = objectIn(draft, `${KEY}/connection-secret`) ?? {};
    return (spec as { connectionDetails?: readonly JsonObject[] } | undefined)?.connectionDetails?.[0]?.["name"];
  };

  const companion = [
    { apiVersion: "v1", kind: "XKeeper", name: "keeper", uid: "keeper", controller: true },
    { apiVersion: "v1", kind: "XPostgres", name: "orders", uid: UID },
  ];
  test.each<[reason: string, metadata: JsonObject]>([
    ["in place of the common Secret", {}],
    ["where a companion answers, and the database is its second owner", { ownerReferences: companion }],
  ])("is copied %s", (_reason, metadata) => {
    const answers = { db: [owner()], answer: [answerTo("team-a", metadata)] };
    expect(sourceOf(draftOf({ sharedResources: [own], answers }))).toBe("orders-team-a");
  });

  test("is the first by name where a companion answers beside the database, in whichever order Crossplane lists them", () => {
    const second = {
      ...answerTo("team-a", { name: "y" }),
      data: { secretNamespace: "databases", secretName: "other" },
    };
    const both = [answerTo("team-a"), second];
    const sources = [both, both.toReversed()].map((answer) =>
      sourceOf(draftOf({ sharedResources: [own], answers: { db: [owner()], answer } })),
    );
    expect(sources).toEqual(["orders-team-a", "orders-team-a"]);
  });

  test("is asked for with the grant, by a label of its own", () => {
    const [first, other] = [owner(), database({ metadata: { name: "other", uid: UID } })].map((db) =>
      requirementsIn(draftOf({ sharedResources: [own], answers: { db: [db] } })).get("shared-resource/answer"),
    );
    const { labels } = answerTo("team-a")["metadata"] as JsonObject;
    expect(first).toMatchObject({ kind: "EnvironmentConfig", match: { labels } });
    expect(other?.match).not.toEqual(first?.match);
  });

  const leftBy = ([, ...ownerReferences]: readonly JsonObject[]) => answerTo("team-a", { ownerReferences });
  const noCredential =
    "NoCredential: db: XPostgres orders has no credential for namespace team-a yet; if this stays, see its condition ConsumersServed";
  const revoked =
    "AccessNotGranted: db: XPostgres orders no longer grants access to namespace team-a: its owner has to add team-a to its " +
    "annotation shared-infrastructure.fn.crossplane.io/allowed-namespaces";

  const waits = "WaitingForRequiredResources: db: waiting for Crossplane to look up the credential of orders";
  type Row = [reason: string, kept: number, says: string, answer: readonly JsonObject[] | "pending", db?: JsonObject];
  test.each<Row>([
    ["is waited for, and the common one is not taken meanwhile", 1, waits, "pending"],
    ["is waited for until its Secret is written", 1, noCredential, []],
    ["is not what the owner's XR does not own", 1, noCredential, [answerTo("team-a", { ownerReferences: [] })]],
    // Kubernetes leaves it there, since the database is its second owner.
    ["is not what a deleted companion has answered", 1, noCredential, [leftBy(companion)]],
    ["is not what an object of another namespace names", 1, noCredential, [answerTo("team-a", { namespace: "evil" })]],
    ["goes with its copy when the grant is taken back", 0, revoked, [], owner({})],
    ["goes with its copy while the owner still answers", 0, revoked, [answerTo("team-a")], owner({})],
  ])("%s", (_reason, kept, message, answer, db = owner()) => {
    const answers = { db: [db], "db/recorded": [db], answer };
    const draft = draftOf({ sharedResources: [own], observed: copied, answers });
    expect([says(draft), draft.resources.size]).toEqual([message, kept]);
  });

  test("is for one namespace", () => {
    const both = publishing({ namespaces: ["team-a", "team-b"] });
    expect(says(draftOf({ sharedResources: [both], answers: { db: [owner()] } }))).toBe(
      "InvalidTarget: db: with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource " +
        "must be in one namespace",
    );
  });
});

describe("the version of ReferenceGrant", () => {
  const sharedResources = [shared({ grant: "ReferenceGrant" })];
  const byReferenceGrant: CallParts = { capabilities: [...V2, "RequiredSchemas"], sharedResources };
  const ask = (answer: "pending" | "unknown" | "v1" | "v1beta1") => {
    const served = ["v1", "v1beta1"].map((version) => [`${version}/ReferenceGrant`, version === answer ? {} : null]);
    const schemas = answer === "pending" ? {} : Object.fromEntries(served);
    const draft = draftOf({ ...byReferenceGrant, schemas, answers: { db: [refused] } });
    const asked = requirementsIn(draft).get("shared-resource/db/reference-grants");
    return [asked?.apiVersion, [...draft.requiredSchemas.values()].map(({ apiVersion }) => apiVersion)];
  };

  const both = ["gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1beta1"];
  test.each<[answer: "v1" | "v1beta1" | "unknown" | "pending", version: string | undefined, why: string]>([
    ["v1", both[0], "where the cluster serves it"],
    ["v1beta1", both[1], "where the cluster does not serve v1"],
    ["unknown", undefined, "where the cluster serves none: Crossplane would fail the XR"],
    ["pending", undefined, "as long as that is not known"],
  ])("%s: %s is asked for %s", (answer, version) => {
    expect(ask(answer)).toEqual([version, both]);
  });

  test("is asked for in the same call as the shared resource: Crossplane calls six times at most", () => {
    expect([...draftOf(byReferenceGrant).requiredSchemas.values()].map(({ apiVersion }) => apiVersion)).toEqual(both);
  });

  test("is not asked for again where an answer of the last reconcile proves that it is served", () => {
    const draft = draftOf({ ...byReferenceGrant, answers: { db: [database()], "db/reference-grants": [] } });
    expect([...draft.requiredSchemas]).toEqual([]);
    expect(requirementsIn(draft).get("shared-resource/db/reference-grants")?.apiVersion).toBe(both[0]);
  });
});

const draftWith = (items: readonly JsonObject[] | undefined, grant = "ReferenceGrant") => {
  const answers = { db: [refused], [`${KEY}/target`]: [], ...(items && { "db/reference-grants": items }) };
  return draftOf({ capabilities: V2, sharedResources: [shared({ grant })], answers });
};

describe("a ReferenceGrant beside the Secret", () => {
  test.each<[reason: string, isGranted: boolean, ...items: readonly JsonObject[]]>([
    ["for all Secrets", true, referenceGrant()],
    ["for this Secret", true, referenceGrant({}, { name: "orders-conn" })],
    ["to the claim's kind", true, referenceGrant({ kind: "Shop" })],
    ["the second of two", true, referenceGrant({ kind: "XBlog" }), referenceGrant()],
    ["for another Secret", false, referenceGrant({}, { name: "other" })],
    ["for ConfigMaps", false, referenceGrant({}, { kind: "ConfigMap" })],
    ["for another group's Secrets", false, referenceGrant({}, { group: "x.example.org" })],
    ["to another kind", false, referenceGrant({ kind: "XBlog" })],
    ["to another group", false, referenceGrant({ group: "x.example.org" })],
    ["to another namespace", false, referenceGrant({ namespace: "team-b" })],
    ["in another namespace", false, referenceGrant({}, {}, "team-a")],
    ["that is no grant", false, { metadata: { namespace: "databases" } }],
    ["not at all", false],
  ])("%s: granted is %s", (_reason, isGranted, ...items) => {
    const { resources, conditions } = draftWith(items);
    expect(resources.size).toBe(isGranted ? 1 : 0);
    expect(conditions[0]?.reason).toBe(isGranted ? "WaitingForCopies" : "AccessNotGranted");
  });

  test("who lacks one reads what has to be created", () => {
    expect(draftWith([]).conditions[0]?.message).toBe(
      "db: XPostgres orders does not grant access to namespace team-a: its owner has to create a ReferenceGrant in the namespace of " +
        "its connection Secret, from XShop.apps.example.org or Shop.apps.example.org in team-a",
    );
  });

  test("is waited for, as v1beta1 where Crossplane cannot be asked: nothing is asked of the Secret before", () => {
    const draft = draftWith(undefined);
    const requirements = requirementsIn(draft);
    expect(says(draft)).toBe("WaitingForRequiredResources: db: waiting for Crossplane to look up ReferenceGrant");
    expect([...requirements.keys()]).toEqual(["shared-resource/db", "shared-resource/db/reference-grants"]);
    const kind = { apiVersion: "gateway.networking.k8s.io/v1beta1", kind: "ReferenceGrant" };
    const selector = { ...kind, namespace: "databases", match: { labels: {} } };
    expect(requirements.get("shared-resource/db/reference-grants")).toEqual(selector);
  });
});

test("for a namespace that is none, no Namespace is asked for: Crossplane would fail the XR", () => {
  const toApp = { ...copying({ namespaces: { fromCompositeFieldPath: "spec.app" } }), grant: "ReferenceGrant" };
  const parts = { xr: xr({ spec: { ...(xr()["spec"] as JsonObject), app: "../x" } }), capabilities: V2 };
  const asked = requirementsIn(draftOf({ ...parts, sharedResources: [toApp], answers: { db: [database()] } }));
  expect([...asked.keys()]).toEqual(["shared-resource/db", "shared-resource/db/reference-grants"]);
});

test("with grant: None the Composition's author vouches", () => {
  expect(draftWith(undefined, "None").resources.size).toBe(1);
});
