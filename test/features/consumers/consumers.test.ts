import { describe, expect, test } from "vitest";
import { toComposite } from "../../../src/crossplane/composite.ts";
import { consumers } from "../../../src/features/consumers/consumers.ts";
import { documentOf, stringAt } from "../../../src/model/document.ts";
import { type Draft, emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { MAX_RESPONSE_BYTES } from "../../../src/model/response-limit.ts";
import { composeAnswer } from "../../../src/records/answer.ts";
import { usesLabel } from "../../../src/records/record.ts";
import { readRequest } from "../../../src/wire/request.ts";
import { writeResponse } from "../../../src/wire/response.ts";
import { type CallParts, callOf } from "../../../testing/builders/calls.ts";
import { recordOf } from "../../../testing/builders/composed.ts";
import {
  claimRecord,
  consumersCall,
  consumersDraft,
  credentialKey,
  finding,
  findingClaims,
  ownDatabase,
  recordIn,
  SELECTOR,
  SHARED,
  shopIn,
} from "../../../testing/builders/consumers.ts";
import { namespaceOf } from "../../../testing/builders/kubernetes.ts";
import { listedIn, objectSetBy, requirementsIn, roleIn, statusOf } from "../../../testing/builders/read-draft.ts";
import { resourceOf } from "../../../testing/builders/request.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { ALLOWED } from "../../../testing/builders/sharing.ts";

/** The database, whose Composition this is. */
const database = (annotations: JsonObject = { [ALLOWED]: "team-a, team-b" }, more: JsonObject = {}): JsonObject =>
  ownDatabase(annotations, more);

/** The metadata of a record of the platform: of a cluster-scoped XR without a claim. */
const platforms = { ...(recordIn("x", "XShop.apps.example.org/shop")["metadata"] as JsonObject), namespace: null };

const list = { toCompositeFieldPath: "status.consumers" };

const draftOf = (section: JsonObject, parts: CallParts = {}) => consumersDraft(section, { xr: database(), ...parts });

/** The reference by which a companion names the database. */
const of = { apiVersion: SHARED.apiVersion, kind: SHARED.kind, name: SHARED.name };

/** The record of a claim with a copy. */
const claim = (namespace: string, name: string): JsonObject =>
  claimRecord(namespace, `Shop.apps.example.org/${namespace}/${name}`);

const itemsOf = (draft: Draft) =>
  listedIn(draft).map(
    ({ namespace, kind, name, secretName, granted }) => `${namespace}: ${kind} ${name}, ${secretName}, ${granted}`,
  );
const says = ({ conditions: [condition] }: Draft) =>
  condition && [condition.status, condition.reason, condition.message].filter((word) => word !== undefined).join(": ");

const SHOP = "Shop.apps.example.org";
const HOW_TO_LIST =
  "to list the consumers: kubectl shared-infrastructure registry consumers XPostgres.data.example.org orders";

const UNREADY = "see why the composed Role.sql.example.org is not Ready";

describe("the list of consumers", () => {
  test("has every XR with a grant that uses the database, sorted, and says that others ask", () => {
    const withTwo = claimRecord("team-a", `${SHOP}/team-a/shop-1`, { secrets: ["team-a/db-1", "team-a/db-2"] });
    const answers = {
      ...findingClaims(claim("team-c", "shop"), claim("team-a", "shop-2"), withTwo),
      ...finding(
        recordIn("team-b", "App.apps.example.org/team-b/app", { secrets: ["team-b/app-db"] }),
        recordIn("team-b", "App.apps.example.org/team-b/other", { secrets: ["team-b/other-db", "team-a/other-db"] }),
      ),
    };
    const draft = draftOf({ list }, { answers });
    expect(statusOf(draft)).toMatchObject({ count: 6, withoutGrant: 1 });
    expect(itemsOf(draft)).toEqual([
      "team-a: Shop.apps.example.org shop-1, db-1, true",
      "team-a: Shop.apps.example.org shop-1, db-2, true",
      "team-a: Shop.apps.example.org shop-2, orders-db, true",
      "team-b: App.apps.example.org app, app-db, true",
      "team-b: App.apps.example.org other, other-db, true",
      "team-b: App.apps.example.org other, team-a/other-db, true",
    ]);
    expect(says(draft)).toBe(
      `False: AccessNotGranted: consumers that have access without a grant: 1+ (grant them access, or see why their XRs are not reconciled); ${HOW_TO_LIST}`,
    );
  });

  test("counts what depends on a grant like copies, and what only asks for one apart", () => {
    const records = [{ dependents: ["push"] }, { access: "Requested" }].map((binding, index) =>
      recordIn(`team-${index}`, "App.apps.example.org/team/app", binding),
    );
    const draft = draftOf({ list }, { answers: finding(...records) });
    expect(says(draft)).toContain(
      "consumers that have access without a grant: 1+ (grant them access, or see why their XRs are not reconciled); consumers that ask for a grant: 1+",
    );
  });

  test("of a namespaced database is to be listed in its namespace", () => {
    const xr = ownDatabase({}, {}, { namespace: "data" });
    const record = shopIn("data", { namespace: "data", access: "Requested" });
    const draft = draftOf({ list }, { xr, answers: finding(record) });
    expect(says(draft)).toBe(`True: AccessRequested: consumers that ask for a grant: 1+; ${HOW_TO_LIST} -n data`);
  });

  const platform = { kind: "XShop.apps.example.org", name: "shop" };
  const shop = { kind: SHOP, name: "shop" };
  const copy = { namespace: "team-b", secretName: "orders-db" };
  const ofPlatform = (binding?: JsonObject) =>
    findingClaims({ ...claimRecord("team-b", "XShop.apps.example.org/shop", binding), metadata: platforms });
  const toAll = database({ [ALLOWED]: "*" });
  test.each<[what: string, answers: CallParts["answers"], item: JsonObject | undefined, xr?: JsonObject]>([
    ["has an XR that takes fields only", finding(shopIn("team-a", {})), { ...shop, namespace: "team-a" }],
    ["has no XR that waits for a grant", finding(shopIn("team-c", { access: "Requested" })), undefined],
    ["has no XR of the platform whose fields need a grant for all", ofPlatform({}), undefined],
    ["has such an XR where all are granted", ofPlatform({}), platform, toAll],
    ["has a copy of the platform's in a namespace", ofPlatform(), { ...platform, ...copy }],
  ])("%s", (_what, answers, item, xr = database()) => {
    const draft = draftOf({ list }, { xr, ...(answers && { answers }) });
    expect(listedIn(draft)).toEqual(item ? [{ ...item, granted: true }] : []);
    expect(statusOf(draft)).toMatchObject(item ? { count: 1, withoutGrant: 0 } : { count: 0, withoutGrant: 1 });
  });

  test("is asked for by one label, in all namespaces", () => {
    const match = { labels: { [usesLabel(SHARED)]: "true" } };
    const { requirements } = draftOf({ list }, { capabilities: [] });
    expect([...requirements.values()]).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", match },
      { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "EnvironmentConfig", match },
    ]);
  });

  test("stays as it is shown while an answer is missing", () => {
    const shown = { count: 1, withoutGrant: 0, items: [{ namespace: "team-a" }] };
    const xr = database({ [ALLOWED]: "team-a" }, { status: { consumers: shown } });
    expect(statusOf(draftOf({ list }, { xr, answers: { "consumers/ConfigMap": "pending" } }))).toEqual(shown);
  });
});

