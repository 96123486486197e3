import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { composeAnswer } from "../../../src/ownership/answer.ts";
import {
  ALLOWED,
  type CallParts,
  callOf,
  copyMetadata,
  database,
  namespaceOf,
  observedObject,
  requirementsIn,
  runSharing,
  shared,
  xr,
} from "../../../testing/builders/sharing.ts";

// What a consumer does by what the owner's Composition says with `consumers`.

const SELECTOR = "shared-infrastructure.fn.crossplane.io/allowed-namespace-selector";
const KEY = "shared/db/team-a/orders-db";
const draftOf = (parts: CallParts): Draft => runSharing(callOf(parts));
const says = ({ conditions: [condition] }: Draft) => `${condition?.reason}: ${condition?.message}`;
const copied = { [KEY]: { ...observedObject({ ready: "True" }), metadata: copyMetadata() } };

describe("a grant by label", () => {
  const labelled = (labels: JsonObject): JsonObject => ({
    ...namespaceOf("team-a"),
    metadata: { name: "team-a", labels },
  });
  const owner = database({ annotations: { [SELECTOR]: "team=orders,env in (prod,stage)" } });

  test.each<{ reason: string; space: readonly JsonObject[] | "pending"; copies: number; condition: string }>([
    {
      reason: "holds where the Namespace matches",
      space: [labelled({ team: "orders", env: "prod" })],
      copies: 1,
      condition: "Available",
    },
    {
      reason: "is taken back where the Namespace no longer matches",
      space: [labelled({ team: "orders", env: "dev" })],
      copies: 0,
      condition: "AccessNotGranted",
    },
    { reason: "is taken back where there is no such Namespace", space: [], copies: 0, condition: "AccessNotGranted" },
    {
      reason: "is not taken back before the Namespace has been looked up",
      space: "pending",
      copies: 1,
      condition: "WaitingForRequiredResources",
    },
  ])("$reason", ({ space, copies, condition }) => {
    const draft = draftOf({ observed: copied, answers: { db: [owner], "namespace/team-a": space } });
    expect([draft.resources.size, draft.conditions[0]?.reason]).toEqual([copies, condition]);
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
    const fields = shared({
      grant: "Annotation",
      connection: undefined as never,
      toEnvironment: { fromFieldPath: "status" },
    });
    const reasons = [[labelled({ team: "orders", env: "prod" })], [labelled({})], "pending" as const].map(
      (space) =>
        draftOf({ sharedResources: [fields], answers: { db: [owner], "namespace/team-a": space } }).conditions[0]
          ?.reason,
    );
    expect(reasons).toEqual(["Available", "AccessNotGranted", "WaitingForRequiredResources"]);
  });

  const failing = (message: string, status = "False"): JsonObject =>
    xr({ status: { conditions: [{ type: "Synced", status, message }] } });
  const notRead = `cannot compose resources: cannot run Composition pipeline step "share": fetching resources for namespace/team-a#1: forbidden`;

  test("waits where Crossplane may not read Namespaces, and says what to do", () => {
    const draft = draftOf({ xr: failing(notRead), observed: copied, answers: { db: [owner] } });
    expect([draft.resources.size, draft.conditions[0]?.reason]).toEqual([1, "NamespaceNotReadable"]);
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db"]);
  });

  test.each([
    { reason: "a resource that the team gave its name", message: `Unsynced resources: ${notRead}` },
    { reason: "a webhook's answer", message: `cannot compose resources: cannot apply "a": denied: ${notRead}` },
    { reason: "a requirement of another step", message: notRead.replace("namespace/team-a", "of/namespace/team-a") },
    {
      reason: "the name of a requirement",
      message: notRead.replace("namespace/team-a", "b#1: fetching resources for namespace/team-a"),
    },
    { reason: "a condition that is True", message: notRead, status: "True" },
  ])("asks all the same where $reason reads so: the copy goes with its grant", ({ message, status }) => {
    const answers = { db: [owner], "namespace/team-a": [labelled({})] };
    const draft = draftOf({ xr: failing(message, status), observed: copied, answers });
    expect([...requirementsIn(draft).keys()]).toContain("namespace/team-a");
    expect(draft.conditions[0]?.reason).toBe("AccessNotGranted");
  });
});