describe("a team that writes what it likes into its own namespace", () => {
  /** Records of XRs in a namespace, numbered from `from`; without a binding each has a copy. */
  const shops = (namespace: string, count: number, binding?: JsonObject, from = 0) =>
    Array.from({ length: count }, (_, i) => recordIn(namespace, `${SHOP}/${namespace}/s-${i + from}`, binding));

  test.each<[reason: string, namespace: string, counts: JsonObject]>([
    ["without a grant counts once for each share, however many copies it says to have", "evil", { withoutGrant: 600 }],
    ["with a grant counts once for each share after ten thousand copies", "team-a", { count: 10_400 }],
  ])("%s", (_reason, namespace, counts) => {
    const secrets = Array.from({ length: 50 }, (_, index) => `a/${index}`);
    const share = JSON.stringify([{ ...SHARED, access: "Granted", secrets }]);
    const data = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`s-${index}`, share]));
    const records = shops(namespace, 30).map((record) => ({ ...record, data }));
    const answers = { ...finding(...records), "consumers/of": [database({ [ALLOWED]: "team-a, a" })] };
    expect(statusOf(draftOf({ list, of }, { answers }))).toMatchObject(counts);
  });

  test.each<[reason: string, record: JsonObject, ...copies: readonly string[]]>([
    ["gets no grant by a copy in another namespace", shopIn("evil", { secrets: ["team-a/db"] }), "team-a/db, false"],
    ["lists no copy by what is no Secret's name", shopIn("evil", { secrets: ["a/b/c", "A/b", 7] }), "undefined, false"],
    ["is not listed by another resource than this one", shopIn("evil", { name: "billing" })],
  ])("%s", (_reason, record, ...copies) => {
    const items = copies.map((copy) => `evil: Shop.apps.example.org shop, ${copy}`);
    const answers = { ...finding(record), "consumers/of": [database()] };
    expect(itemsOf(draftOf({ list, of }, { answers }))).toEqual(items);
  });

  test.each<[what: string, records: readonly JsonObject[]]>([
    ["another name", [recordIn("evil", `${SHOP}/evil/other`)]],
    ["another Secret", [shopIn("evil", { secrets: ["evil/x"] })]],
    ["a copy in a namespace with a grant", [shopIn("evil", { secrets: ["team-a/db"], credentialFor: "team-a" })]],
    ["another place in a pool", [shopIn("evil", { secrets: ["evil/x"], ticket: "0123456789abcdef.7" })]],
    ["forty-nine records", shops("evil", 49)],
    ["a record in another namespace", [shopIn("evil"), shopIn("evil-2")]],
  ])("and has no grant changes nothing of the database by %s", (_what, records) => {
    const template = { apiVersion: "sql.example.org/v1", kind: "Role", metadata: { name: "{hash}" } };
    const section = { list, protect: true, credentials: { template } };
    const granted = shopIn("team-a", { credentialFor: "team-a" });
    const made = (...forged: readonly JsonObject[]) => draftOf(section, { answers: finding(granted, ...forged) });
    expect(made(...records)).toEqual(made(shopIn("evil")));
  });

  test("hides no consumer with a grant from the list, and does not change it with each record beyond fifty", () => {
    const listWith = (...records: readonly (readonly JsonObject[])[]) =>
      draftOf({ list }, { answers: finding(...records.flat()) });
    const asking = shops("zzz", 120, {});
    const few = listWith(shops("aaa", 5000), shops("team-b", 3), asking);
    expect(statusOf(few)).toMatchObject({ count: 3, withoutGrant: 5100 });
    expect(itemsOf(few)).toHaveLength(3);
    const counts =
      "consumers that have access without a grant: 5000+ (grant them access, or see why their XRs are not reconciled); consumers that ask for a grant: 100+";
    expect(says(few)).toBe(`False: AccessNotGranted: ${counts}; ${HOW_TO_LIST}`);
    expect(says(listWith(asking))).toBe(`True: AccessRequested: consumers that ask for a grant: 100+; ${HOW_TO_LIST}`);
    const [many, more] = [751, 801].map((count) => statusOf(listWith(shops("aaa", 1), shops("team-b", count))));
    expect(many).toEqual({ count: 750, withoutGrant: 0 });
    expect(more).toEqual({ count: 800, withoutGrant: 0 });
    expect(says(listWith(shops("aaa", 1), shops("team-b", 60)))).toMatch(
      /^False: .* consumers that have access without a grant: 1\+ \(/,
    );
  });

  test.each<[what: string, granted: number, asking: number]>([
    ["a new consumer", 61, 3],
    ["a new request", 60, 4],
    ["a grant", 61, 2],
    ["the last grant", 63, 0],
  ])("beyond fifty changes nothing of the database with %s", (_what, granted, asking) => {
    const made = (withGrant: number, without: number) => {
      const records = [...shops("team-a", withGrant, {}, 10), ...shops("zzz", without, {}, 10)];
      return draftOf({ list, protect: true }, { answers: finding(...records) });
    };
    expect(made(granted, asking)).toEqual(made(60, 3));
  });
});

describe("protection", () => {
  const usages = (draft: Draft) =>
    [...draft.resources].map(([key, edit]) => [key, edit.is === "set" && edit.object] as const);
  const reason = (draft: Draft) => usages(draft).map(([, usage]) => (usage as { spec: JsonObject }).spec["reason"]);
  const used = { answers: findingClaims(claim("team-a", "shop")) };
  const namespaced = {
    xr: ownDatabase({ [ALLOWED]: "*" }, {}, { namespace: "databases" }),
    answers: findingClaims(claimRecord("team-a", undefined, { namespace: "databases" })),
  };

  test.each<[where: string, parts: CallParts, group: string, kind: string]>([
    ["cluster-scoped on Crossplane v2", used, "protection.crossplane.io", "ClusterUsage"],
    ["namespaced", namespaced, "protection.crossplane.io", "Usage"],
    ["on Crossplane v1", { ...used, capabilities: [] }, "apiextensions.crossplane.io", "Usage"],
  ])("of a database %s is one Usage that says who uses it", (_where, parts, group, kind) => {
    const usage = { apiVersion: `${group}/v1beta1`, kind };
    const spec = {
      of: { apiVersion: "data.example.org/v1", kind: "XPostgres", resourceRef: { name: "orders" } },
      reason:
        "Shop.apps.example.org shop in namespace team-a uses it: first delete its consumers, or take back their grants",
    };
    const key = `consumers/usage/${group}/v1beta1/${kind}`;
    expect(usages(draftOf({ protect: true }, parts))).toEqual([[key, { ...usage, spec }]]);
  });

  test("names the first few and how many more", () => {
    const shops = Array.from({ length: 7 }, (_, i) => claim("team-a", `shop-${i}`));
    const names = [0, 1, 2, 3, 4].map((i) => `Shop.apps.example.org shop-${i} in namespace team-a`).join(", ");
    const said = `${names} and 2 more use it: first delete its consumers, or take back their grants`;
    expect(reason(draftOf({ protect: true }, { answers: findingClaims(...shops) }))).toEqual([said]);
  });

  test("ends where nobody uses it any more who has a grant", () => {
    expect(usages(draftOf({ protect: true }, { answers: findingClaims(claim("evil", "shop")) }))).toEqual([]);
  });

  test("begins with no record that no XR controls, and does not end with one", () => {
    const answers = finding(shopIn("team-a", {}, { ownerReferences: [] }));
    const begun = draftOf({ protect: true }, used);
    const [key = "", usage] = usages(begun)[0] ?? [];
    expect(usages(draftOf({ protect: true }, { answers }))).toEqual([]);
    expect(usages(draftOf({ protect: true }, { answers, observed: { [key]: usage as JsonObject } }))).toHaveLength(1);
  });

  test("stays as it is while an answer is missing", () => {
    const key = "consumers/usage/protection.crossplane.io/v1beta1/ClusterUsage";
    const spec = { reason: "r" };
    const usage = { apiVersion: "protection.crossplane.io/v1beta1", kind: "ClusterUsage", spec };
    const observed = { [key]: { ...usage, metadata: { name: "x", uid: "1" }, status: {} } };
    const draft = draftOf({ protect: true }, { observed, answers: { "consumers/ConfigMap": "pending" } });
    expect(usages(draft)).toEqual([[key, usage]]);
  });
});