describe("a credential of its own", () => {
  const byConnectionSecret = {
    secretName: "orders-db",
    via: "ConnectionSecret",
    keys: [{ from: "password", to: "password" }],
  };
  const own = shared({
    connection: { secretRef: { perConsumer: true }, copies: [byConnectionSecret] },
  });
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
    const edit = draft.resources.get(`${KEY}/connection-secret`);
    const object = edit?.is === "set" ? edit.object : undefined;
    return (object?.["spec"] as { connectionDetails?: readonly JsonObject[] } | undefined)?.connectionDetails?.[0]?.[
      "name"
    ];
  };

  test("is copied in place of the common Secret", () => {
    const draft = draftOf({ sharedResources: [own], answers: { db: [owner()], answer: [answerTo("team-a")] } });
    expect(sourceOf(draft)).toBe("orders-team-a");
  });

  test("is copied where a companion answers, and the database is its second owner", () => {
    const ownerReferences = [
      { apiVersion: "v1", kind: "XKeeper", name: "keeper", uid: "keeper", controller: true },
      { apiVersion: "v1", kind: "XPostgres", name: "orders", uid: UID },
    ];
    const answer = [answerTo("team-a", { ownerReferences })];
    expect(sourceOf(draftOf({ sharedResources: [own], answers: { db: [owner()], answer } }))).toBe("orders-team-a");
  });

  test("is asked for with the grant, by a label of its own", () => {
    const [first, other] = [owner(), database({ metadata: { name: "other", uid: UID } })].map((db) =>
      requirementsIn(draftOf({ sharedResources: [own], answers: { db: [db] } })).get("shared-resource/answer"),
    );
    expect(first).toMatchObject({
      kind: "EnvironmentConfig",
      match: { labels: (answerTo("team-a")["metadata"] as JsonObject)["labels"] },
    });
    expect(other?.match).not.toEqual(first?.match);
  });

  const noCredential = "NoCredential: db: XPostgres orders has no credential for namespace team-a yet";
  const revoked =
    "AccessNotGranted: db: XPostgres orders no longer grants access to namespace team-a: its owner has to add team-a to its " +
    "annotation shared-infrastructure.fn.crossplane.io/allowed-namespaces";

  test.each<{ reason: string; db?: JsonObject; answer: readonly JsonObject[] | "pending"; says: string; kept: number }>(
    [
      {
        reason: "is waited for, and the common one is not taken meanwhile",
        answer: "pending",
        says: "WaitingForRequiredResources: db: waiting for Crossplane to look up the credential of orders",
        kept: 1,
      },
      { reason: "is waited for until its Secret is written", answer: [], says: noCredential, kept: 1 },
      {
        reason: "is not what an object names that the owner's XR does not own",
        answer: [answerTo("team-a", { ownerReferences: [] })],
        says: noCredential,
        kept: 1,
      },
      {
        reason: "is not what an object of another namespace names",
        answer: [answerTo("team-a", { namespace: "evil" })],
        says: noCredential,
        kept: 1,
      },
      { reason: "goes with its copy when the grant is taken back", db: owner({}), answer: [], says: revoked, kept: 0 },
      {
        reason: "goes too while the owner still answers",
        db: owner({}),
        answer: [answerTo("team-a")],
        says: revoked,
        kept: 0,
      },
    ],
  )("$reason", ({ db = owner(), answer, says: message, kept }) => {
    const draft = draftOf({
      sharedResources: [own],
      observed: copied,
      answers: { db: [db], "db/recorded": [db], answer },
    });
    expect([says(draft), draft.resources.size]).toEqual([message, kept]);
  });

  test("is for one namespace", () => {
    const copies = [{ ...byConnectionSecret, namespaces: ["team-a", "team-b"] }];
    const both = shared({ connection: { secretRef: { perConsumer: true }, copies } });
    expect(says(draftOf({ sharedResources: [both], answers: { db: [owner()] } }))).toBe(
      "InvalidTarget: db: with secretRef.perConsumer each namespace has its own credential, so the copies of one shared resource " +
        "must be in one namespace",
    );
  });
});

describe("the version of ReferenceGrant", () => {
  const ask = (answer: "pending" | "unknown" | "v1" | "v1beta1" | "not asked") => {
    const call = callOf({
      capabilities: [
        "Capabilities",
        "RequiredResources",
        ...(answer === "not asked" ? [] : (["RequiredSchemas"] as const)),
      ],
      sharedResources: [shared({ grant: "ReferenceGrant" })],
      answers: { db: [database({ annotations: {} })] },
    });
    const requiredSchema: typeof call.request.requiredSchema = (name) =>
      name.endsWith(`-${answer}`) ? { is: "resolved", schema: documentOf({}) } : { is: "unknown" };
    const request = answer === "pending" ? call.request : { ...call.request, requiredSchema };
    const draft = runSharing({ ...call, request });
    const asked = requirementsIn(draft).get("shared-resource/db/reference-grants");
    return [asked?.apiVersion, [...draft.requiredSchemas.values()].map(({ apiVersion }) => apiVersion)];
  };

  const both = ["gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1beta1"];
  test.each<[answer: "v1" | "v1beta1" | "unknown" | "pending", version: string | undefined, why: string]>([
    ["v1", "gateway.networking.k8s.io/v1", "where the cluster serves it"],
    ["v1beta1", "gateway.networking.k8s.io/v1beta1", "where the cluster does not serve v1"],
    ["unknown", undefined, "where the cluster serves none: Crossplane would fail the XR"],
    ["pending", undefined, "as long as that is not known"],
  ])("%s: %s is asked for %s", (answer, version) => {
    expect(ask(answer)).toEqual([version, both]);
  });

  test("is not asked for again where an answer of the last reconcile proves that it is served", () => {
    const parts = { capabilities: ["Capabilities", "RequiredResources", "RequiredSchemas"] as const };
    const draft = runSharing(
      callOf({
        ...parts,
        sharedResources: [shared({ grant: "ReferenceGrant" })],
        answers: { db: [database()], "db/reference-grants": [] },
      }),
    );
    expect([...draft.requiredSchemas]).toEqual([]);
    expect(requirementsIn(draft).get("shared-resource/db/reference-grants")?.apiVersion).toBe(
      "gateway.networking.k8s.io/v1",
    );
  });

  test("is v1beta1 where Crossplane cannot be asked", () => {
    expect(ask("not asked")).toEqual(["gateway.networking.k8s.io/v1beta1", []]);
  });
});