describe("a grant by label", () => {
  const xr = database({ [SELECTOR]: "team=orders,env in (prod,stage)" });
  const space = (name: string, labels: JsonObject) => ({ ...namespaceOf(name), metadata: { name, labels } });
  const copies = findingClaims(claim("team-a", "shop"), claim("team-b", "shop"));
  const spaces = [space("team-a", { team: "orders", env: "prod" }), space("team-b", { team: "orders", env: "dev" })];

  test("is looked up by the labels that all matches have", () => {
    const draft = draftOf({ list }, { xr, answers: copies });
    const match = { labels: { team: "orders" } };
    expect(requirementsIn(draft).get("consumers/namespaces")).toEqual({ apiVersion: "v1", kind: "Namespace", match });
    expect(says(draft)).toMatch(/^Unknown: WaitingForRequiredResources/);
  });

  test("holds for the Namespaces that match all of it", () => {
    const draft = draftOf({ list }, { xr, answers: { ...copies, "consumers/namespaces": spaces } });
    expect(itemsOf(draft)).toEqual(["team-a: Shop.apps.example.org shop, orders-db, true"]);
    expect(statusOf(draft)).toMatchObject({ count: 1, withoutGrant: 1 });
  });

  test.each([
    [
      "that is none",
      { [SELECTOR]: "team=(orders" },
      `${SELECTOR} is not a label selector, and grants nothing: "team=(orders"`,
    ],
    [
      "whose annotation is misspelt",
      { [`${ALLOWED}s`]: "team-a" },
      `annotation "${ALLOWED}s" grants nothing; did you mean allowed-namespaces?`,
    ],
    [
      "that lists no namespace",
      { [ALLOWED]: "a;b" },
      `${ALLOWED} lists "a;b", which is not the name of a namespace, and grants nothing`,
    ],
  ])("%s grants nothing, and its owner is told", (_grant, annotations, fault) => {
    const draft = draftOf({ list }, { xr: database(annotations), answers: copies });
    const ungranted = "consumers that have access without a grant: 1+";
    expect(says(draft)).toContain(
      `False: InvalidGrant: the owner has to correct an annotation of the shared XR: ${fault}; ${ungranted}`,
    );
  });
});

describe("a credential for each namespace", () => {
  const secretOf = (name: string) => ({ writeConnectionSecretToRef: { namespace: "databases", name } });
  const roleNamed = (name: string) => {
    const spec = { privileges: ["login"], ...secretOf(name) };
    return { apiVersion: "sql.example.org/v1", kind: "Role", metadata: { name }, spec };
  };
  const section = { list, credentials: { forEach: "Grant", template: roleNamed("orders-{namespace}-{hash}") } };
  const role = (namespace: string, hash: string) => roleNamed(`orders-${namespace}-${hash}`);
  const ready = { conditions: [{ type: "Ready", status: "True" }] };
  const shown = (draft: Draft) =>
    [...draft.resources].map(([name, edit]) => `${name} ${edit.is === "set" && edit.ready}`);

  test("is made for what can be a namespace only, whatever composed resources are called", () => {
    const forged = credentialKey('x","Effect":"Allow","Resource":"*');
    const draft = draftOf(section, { xr: database({ [ALLOWED]: "*" }), observed: { [forged]: role("x", "0") } });
    expect(shown(draft)).toEqual([]);
  });

  test("is composed from the template", () => {
    const draft = draftOf(section);
    expect([...draft.resources]).toEqual([
      [credentialKey("team-a"), { is: "set", ready: "False", object: role("team-a", "38af66ba08bc0ebd") }],
      [credentialKey("team-b"), { is: "set", ready: "False", object: role("team-b", "09fb7420a68d6f53") }],
    ]);
    expect(statusOf(draft)).toEqual({ count: 0, withoutGrant: 0, items: [] });
    expect(says(draft)).toBe(
      `False: WaitingForCredentials: waiting for the credential of namespace team-a, team-b: ${UNREADY}`,
    );
  });

  const isShown = (namespace: string) => `consumers/answers/${namespace} True`;
  const answerTo = (namespace: string, name: string): JsonObject =>
    composeAnswer(toComposite(documentOf(database())), namespace, { secret: { namespace: "databases", name } });

  test("is ready when its Secret is there, and its consumer is told by an answer of its own", () => {
    const [key, other] = [credentialKey("team-a"), credentialKey("team-b")];
    const { request, ...call } = consumersCall(section, { xr: database() });
    const resources = new Map([
      [key, { ...resourceOf({ ...role("team-a", "1"), status: ready }), hasConnectionDetails: true }],
      [other, resourceOf({ ...role("team-b", "1"), status: ready })],
    ]);
    const observed = { ...request.observed, resources };
    const draft = runFeature(consumers, { ...call, request: { ...request, observed } });
    expect(shown(draft)).toEqual([`${key} True`, `${other} False`, isShown("team-a")]);
    const object = answerTo("team-a", "orders-team-a-1");
    expect(draft.resources.get("consumers/answers/team-a")).toMatchObject({ object });
  });

  /** A credential whose provider names its Secret in a status that is not there. */
  const { spec: _, ...unnamed } = role("team-a", "1");
  const template = { ...unnamed, metadata: { name: "orders-{hash}" } };
  const secretRef = { nameFieldPath: "status.secretName" };
  const named = { list, credentials: { forEach: "Grant", template, secretRef } };
  const failing = { conditions: [...ready.conditions, { type: "Synced", status: "False" }] };
  const unset =
    "a composed Role.sql.example.org is Ready, but status.secretName and spec.writeConnectionSecretToRef.namespace do " +
    "not name its Secret and the Secret's namespace; correct consumers.credentials.secretRef, or the name in consumers.credentials.template";
  test.each<[reason: string, status: JsonObject, why: string]>([
    ["and is Ready has its field told", ready, unset],
    ["but not the Secret's namespace, has its fields told, too", { ...ready, secretName: "orders" }, unset],
    ["is only waited for until it is Ready", {}, UNREADY],
    ["is only waited for while it is not reconciled", failing, UNREADY],
  ])("that names no Secret %s", (_reason, status, why) => {
    const observed = { [credentialKey("team-a")]: { ...unnamed, status } };
    const draft = draftOf(named, { xr: database({ [ALLOWED]: "team-a" }), observed });
    expect(says(draft)).toBe(`False: WaitingForCredentials: waiting for the credential of namespace team-a: ${why}`);
  });

  const forgedAnswer = { ...answerTo("team-a", "root"), metadata: { name: "x", namespace: "team-a" } };
  /** A credential that lies in the namespace of its team, where the team may edit it. */
  const teams = (secret: string, more: JsonObject = {}) => ({
    ...{ ...roleNamed("orders"), metadata: { name: "orders-{hash}", namespace: "team-a" } },
    ...{ spec: { secret, in: "databases" }, status: ready, ...more },
  });

  test("that is not ready for a while keeps its answer: its consumer keeps the copy", () => {
    const answer = answerTo("team-a", "orders-team-a-1");
    const observed = { [credentialKey("team-a")]: role("team-a", "1"), "consumers/answers/team-a": answer };
    const draft = draftOf(section, { xr: database({ [ALLOWED]: "team-a" }), observed });
    expect(shown(draft)).toEqual([`${credentialKey("team-a")} False`, isShown("team-a")]);
  });

  test.each<[what: string, observed: Readonly<Record<string, JsonObject>>]>([
    ["the Secret that the team has its credential name", { [credentialKey("team-a")]: teams("root") }],
    ["a Secret by an object of another kind", { [credentialKey("team-a")]: teams("root", { kind: "Note" }) }],
    ["the Secret in an object that the team calls its answer", { "consumers/answers/team-a": forgedAnswer }],
  ])("names no Secret of the team's choice to it: not %s", (_what, observed) => {
    const xr = database({ [ALLOWED]: "team-a" });
    const secretRef = { nameFieldPath: "spec.secret", namespaceFieldPath: "spec.in" };
    const credentials = { forEach: "Grant", secretRef, template: teams("orders-{hash}") };
    const draft = draftOf({ list, credentials }, { xr, observed });
    expect(shown(draft)).toEqual([`${credentialKey("team-a")} False`]);
  });

  test("that has lost the status with its Secret's name keeps its answer, as after a restore", () => {
    const answer = answerTo("team-a", "orders-team-a-1");
    const answers = [{}, { "consumers/answers/team-a": answer }].map((before) => {
      const observed = { [credentialKey("team-a")]: unnamed, ...before };
      const { resources } = draftOf(named, { xr: database({ [ALLOWED]: "team-a" }), observed });
      return objectSetBy(resources.get("consumers/answers/team-a"));
    });
    expect(answers).toEqual([undefined, answer]);
  });

  test.each<[reason: string, annotations: JsonObject, kept: readonly string[]]>([
    ["goes when its grant is taken back", { [ALLOWED]: "team-b" }, ["team-b"]],
    ["goes when no grant is left", {}, []],
    ["stays where all are granted, since nothing was taken back", { [ALLOWED]: "*" }, ["team-a"]],
    ["stays while the Namespaces are not looked up", { [SELECTOR]: "team=orders" }, ["team-a"]],
    ["is not made for what is no namespace's name", { [ALLOWED]: "team-a,Team B,../x" }, ["team-a"]],
  ])("%s", (_reason, annotations, kept) => {
    const observed = { [credentialKey("team-a")]: role("team-a", "1") };
    const draft = draftOf(section, { xr: database(annotations), observed });
    expect([...draft.resources.keys()]).toEqual(kept.map(credentialKey));
  });

  test("cannot be made where the grant names nobody, and the fault says so", () => {
    expect(says(draftOf(section, { xr: database({ [ALLOWED]: "*" }) }))).toBe(
      'False: GrantedToAll: no credentials are made for "*" in annotation shared-infrastructure.fn.crossplane.io/allowed-namespaces: ' +
        "list each namespace that needs a credential",
    );
  });

  test.each([1, 20, 200])(
    "are as many as a response holds, where their template names the namespace %i times",
    (times) => {
      const names = Array.from({ length: 1000 }, (_, index) => `team-${index}`.padEnd(63, "x")).join(",");
      const long = {
        ...section.credentials,
        template: { ...roleNamed("orders-{hash}"), spec: { text: "{namespace}".repeat(times), ...secretOf("{hash}") } },
      };
      const draft = draftOf({ ...section, credentials: long }, { xr: database({ [ALLOWED]: names }) });
      expect(draft.resources.size).toBeGreaterThan(100);
      expect(writeResponse(readRequest(new Uint8Array()), draft).length).toBeLessThan(MAX_RESPONSE_BYTES);
    },
  );

  test("of those that are there does not go because a long list of new ones comes before it", () => {
    const names = Array.from({ length: 2000 }, (_, i) => `a-${i}`).join(",");
    const observed = { [credentialKey("team-z")]: role("team-z", "1") };
    const draft = draftOf(section, { xr: database({ [ALLOWED]: `${names},team-z` }), observed });
    expect(draft.resources.size).toBe(1000);
    expect(draft.resources.has(credentialKey("team-z"))).toBe(true);
    expect(says(draft)).toMatch(
      /^False: TooManyCredentials: this XR needs 2001 credentials, but can have only 1000 of this size/,
    );
  });
});

describe("a credential for each consumer that copies one of its own", () => {
  const template = { apiVersion: "sql.example.org/v1", kind: "Role", metadata: { name: "orders-{namespace}" } };
  const section = { protect: false, credentials: { template } };
  const asking = (namespace: string, credentialFor = namespace, metadata: JsonObject = {}): JsonObject =>
    shopIn(namespace, { credentialFor }, metadata);
  const restored = asking("team-a", "team-a", { ownerReferences: [] });
  const evil = asking("evil", "team-a");

  interface Given {
    readonly allowed?: string;
    /** The credential of team-a exists. */
    readonly observed?: CallParts["observed"];
  }
  const exists = { observed: { [credentialKey("team-a")]: template } };
  const revoked = { ...exists, allowed: "" };
  type Row = [reason: string, records: readonly JsonObject[] | "pending", made: readonly string[], given?: Given];
  test.each<Row>([
    ["is made for none that does not ask for one", [shopIn("team-a")], []],
    ["is made for one that asks, and is granted", [asking("team-a"), asking("team-c")], ["team-a"]],
    ["is made where all are granted", [asking("team-c")], ["team-c"], { allowed: "*" }],
    ["is for where the copies go, if granted, too", [asking("team-a", "team-b"), evil], ["team-b"]],
    ["is made for no other namespace where all are granted and none is named", [evil], [], { allowed: "*" }],
    ["is made for another that is named where all are granted", [evil], ["team-a"], { allowed: "*, team-a" }],
    ["is not made for a record that no XR controls", [restored], []],
    ["that exists goes when nobody asks for it any more", [], [], exists],
    ["that exists goes when its grant is taken back", [asking("team-a")], [], revoked],
    ["that exists goes when its grant is taken back, though it is not known who asks", "pending", [], revoked],
    ["that exists stays while it is not known who asks", "pending", ["team-a"], exists],
    ["that exists stays while its record is restored", [restored], ["team-a"], exists],
  ])("%s", (_reason, records, made, { allowed = "team-a, team-b", observed = {} } = {}) => {
    const xr = database(allowed === "" ? {} : { [ALLOWED]: allowed });
    const draft = draftOf(section, { xr, observed, answers: { "consumers/ConfigMap": records } });
    expect([...draft.resources.keys()].map((name) => name.split("/")[2])).toEqual(made);
  });
});

describe("credentials that take turns", () => {
  const metadata = { namespace: "databases", name: "orders-{namespace}-{hash}" };
  const template = { apiVersion: "v1", kind: "Secret", metadata };
  const secretRef = { nameFieldPath: "metadata.name", namespaceFieldPath: "metadata.namespace" };
  const turns = { fromCompositeFieldPath: "spec.turns" };
  const section = { protect: false, credentials: { template, secretRef, turns } };
  const ANSWER = "consumers/answers/team-a";

  const compose = (texts: readonly string[], parts: CallParts = {}): readonly (readonly [string, JsonObject])[] => {
    const xr = database({ [ALLOWED]: "team-a" }, { spec: texts.length === 0 ? {} : { turns: texts } });
    const draft = draftOf(section, { xr, answers: finding(shopIn("team-a", { credentialFor: "team-a" })), ...parts });
    return [...draft.resources].flatMap(([key, edit]) => (edit.is === "set" ? [[key, objectSetBy(edit) ?? {}]] : []));
  };
  const secretIn = (role: JsonObject) => stringAt(documentOf(role), ["metadata", "name"]) ?? "";
  const make = (...texts: readonly string[]) => {
    const [[key, role] = ["", {}]] = compose(texts);
    return { key, secret: secretIn(role), role };
  };
  type Made = ReturnType<typeof make>;
  const [none, a, b] = [make(), make("a"), make("b")];
  const named = { none, a, b };
  const nameOf = (secret: unknown): string =>
    Object.entries(named).find(([, one]) => one.secret === secret)?.[0] ?? String(secret);
  const answering = ({ secret: secretName }: Made) => ({
    [ANSWER]: { kind: "EnvironmentConfig", data: { secretNamespace: "databases", secretName } },
  });

  test.each<[made: string, reason: string, texts: string, there: Made[], answered?: Made, copied?: Made | "pending"]>([
    ["none", "there is one without any", "", []],
    ["a b, answers a", "a new one is made beside the older one", "b", [a], a, a],
    ["a b, answers a", "the older one stays while it is the answer, though nobody copies it yet", "b", [a], a],
    ["a b, answers b", "once it is ready it is the answer", "b", [a, b], a, a],
    ["a b, answers b", "the older one stays while a copy holds it", "b", [a, b], b, a],
    ["b, answers b", "and ends when the copies hold the new one", "b", [a, b], b, b],
    ["a b, answers b", "two that are listed stay", "a b", [a, b], b, b],
    ["a b, answers a", "the last one listed is the answer", "b a", [a, b], b, b],
    ["a b, answers a", "of three that are listed the last two count", "c b a", [a, b], a],
    ["a b, answers b", "nothing ends while it is not known who copies", "b", [a, b], b, "pending"],
    ["a none, answers a", "the first turn takes over from the one without", "a", [none, a], a, none],
    ["none", "none is made for a name that is none", "", [{ ...a, key: a.key.replace(/[0-9a-f]{8}/, "x") }]],
  ])("%s: %s", (made, _reason, texts, there, answered, copied) => {
    const holds = copied === undefined || copied === "pending" ? {} : { copied: `databases/${copied.secret}` };
    const records = [shopIn("team-a", { credentialFor: "team-a", ...holds })];
    const roles = Object.fromEntries(there.map((one) => [one.key, one.role]));
    const observed = { ...roles, ...(answered && answering(answered)) };
    const answers = { "consumers/ConfigMap": copied === "pending" ? copied : records };
    const composed = compose(texts.split(" ").filter(Boolean), { observed, answers });
    const kept = composed.flatMap(([key, object]) => (key === ANSWER ? [] : [nameOf(secretIn(object))]));
    const answer = composed.find(([key]) => key === ANSWER)?.[1]["data"] as JsonObject | undefined;
    const shown = [kept.sort().join(" "), ...(answer ? [`answers ${nameOf(answer["secretName"])}`] : [])].join(", ");
    expect(shown).toBe(made);
  });

  test.each(["red", "team-a"])("one is not kept by a record of another namespace that copies that of %s", (copies) => {
    const forged = shopIn("red", { credentialFor: copies, copied: `databases/${a.secret}` });
    const answers = finding(shopIn("team-a", { credentialFor: "team-a" }), forged);
    const xr = database({ [ALLOWED]: "team-a, red" }, { spec: { turns: ["b"] } });
    const roles = compose([], { xr, answers, observed: { [a.key]: a.role } }).map(([key]) => key);
    expect([roles.includes(b.key), roles.includes(a.key)]).toEqual([true, false]);
  });
});

describe("rotation", () => {
  const MEMORY = "shared-infrastructure.fn.crossplane.io/rotation";
  const section = { rotation: { resource: "role", toFieldPath: "spec.rotationTrigger" } };
  const desired = { role: { apiVersion: "sql.example.org/v1", kind: "Role", spec: { login: true } } };

  /** The role after a reconcile with this grant, as Crossplane would observe it. */
  function reconcile(annotations: JsonObject, before?: JsonObject): JsonObject {
    const observed = before === undefined ? {} : { role: before };
    return roleIn(draftOf(section, { xr: database(annotations), desired, observed }));
  }
  const triggerOf = (role: JsonObject) => (role["spec"] as JsonObject)["rotationTrigger"];
  const granting = (names: string) => ({ [ALLOWED]: names });

  test("happens once when a namespace loses access, and by nothing else", () => {
    const first = reconcile(granting("team-a,team-b"));
    expect(triggerOf(first)).toBeUndefined();
    const sorted = reconcile(granting("team-b, team-a"), first);
    const added = reconcile(granting("team-c,team-b,team-a"), sorted);
    expect([triggerOf(sorted), triggerOf(added)]).toEqual([undefined, undefined]);

    const revoked = reconcile(granting("team-c,team-b"), added);
    expect(triggerOf(revoked)).toMatch(/^[0-9a-f]{20}$/);
    const again = reconcile(granting("team-b,team-c"), revoked);
    const restored = reconcile(granting("team-a,team-b,team-c"), again);
    expect([triggerOf(again), triggerOf(restored)]).toEqual([triggerOf(revoked), triggerOf(revoked)]);

    const second = reconcile(granting("team-c,team-b"), restored);
    expect(triggerOf(second)).not.toBe(triggerOf(revoked));
  });

  test.each([
    ["team-a", "*", false, "all includes those that had access"],
    ["*", "team-a", true, "those that are not named have lost it"],
    ["*", "*", false, "nothing has changed"],
    ["team-a", "", true, "nobody is left"],
  ])("from %j to %j: %s, since %s", (from, to, isRotated) => {
    const after = reconcile(granting(to), reconcile(granting(from)));
    expect(triggerOf(after) !== undefined).toBe(isRotated);
  });

  test("is not kept from happening by a memory on an object of another kind, which a team has put in its place", () => {
    const before = reconcile(granting("team-a,team-b"));
    const memory = (before["metadata"] as JsonObject)["annotations"] as JsonObject;
    const forged = {
      ...before,
      kind: "Note",
      metadata: { annotations: { [MEMORY]: `${String(memory[MEMORY])}forged` } },
    };
    expect(triggerOf(reconcile(granting("team-a,team-b"), forged))).toBeUndefined();
  });

  test("waits while it is not known who has access", () => {
    const rotated = reconcile(granting("team-b"), reconcile(granting("team-a,team-b")));
    const pending = reconcile({ [SELECTOR]: "team=orders" }, rotated);
    expect(pending).toEqual(rotated);
  });

  test("is remembered by the record of names, where the resource is lost", () => {
    const rotated = reconcile(granting("team-b"), reconcile(granting("team-a,team-b")));
    const memory = (rotated["metadata"] as { annotations: JsonObject }).annotations[MEMORY];
    const observed = recordOf({ role: { kind: "Role.sql.example.org", name: "role", rotation: memory ?? "" } });
    const lost = (names: string) => roleIn(draftOf(section, { xr: database(granting(names)), desired, observed }));
    expect(lost("team-b")).toEqual(rotated);
    expect(triggerOf(lost(""))).not.toBe(triggerOf(rotated));
  });

  test("remembers no names, and no more than their hashes", () => {
    const { annotations } = reconcile(granting("team-a"))["metadata"] as { annotations: JsonObject };
    expect(annotations[MEMORY]).toMatch(/^[0-9a-f]{20}\/$/);
  });

  test("does nothing where no step desires the resource", () => {
    expect(draftOf(section).resources.size).toBe(0);
  });
});

test("without consumers in the input nothing is changed", () => {
  expect(runFeature(consumers, callOf({}))).toBe(emptyDraft);
});
