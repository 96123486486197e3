import { describe, expect, test } from "vitest";
import { sharing } from "../../../src/features/sharing/sharing.ts";
import { documentOf } from "../../../src/model/document.ts";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { DOMAIN } from "../../../src/model/names.ts";
import { OWNER, SHARED_FROM } from "../../../src/ownership/annotations.ts";
import { RECORD_NAME } from "../../../src/records/record.ts";
import { boundTo, type CallParts, callOf, sharingDraft, V2 } from "../../../testing/builders/calls.ts";
import {
  copying,
  copyMarks,
  KEY,
  objectIn,
  RECORD,
  recorded,
  secretIn,
  targetSecret,
  withoutCopies,
} from "../../../testing/builders/copies.ts";
import { ACCEPT, couldNotRead, namespaceOf, referenceGrant, synced } from "../../../testing/builders/kubernetes.ts";
import { fatalsIn, reasonIn, requirementsIn, says, toBaseName } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { another, fromXr, grantedTo, naming, refused, toStatus } from "../../../testing/builders/shared-database.ts";
import { connectionSecret, database, POSTGRES, shared, xr } from "../../../testing/builders/sharing.ts";

/** What a team that edits its own XRs and claims as it likes cannot do (docs/security.md). */

const draftOf = (parts: CallParts): Draft =>
  sharingDraft({ capabilities: V2, ...parts, answers: { [`${KEY}/target`]: [], ...parts.answers } });
const desired = ({ resources }: Draft) => [...resources].filter(([, edit]) => edit.is === "set").map(([key]) => key);

const SECRET = { apiVersion: "v1", kind: "Secret" };

interface CopyParts {
  readonly record?: JsonObject;
  readonly policies?: readonly string[];
  readonly secret?: string;
  readonly namespace?: string;
  readonly status?: JsonObject;
}

/** The Object of a copy that is there, made from the database unless a test says otherwise. */
const copyOf = ({
  record = recorded(),
  policies = ["*"],
  secret = "orders-conn",
  namespace = "team-a",
  status = { conditions: [{ type: "Ready", status: "True" }, seen(2)] },
}: CopyParts = {}): JsonObject => ({
  apiVersion: "kubernetes.crossplane.io/v1alpha2",
  kind: "Object",
  metadata: { name: "shop-x7k2p-abc", generation: 2, annotations: { ...record, "crossplane.io/external-name": "x" } },
  spec: {
    managementPolicies: policies,
    forProvider: { manifest: { ...SECRET, metadata: { name: "orders-db", namespace } } },
    providerConfigRef: { name: "default" },
    references: [{ patchesFrom: { ...SECRET, namespace: "databases", name: secret }, toFieldPath: "data" }],
  },
  status,
});
const seen = (observedGeneration: number) => ({ type: "Synced", status: "True", observedGeneration });

/** The Object as it goes back: what we desired of it, and nothing else. */
function asKept(copy: JsonObject) {
  const { apiVersion, kind, spec } = copy as Record<string, JsonObject>;
  const { managementPolicies, ...rest } = spec ?? {};
  const limited = JSON.stringify(managementPolicies) === '["*"]' ? {} : { managementPolicies };
  const record = documentOf(copy).at(["metadata", "annotations", RECORD]);
  return { apiVersion, kind, metadata: { annotations: { [RECORD]: record } }, spec: { ...rest, ...limited } };
}

const OF_RIVAL = { [`${DOMAIN}/composite`]: "shop-b2b2b" };
const observed = { [KEY]: copyOf() };
const toLabels = { matchLabels: { db: "orders" } };
const byLabels = [shared({ select: toLabels })];
const EARLIER = `${DOMAIN}/earlier-shared-resources`;
const deletionTimestamp = "2026-01-01T00:00:00Z";

const decoyOfMine = another("decoy", "*", {}, { spec: {} });
const decoyInEvil = another("decoy", undefined, { namespace: "evil" });
const noneFound = { database: [], "shared/database/team-a/orders-db/target": [] };
const renamed = { sharedResources: [shared({ name: "database" })], answers: noneFound };
const answers = { db: [database()] };
const namedFrom = (path: string) => ({ sharedResources: [copying({ secretName: fromXr(path) })], answers });
const optional = { answers: { db: [] }, sharedResources: [shared({ resolution: "Optional" })] };

/** What a consumer can say to have its share lead nowhere, while the recorded database is there. */
const attacks: readonly (CallParts & { reason: string })[] = [
  { reason: "names what is not there", xr: naming("nope"), answers: { db: [] } },
  { reason: "names what no resource can be called", xr: naming("../orders") },
  { reason: "clears the name", xr: naming() },
  { reason: "makes an object of the name", xr: naming({ a: 1 }) },
  { reason: "names a database of its own, which grants", xr: naming("decoy"), answers: { db: [decoyOfMine] } },
  { reason: "names a database that does not grant", xr: naming("other"), answers: { db: [another("other")] } },
  { reason: "gives the target an invalid name", ...namedFrom("spec.claimRef.kind") },
  { reason: "clears the target's name", ...namedFrom("spec.none") },
  { reason: "makes a decoy elsewhere", sharedResources: byLabels, answers: { db: [database(), decoyInEvil] } },
  { reason: "names what is not there, of an Optional share", xr: naming("nope"), ...optional },
  { reason: "names what is not there, and the share was renamed", xr: naming("nope"), ...renamed },
];

describe("a copy lives as long as the grant that it was made under, when the consumer", () => {
  const isOrders = (item: JsonObject): boolean => (item["metadata"] as JsonObject)["name"] === "orders";
  const foundBy = ({ answers }: CallParts) => (answers?.["db"] ?? []) as readonly JsonObject[];
  /** The attack while the recorded database is like this, wherever it is found. */
  const attack = (parts: CallParts, items: readonly JsonObject[]) => {
    const db = foundBy(parts).map((item) => (isOrders(item) ? (items[0] ?? item) : item));
    const recordedNow = { "db/recorded": items, "database/recorded": items };
    return draftOf({ observed, ...parts, answers: { ...parts.answers, ...(db.length > 0 && { db }), ...recordedNow } });
  };

  test.each(attacks)("$reason: granted, the copy stays exactly as it is", (parts) => {
    const draft = attack(parts, [database()]);
    expect(draft.resources.get(KEY)).toEqual({ is: "set", ready: "True", object: asKept(copyOf()) });
  });

  test.each(attacks)("$reason: taken back, the copy goes", (parts) => {
    expect(desired(attack(parts, [grantedTo("team-b")]))).toEqual([]);
  });

  test.each(attacks)("$reason: not known yet, the copy stays exactly as it is", (parts) => {
    expect(objectIn(draftOf({ ...parts, observed }))).toMatchObject(asKept(copyOf()));
  });

  // Where the database is found as well as recorded, it is not gone.
  test.each(attacks.filter((parts) => !foundBy(parts).some(isOrders)))(
    "$reason: the database gone, onSourceMissing decides",
    ({ sharedResources = [shared()], ...parts }) => {
      const kept = ["Keep", "Delete"].map((onSourceMissing) => {
        const deciding = ({ connection }: JsonObject) => ({ ...(connection as JsonObject), onSourceMissing });
        const shares = sharedResources.map((share) => ({ ...share, connection: deciding(share) }));
        return desired(attack({ ...parts, sharedResources: shares }, [])).length;
      });
      expect(kept).toEqual([1, 0]);
    },
  );
});

describe("the record of a copy", () => {
  const nowhere = { xr: naming("nope"), answers: { db: [] } };
  test("is asked for by name, and only while the share leads elsewhere", () => {
    const [asked, ...others] = [nowhere, { answers: { db: [database()] } }, {}].map((parts) =>
      requirementsIn(draftOf({ observed, ...parts })).get("shared-resource/db/recorded"),
    );
    expect(asked).toEqual({ ...POSTGRES, match: { name: "orders" } });
    expect(others).toEqual([undefined, undefined]);
  });

  test.each<[reason: string, copy: CopyParts, items: readonly JsonObject[]]>([
    ["does not count for a Secret that the database does not name", { secret: "another-conn" }, [database()]],
    ["that is none does not count: a copy from before goes", { record: { [RECORD]: "{" } }, []],
  ])("%s", (_reason, copy, items) => {
    const sharedResources = [copying({}, { onSourceMissing: "Delete" })];
    const answers = { db: [], "db/recorded": items };
    expect(desired(draftOf({ ...nowhere, sharedResources, observed: { [KEY]: copyOf(copy) }, answers }))).toEqual([]);
  });

  test("is made where there is none, as the copy is written again", () => {
    const draft = draftOf({ observed: { [KEY]: copyOf({ record: {} }) }, answers: { db: [database()] } });
    expect(objectIn(draft)).toMatchObject({ metadata: { annotations: recorded() } });
  });

  const [billing, granting] = [naming("billing"), another("billing", "*")];
  const moving = (items: readonly JsonObject[] | "pending", copy: JsonObject) =>
    draftOf({ xr: billing, observed: { [KEY]: copy }, answers: { db: [granting], "db/recorded": items } });
  const moved = { ...recorded("billing"), [EARLIER]: `[${String(recorded()[RECORD])}]` };
  const unread = copyOf({ record: moved, status: synced("False", { observedGeneration: 2 }) });

  const rewritten = copyOf({ record: moved });
  test.each<[reason: string, items: readonly JsonObject[] | "pending", copy: JsonObject, annotations: unknown]>([
    ["keeps what may still be in the Secret, and follows the share", [database()], copyOf(), moved],
    ["stays while it is not known who grants the old one", "pending", copyOf(), recorded()],
    ["goes first where the old one is not granted any more", [refused], copyOf(), undefined],
    ["still counts while the provider cannot write what comes from the new one", [database()], unread, moved],
    ["goes while the provider cannot write, when the old one is not granted any more", [refused], unread, undefined],
    ["is forgotten when the provider has written what is new", "pending", rewritten, recorded("billing")],
  ])("that has moved to another resource %s", (_reason, items, copy, annotations) => {
    const object = objectIn(moving(items, copy));
    const { [OWNER]: _, ...records } = (object?.["metadata"] as Record<string, JsonObject>)?.["annotations"] ?? {};
    expect(object && records).toEqual(annotations);
  });

  test("that has moved counts with all that it names while the share leads nowhere", () => {
    const kept = [database(), refused].map((item) =>
      desired(draftOf({ ...nowhere, observed: { [KEY]: unread }, answers: { db: [], "db/recorded": [item] } })),
    );
    expect(kept).toEqual([[KEY], []]);
  });
});

test.each(["orders-conn", "other-conn"])(
  "a team without a grant that guesses the source, %s, is told nothing",
  (secretName) => {
    const sharedResources = [copying({ namespaces: fromXr("spec.apps"), secretName })];
    const draft = draftOf({
      xr: naming("orders", { apps: ["databases"] }),
      sharedResources,
      answers: { db: [refused] },
    });
    expect(reasonIn(draft)).toBe("AccessNotGranted");
  },
);

test("with minMatch: 0 copies outlive their source as onSourceMissing says", () => {
  const kept = ["Keep", "Delete"].map((onSourceMissing) => {
    const share = { ...copying({}, { onSourceMissing }), select: { ...toLabels, minMatch: 0 } };
    return desired(draftOf({ sharedResources: [share], observed, answers: { db: [], "db/recorded": [] } }));
  });
  expect(kept).toEqual([[KEY], []]);
});

test.each(["Observe", "Observe,Create,Update"])("a copy that is kept keeps its management policies: %s", (list) => {
  const policies = list.split(",");
  const draft = draftOf({ observed: { [KEY]: copyOf({ policies }) }, answers: { db: "pending" } });
  expect(objectIn(draft)).toMatchObject({ spec: { managementPolicies: policies } });
});

describe("a list of namespaces from the XR", () => {
  const sharedResources = [copying({ namespaces: fromXr("spec.apps") })];
  const listing = (apps: readonly string[]): CallParts => {
    return { xr: naming("orders", { apps }), sharedResources, answers: { db: [grantedTo("*")] } };
  };
  const names = (length: number) => Array.from({ length }, (_, index) => `n${index}`);

  test("that names one twice means it once", () => {
    const draft = draftOf(listing(["team-a", "team-a"]));
    expect([desired(draft), says(draft)]).toEqual([[KEY], waitingFor("team-a")]);
  });

  test("that is longer than 1,000 is cut off, and the condition says so", () => {
    const draft = draftOf({ ...listing(names(1005)), spaces: names(1005) });
    expect(requirementsIn(draft).size).toBeLessThan(2002);
    expect(says(draft)).toContain("only the first 1000 copies are made, the most for one shared resource");
  });
});

const waitingFor = (namespace: string) =>
  `WaitingForCopies: db: waiting for Secret ${namespace}/orders-db to be written`;

describe("a namespace has a say in what is copied into it", () => {
  const byField = copying({ namespaces: fromXr("spec.where") });
  const evil = (spec: JsonObject = {}): JsonObject => ({
    apiVersion: "apps.example.org/v1",
    kind: "XShop",
    metadata: { name: "shop", namespace: "evil" },
    spec: { parameters: { database: "orders" }, where: "kube-system", ...spec },
  });
  const everywhere = { db: [grantedTo("*")] };
  const at = (namespace: string) => `shared/db/${namespace}/orders-db`;
  const TARGET = at("kube-system");
  const answersFor = (namespace: string, items: readonly JsonObject[] | "pending") => ({
    ...everywhere,
    [`${at(namespace)}/target`]: [],
    [`namespace/${namespace}`]: items,
  });
  const closed = [namespaceOf("kube-system")];
  const openTo = (names: string) => [namespaceOf("kube-system", { [ACCEPT]: names })];
  const refuses = (namespace: string) =>
    `NamespaceNotAccepting: db: namespace ${namespace} does not exist, or does not accept copies from evil: its owner has to add evil to the ` +
    `Namespace's annotation ${ACCEPT}`;
  const NOT_READABLE =
    "NamespaceNotReadable: db: Crossplane could not read namespace kube-system, so it is not known who has access or accepts copies: apply " +
    'deploy/function/crossplane-reads.yaml, which allows Crossplane {apiGroups: [""], resources: ["namespaces"], verbs: ["get", "list", "watch"]}';
  const LOOKING_UP = "WaitingForRequiredResources: db: waiting for Crossplane to look up Namespace kube-system";
  const inTeamA = evil({ where: "team-a", claimRef: { kind: "Shop", namespace: "team-a", name: "shop" } });
  const pushing = evil({ writeConnectionSecretToRef: { name: "own" } });
  const own: JsonObject = { name: "db", select: { self: {} }, connection: byField["connection"] ?? {} };
  const literal = { sharedResources: [copying({ namespaces: "kube-system" })] };
  const unread = { xr: { ...evil(), status: synced("False", { message: couldNotRead("namespace/kube-public") }) } };
  const platform = { xr: { ...evil(), metadata: { name: "shop" } } };
  const [refusal, waiting] = [refuses("kube-system"), waitingFor("kube-system")];
  const toOwn = { xr: evil({ where: "evil" }) };
  type Found = readonly JsonObject[] | "pending";
  test.each<[reason: string, items: Found, condition: string, parts?: CallParts, where?: string]>([
    ["one that says nothing takes none", closed, refusal],
    ["one that is not there takes none", [], refusal],
    ["one that names others takes none", openTo("team-a, evil-twin"), refusal],
    ["one that names the consumer's namespace takes it", openTo("team-a, evil"), waiting],
    ["it is waited for", "pending", LOOKING_UP],
    ["none is asked for where Crossplane could not read one of them before", "pending", NOT_READABLE, unread],
    ["the XR's own is not asked", "pending", waitingFor("evil"), toOwn, "evil"],
    ["a claimRef on a namespaced XR is none", [namespaceOf("team-a")], refuses("team-a"), { xr: inTeamA }, "team-a"],
    ["what the Composition names is the platform's word", "pending", waiting, literal],
    ["what an XR without namespace and claim names is the platform's word", "pending", waiting, platform],
    ["an XR that pushes its own credentials is no exception", closed, refusal, { xr: pushing, sharedResources: [own] }],
  ])("%s", (_reason, items, condition, parts, where = "kube-system") => {
    const draft = draftOf({ xr: evil(), sharedResources: [byField], answers: answersFor(where, items), ...parts });
    const composed = condition === waitingFor(where) ? [at(where)] : [];
    expect([desired(draft), says(draft)]).toEqual([composed, condition]);
  });

  test("a copy in one that takes none any more goes, with and without its record", () => {
    const kept = [recorded(), {}].map((record) => {
      const copy = { [TARGET]: copyOf({ record, namespace: "kube-system" }) };
      const answers = answersFor("kube-system", closed);
      return desired(draftOf({ xr: evil(), sharedResources: [byField], answers, observed: copy }));
    });
    expect(kept).toEqual([[], []]);
  });

  test.each([
    { items: closed, is: "goes" },
    { items: openTo("evil"), is: "stays" },
    { items: "pending" as const, is: "stays" },
  ])("where the cluster serves no ReferenceGrant, a copy $is by the word of its namespace", ({ items, is }) => {
    const observed = { [TARGET]: copyOf({ namespace: "kube-system" }) };
    const draft = draftOf({
      xr: evil(),
      capabilities: [...V2, "RequiredSchemas"],
      schemas: { ReferenceGrant: null },
      sharedResources: [{ ...byField, grant: "ReferenceGrant" }],
      answers: { ...answersFor("kube-system", items), "db/recorded": [database()] },
      observed,
    });
    expect([reasonIn(draft), desired(draft)]).toEqual(["ReferenceGrantsNotInstalled", is === "stays" ? [TARGET] : []]);
  });

  const elsewhere = { xr: evil({ parameters: { database: "nope" } }), answers: { db: [] } };
  const leadingNowhere: readonly (CallParts & { reason: string })[] = [
    { reason: "names no database", xr: evil({ parameters: {} }) },
    { reason: "names a database that does not exist", ...elsewhere },
    { reason: "no longer says where to", xr: evil({ where: undefined as never }), answers: everywhere },
  ];
  const granted = { "db/recorded": [grantedTo("*")] };
  const there = { [TARGET]: copyOf({ namespace: "kube-system" }) };
  test.each(
    leadingNowhere.flatMap((parts) => [
      { ...parts, namespace: "takes copies from it", items: openTo("evil"), is: "stays" },
      { ...parts, namespace: "takes none any more", items: closed, is: "goes" },
      { ...parts, namespace: "is not looked up yet", items: "pending" as const, is: "stays" },
    ]),
  )("while the XR $reason, a copy in a namespace that $namespace $is", ({ answers, items, is, ...parts }) => {
    const all = { ...granted, ...answers, "namespace/kube-system": items };
    const draft = draftOf({ ...parts, sharedResources: [byField], answers: all, observed: there });
    expect(desired(draft)).toEqual(is === "stays" ? [TARGET] : []);
    expect([...requirementsIn(draft).keys()]).toContain("namespace/kube-system");
  });

  test("while the XR leads nowhere, a copy stays where the Composition names its namespace, and none is asked", () => {
    const sharedResources = [copying({ namespaces: ["kube-system", "kube-public"] })];
    const draft = draftOf({ xr: evil({ parameters: {} }), sharedResources, answers: granted, observed: there });
    expect(desired(draft)).toEqual([TARGET]);
    expect([...requirementsIn(draft).keys()]).toEqual(["shared-resource/db/recorded"]);
  });

  test("a ReferenceGrant is for the namespace that asks, not for the one that is written to", () => {
    const reasons = ["team-a", "evil"].map((namespace) => {
      const sharedResources = [{ ...byField, grant: "ReferenceGrant" }];
      const answers = { db: [database()], "db/reference-grants": [referenceGrant({ namespace })] };
      return reasonIn(draftOf({ xr: evil({ where: "team-a" }), sharedResources, answers, spaces: ["team-a"] }));
    });
    expect(reasons).toEqual(["AccessNotGranted", "WaitingForCopies"]);
  });
});

test.each([
  { namespace: "*", found: "decoy" },
  { namespace: "databases", found: "orders" },
])("a decoy wins only in a namespace that the Composition names: with $namespace, $found is found", (row) => {
  const ranked = (name: string, rank: number, space: string) =>
    another(name, "*", { namespace: space }, { spec: { rank, writeConnectionSecretToRef: { name: "c" } } });
  const select = { ...toLabels, sortByFieldPath: "spec.rank", namespace: row.namespace };
  const answers = { db: [ranked("orders", 5, "databases"), ranked("decoy", 0, "evil")] };
  const object = objectIn(draftOf({ sharedResources: [shared({ select })], answers }));
  expect(documentOf(object ?? {}).at(["metadata", "annotations", RECORD])).toContain(`"name":"${row.found}"`);
});

describe("fields are granted as Secrets are", () => {
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.db.host" }];
  const fields: JsonObject = { patches, toEnvironment: { fromFieldPath: "status" }, into: "db" };
  const alone = withoutCopies(fields);

  test.each<[reason: string, share: JsonObject, db: JsonObject, isGiven: boolean]>([
    ["with connection, by default", shared(fields), grantedTo("team-b"), false],
    ["without connection, by default", alone, grantedTo("team-b"), false],
    ["not where the input says so", { ...alone, grant: "None" }, grantedTo("team-b"), true],
    ["granted", alone, database(), true],
  ])("%s", (_reason, share, db, isGiven) => {
    const shown = { ...naming("orders"), status: { db: { host: "old" } } };
    const draft = draftOf({ xr: shown, sharedResources: [share], answers: { db: [db] } });
    const contexts = ["apiextensions.crossplane.io/environment", `${DOMAIN}/shared-resources`];
    const given = [draft.composite.length > 0, ...contexts.map((key) => draft.context.has(key))];
    expect(given).toEqual([isGiven, isGiven, isGiven]);
    expect(reasonIn(draft) === "AccessNotGranted").toBe(!isGiven);
  });

  test("a claim that copies to another namespace needs a grant for its own, too", () => {
    const sharedResources = [{ ...copying({ namespaces: "team-b" }), patches }];
    const elsewhere = "shared/db/team-b/orders-db";
    const draft = draftOf({ sharedResources, answers: { db: [grantedTo("team-b")], [`${elsewhere}/target`]: [] } });
    expect([desired(draft), draft.composite, reasonIn(draft)]).toEqual([[elsewhere], [], "AccessNotGranted"]);
  });

  test("the condition says what was asked for and who grants it, and nothing of the resource", () => {
    const items = [another("project-x", undefined, {}, { spec: { writeConnectionSecretToRef: { name: "x" } } })];
    const sharedResources = [shared({ select: toLabels, grant: "Annotation" })];
    const draft = draftOf({ sharedResources, answers: { db: items } });
    expect(JSON.stringify([draft.conditions, draft.results])).not.toContain("project-x");
  });
});

describe("while Crossplane cannot read Namespaces, a database of the team's own", () => {
  const SELECTOR = `${DOMAIN}/allowed-namespace-selector`;
  const mine = another("mine", undefined, { annotations: { [SELECTOR]: "team=a" } });
  const status = { db: "old", ...synced("False", { message: couldNotRead("namespace/x") }) };
  const unread = { ...naming("mine"), status };
  const record = (name: string) => boundTo({ db: { ...POSTGRES, name } });
  const patched = [shared({ patches: [toStatus("db")] })];
  const byOwn = { patches: [toStatus("db")], ...copying({ namespaces: fromXr("spec.parameters.where") }) };
  const claimRef = { kind: "Shop", namespace: "team-a", name: "shop" };
  const elsewhere = { ...xr({ spec: { claimRef, parameters: { database: "mine", where: "team-b" } } }), status };
  const there = "shared/db/team-b/orders-db";
  const inTeamB = { [there]: copyOf({ namespace: "team-b" }) };
  const grants = another("mine", "team-a,team-b");
  const toTeamB = { xr: elsewhere, sharedResources: [byOwn], observed: inTeamB };
  test.each<[what: string, parts: CallParts]>([
    ["that grants by labels", { xr: unread, sharedResources: patched, observed, answers: { db: [mine] } }],
    ["whose copy goes elsewhere", { ...toTeamB, answers: { db: [grants] } }],
  ])("%s keeps no copy of one that has taken its grant back", (_what, { answers, ...parts }) => {
    const results = [refused, grantedTo("team-a,team-b"), "pending" as const].map((orders) =>
      draftOf({ ...parts, answers: { ...answers, "db/recorded": orders === "pending" ? orders : [orders] } }),
    );
    expect(results.map(reasonIn)).toEqual(Array(3).fill("NamespaceNotReadable"));
    expect(results.map((draft) => desired(draft).length)).toEqual([0, 1, 1]);
  });

  test("keeps no fields, and no binding", () => {
    const sharedResources = [withoutCopies({ patches: [toStatus("db")] })];
    const parts = { xr: unread, sharedResources, observed: { [RECORD_NAME]: record("orders") } };
    const drafts = [refused, database()].map((orders) =>
      runFeature(sharing, callOf({ ...parts, answers: { db: [mine], "db/recorded": [orders] } })),
    );
    expect(drafts.map((draft) => draft.composite.length)).toEqual([0, 1]);
    const records = drafts.map((draft) => JSON.stringify(objectIn(draft, RECORD_NAME) ?? {}));
    expect(records.map((text) => text.includes("orders"))).toEqual([false, true]);
  });
});

test("a decoy with the same labels, which grants to everybody, changes nothing for an XR that has a copy", () => {
  const drafts = [[database()], [another("a-decoy", "*"), database()]].map((db) =>
    draftOf({ sharedResources: byLabels, observed, answers: { db } }),
  );
  expect(drafts.map(desired)).toEqual([[KEY], [KEY]]);
  expect(JSON.stringify(drafts[1])).toBe(JSON.stringify(drafts[0])); // Documents have functions
  expect(drafts[1]?.resources).toEqual(drafts[0]?.resources);
});

describe("one Secret has one writer", () => {
  const cache = "shared/cache/team-a/orders-db";
  const madeByDb = "Secret team-a/orders-db is a copy made by shared resource db of";
  const twoFound = { db: [database(), another("decoy")], "db/recorded": [database()] };
  const beside = { sharedResources: [...byLabels, shared({ name: "cache" })], observed, answers: twoFound };
  const earlier = { sharedResources: [shared({ name: "cache" })], desired: observed };
  test.each<[reason: string, parts: CallParts, composed: readonly string[], says: string]>([
    ["one of two shares has a decoy and keeps its copy", beside, [KEY], `cache: ${madeByDb} this XR`],
    ["an earlier step desires it", earlier, [], `${madeByDb} an earlier step`],
  ])("also where %s", (_reason, { answers, ...parts }, composed, message) => {
    const draft = draftOf({ ...parts, answers: { ...answers, cache: [database()], [`${cache}/target`]: [] } });
    expect(desired(draft)).toEqual(composed);
    expect(says(draft)).toContain(message);
  });

  const ours = copyMarks();
  const creating = { type: "Ready", status: "False", reason: "Creating" };
  const observing = (...conditions: readonly JsonObject[]) => copyOf({ policies: ["Observe"], status: { conditions } });
  const going = observing(seen(2));
  const leaving = { ...going, metadata: { ...(going["metadata"] as JsonObject), deletionTimestamp } };
  const ofBilling = { ...ours, [SHARED_FROM]: "databases/billing-conn" };

  test.each<[isLimited: boolean, reason: string, copy: JsonObject | undefined, marks: JsonObject]>([
    [true, "not observed, since it may be one that was dropped and is still going", undefined, ours],
    [true, "not read yet", observing(seen(1)), ours],
    [true, "read after a creation only", observing(seen(2), creating), ours],
    [true, "going", leaving, ours],
    [false, "read", observing(seen(2)), ours],
    // The Object may be going because a grant was taken back: as an observer it would leave the Secret there.
    [false, "not observed, over a copy of another Secret", undefined, ofBilling],
    [false, "not observed, over a copy that does not say of what", undefined, { [OWNER]: ours[OWNER] ?? "" }],
  ])("an Object over a Secret with our mark observes only: %s, while it is %s", (isLimited, _reason, copy, marks) => {
    const there = copy && { observed: { [KEY]: copy } };
    const draft = draftOf({ ...there, answers: { db: [database()], [`${KEY}/target`]: [targetSecret(marks)] } });
    const spec = objectIn(draft)?.["spec"] as JsonObject;
    expect(spec).toMatchObject({ references: [{ toFieldPath: "data" }] });
    expect(spec["managementPolicies"]).toEqual(isLimited ? ["Observe"] : undefined);
  });

  const NEW = "shared/database/team-a/orders-db";
  const source = { metadata: { namespace: "databases", name: "orders-conn" }, data: { a: "" } };
  const found = { database: [database()], db: [database()], "db/secret": [source] };
  const bySecret = copying({ via: "Secret" });
  const limited = copyOf({ policies: ["Observe"] });
  test.each<[what: string, old: JsonObject, composed: readonly string[], share?: JsonObject]>([
    ["a renamed share first has the old Object observe only", copyOf(), [KEY]],
    ["a renamed share waits until the provider has read that", observing(seen(1)), [KEY]],
    ["a renamed share takes over when the provider has read that", observing(seen(2)), [NEW]],
    ["another via first has the old Object observe only", copyOf(), [KEY], bySecret],
    ["another via takes over when the provider has read that", limited, [`${KEY}/secret`], bySecret],
  ])("%s", (_what, old, composed, share = shared({ name: "database" })) => {
    const answers = { ...found, [`${NEW}/target`]: [], [`${KEY}/secret/target`]: [] };
    const draft = draftOf({ sharedResources: [share], observed: { [KEY]: old }, answers });
    const limit = { spec: { managementPolicies: ["Observe"] } };
    expect(desired(draft)).toEqual(composed);
    if (composed[0] === KEY) expect(objectIn(draft)).toMatchObject(limit);
  });
});

test.each([
  { what: "another via", name: "db", via: "Secret", key: `${KEY}/secret` },
  { what: "a renamed share", name: "database", via: "Object", key: "shared/database/team-a/orders-db" },
])("$what empties the keys that the former Object wrote and the copy no longer lists", ({ name, via, key }) => {
  const former = copyOf({ policies: ["Observe"] });
  const data = { username: "YQ==", password: "Yg==" };
  const forProvider = { manifest: { ...SECRET, metadata: { namespace: "team-a", name: "orders-db" }, data } };
  const there = { ...former, spec: { ...(former["spec"] as JsonObject), forProvider } };
  const keys = [{ from: "username", to: "username" }];
  const answers = {
    [name]: [database()],
    [`${name}/secret`]: [connectionSecret()],
    [`${key}/target`]: [targetSecret()],
  };
  const sharedResources = [{ ...copying({ via, keys }), name }];
  const made = objectIn(draftOf({ sharedResources, observed: { [KEY]: there }, answers }), key);
  expect(made?.["data"] ?? secretIn(made).data).toEqual({
    ...(via === "Secret" && { username: "YXBw" }),
    password: "",
  });
});

describe("an Object that only observes, and whose grant has ended,", () => {
  const limited = copyOf({ policies: ["Observe"] });
  const DELETES = ["Observe", "Delete"];
  const bySecond = { "shared/cache/team-a/orders-db": copyOf() };
  type Answer = readonly JsonObject[] | "pending";
  test.each<[reason: string, found: Answer, policies: readonly string[] | undefined, beside?: JsonObject]>([
    ["first gets the policy to delete the Secret with itself", [targetSecret()], DELETES],
    ["stays until the Secret is looked up", "pending", ["Observe"]],
    ["goes where the Secret is somebody else's", [targetSecret({})], undefined],
    ["goes where another XR of the claim has written it", [targetSecret({ ...copyMarks(), ...OF_RIVAL })], undefined],
    ["goes where another copy writes it", [targetSecret()], undefined, bySecond],
    ["goes where there is none", [], undefined],
  ])("%s", (_reason, found, policies, beside) => {
    const answers = { db: [refused], cache: [database()], [`${KEY}/target`]: found };
    const sharedResources = [shared(), ...(beside ? [shared({ name: "cache" })] : [])];
    const there = { [KEY]: limited, ...beside } as Record<string, JsonObject>;
    const draft = draftOf({ sharedResources, observed: there, answers });
    const spec = objectIn(draft)?.["spec"] as JsonObject | undefined;
    expect([spec?.["managementPolicies"], reasonIn(draft)]).toEqual([policies, "AccessNotGranted"]);
  });

  test("is deleted once it has that", () => {
    expect(
      desired(draftOf({ observed: { [KEY]: copyOf({ policies: DELETES }) }, answers: { db: [refused] } })),
    ).toEqual([]);
  });

  test("gets it where the target is renamed, too", () => {
    const renamed = "shared/db/team-a/other";
    const answers = { db: [database()], [`${KEY}/target`]: [targetSecret()], [`${renamed}/target`]: [] };
    const draft = draftOf({
      sharedResources: [copying({ secretName: "other" })],
      observed: { [KEY]: limited },
      answers,
    });
    expect(objectIn(draft)?.["spec"]).toMatchObject({ managementPolicies: DELETES });
  });
});

describe("a copy that one step has dropped", () => {
  const laterShares: readonly JsonObject[] = [
    { name: "other", select: { self: {} }, connection: copying()["connection"] ?? {} },
    shared({ name: "other", kind: "XRedis", grant: "None", select: { name: "mine" } }),
  ];
  const later = (share: JsonObject, item: JsonObject, context: JsonObject = {}) => {
    const answers = { other: [], "other/recorded": [item] };
    return desired(draftOf({ sharedResources: [share], observed, answers, context }));
  };

  test.each(laterShares)("is not taken over by a share of a later step, whatever that grants", (share) => {
    const first = draftOf({ observed, answers: { db: [refused] } });
    expect(desired(first)).toEqual([]);
    expect(later(share, refused, Object.fromEntries(first.context) as JsonObject)).toEqual([]);
  });

  test.each(laterShares)("is not judged by a later share that needs no grant, or is of another kind", (share) => {
    expect([later(share, database()), later(share, refused)]).toEqual([[KEY], []]);
  });
});

test.each(["secretName", "namespaces"])("texts of a megabyte for %s are cut wherever they are repeated", (field) => {
  const names = ["a", "b", "c"];
  const sharedResources = names.map((name) => ({ ...copying({ [field]: fromXr("spec.parameters.database") }), name }));
  const answers = Object.fromEntries(names.map((name) => [name, [database()]]));
  const { conditions, results, context } = draftOf({ xr: naming("x".repeat(1024 * 1024)), sharedResources, answers });
  expect(JSON.stringify([conditions, results, [...context.values()]]).length).toBeLessThan(10_000);
});

test("the holder of a Secret is cut, whoever wrote it there", () => {
  const theirs = targetSecret({ [OWNER]: "x".repeat(100_000) });
  const draft = draftOf({ answers: { db: [database()], [`${KEY}/target`]: [theirs] } });
  expect(says(draft)).toMatch(/^TargetTaken: db: Secret team-a\/orders-db is a copy made by x{99}…:/);
});

const secretWith = (record: JsonObject, earlier: readonly JsonObject[] = [], secretKind = "Secret"): JsonObject => {
  const annotations = { [RECORD]: JSON.stringify({ ...POSTGRES, ...record }), [EARLIER]: JSON.stringify(earlier) };
  return { apiVersion: "v1", kind: secretKind, metadata: { namespace: "team-a", name: "orders-db", annotations } };
};
const thousand = Array.from({ length: 1000 }, (_, index) => ({ ...POSTGRES, name: `n${index}` }));
const token = { apiVersion: "v1", kind: "Secret", namespace: "kube-system", name: "admin-token" };
const configMap = secretWith({ kind: "Pod", name: "a" }, [{ ...POSTGRES, name: "b" }], "ConfigMap");

test.each<[reason: string, secret: JsonObject, asked: readonly string[]]>([
  ["of the share's kind", secretWith({ name: "a" }), ["recorded"]],
  ["another kind", secretWith(token), []],
  ["a name that nothing has", secretWith({ name: "../x" }), []],
  ["a namespace that there cannot be", secretWith({ namespace: "../x", name: "a" }), []],
  ["a list of earlier ones", secretWith({ name: "a" }, thousand), ["recorded"]],
  ["in a ConfigMap that is named like a copy", configMap, []],
])("what a team writes as the record on its own Secret is not looked up: %s", (_reason, secret, asked) => {
  const there = { [`${KEY}/secret`]: secret };
  const draft = draftOf({ xr: naming(), sharedResources: [copying({ via: "Secret" })], observed: there });
  const names = [...draft.requirements.keys()].map(toBaseName).filter((name) => name.startsWith("shared-resource/"));
  expect(names).toEqual(asked.map((name) => `shared-resource/db/${name}`));
});

test("a shared resource that is being deleted hands out no new copies, and those that are there stay", () => {
  const answers = { db: [another("orders", "*", { deletionTimestamp })] };
  const fresh = draftOf({ answers });
  const message =
    "db: XPostgres orders is being deleted, so no new copies of its connection Secret are made: select another XPostgres";
  expect([desired(fresh), says(fresh)]).toEqual([[], `BeingDeleted: ${message}`]);
  expect(desired(draftOf({ answers, observed }))).toEqual([KEY]);
});

describe("an XR that is nested below a claim's XR asks for the claim's namespace, not for the platform:", () => {
  const labels = { "crossplane.io/claim-name": "shop", "crossplane.io/claim-namespace": "team-a" };
  const parameters = { database: "orders", namespace: "kube-system" };
  const nested = xr({ metadata: { name: "shop-x7k2p-cache", labels }, spec: { parameters } });
  const elsewhere = copying({ namespaces: fromXr("spec.parameters.namespace") });
  const db = [grantedTo("kube-system")];

  test("its copies go into that namespace", () => {
    expect(desired(draftOf({ xr: nested, answers: { db: [database()] } }))).toEqual([KEY]);
  });

  test("it puts no Secret into a namespace that has not accepted it, though the database is granted to that one", () => {
    const answers = { db, "namespace/kube-system": [namespaceOf("kube-system")] };
    const draft = draftOf({ xr: nested, sharedResources: [elsewhere], answers });
    expect([desired(draft), reasonIn(draft)]).toEqual([[], "NamespaceNotAccepting"]);
  });

  test("it reads no field of a database that is granted only to the namespace that it names for its copy", () => {
    const patches = [toStatus("endpoint")];
    const answers = { db, secret: "pending" as const };
    const draft = draftOf({ xr: nested, sharedResources: [{ ...elsewhere, patches }], answers });
    expect([draft.composite, says(draft)]).toEqual([[], expect.stringContaining("to namespace team-a")]);
  });
});

test("the XR of a claim hands out no Secret that its tenant chose, also not to itself (select.self)", () => {
  const secretRef = { nameFieldPath: "spec.parameters.secret", namespaceFieldPath: "spec.parameters.space" };
  const parameters = { space: "dba", secret: "root-credentials", part: "credentials" };
  const labels = { "crossplane.io/claim-namespace": "team-b" };
  const lure = another("orders", "*", { labels }, { spec: { parameters } });
  const byText = { name: "root-{spec.parameters.part}", namespaceFieldPath: "spec.parameters.space" };
  const drafts = [secretRef, byText].flatMap((ref) => {
    const share = copying({}, { secretRef: ref });
    const self = { name: "db", connection: share["connection"] ?? {}, select: { self: {} } };
    const byItself = draftOf({ xr: naming("orders", { parameters }), sharedResources: [self] });
    return [draftOf({ sharedResources: [share], answers: { db: [lure] } }), byItself];
  });
  for (const draft of drafts) expect([desired(draft), reasonIn(draft)]).toEqual([[], "SourceNotAllowed"]);
});

describe("the condition names what a person has to mend before what is waited for:", () => {
  const failing = (message: string) => {
    const status = synced("False", { reason: "ReconcileError", message });
    return draftOf({ observed: { [KEY]: copyOf({ status }) }, answers });
  };

  const elsewhere =
    '; if the ProviderConfig is for another cluster, that cluster lacks the source Secret: in keys, write value in place of from, as in {value: "{password}", to: password}';
  test.each([
    ['cannot get referenced resource: secrets "orders-conn" not found', elsewhere],
    ['cannot get ProviderConfig: providerconfigs "orders-conn" not found', ""],
  ])("a copy that cannot be written is a fault, with all that the provider says: %s", (message, hint) => {
    expect(says(failing(message))).toBe(`CopyFailed: db: Secret team-a/orders-db cannot be written: ${message}${hint}`);
  });

  test("a copy that cannot be written is a fault also while it is dropped, as its former grant has ended", () => {
    const status = synced("False", { message: "boom" });
    const observed = { [KEY]: copyOf({ record: recorded("old"), status }) };
    const draft = draftOf({ observed, answers: { ...answers, "db/recorded": [another("old")] } });
    expect(reasonIn(draft)).toBe("CopyFailed");
  });

  test.each([[["b", "c"]], [["c", "b"]]])("a grant, before a namespace that does not accept: %s", (namespaces) => {
    const spaces = { "namespace/b": [namespaceOf("b")], "namespace/c": [namespaceOf("c")] };
    const sharedResources = [copying({ namespaces: fromXr("spec.spaces") })];
    const xr = naming("orders", { spaces: namespaces });
    const draft = draftOf({ xr, sharedResources, answers: { db: [grantedTo("b")], ...spaces } });
    expect(reasonIn(draft)).toBe("AccessNotGranted");
  });

  test("a share that waits for its copy does not hide another one that is not found", () => {
    const sharedResources = [shared(), { ...copying({ secretName: "other" }), name: "cache" }];
    const said = "NotFound: cache: found no XPostgres orders; db: waiting for Secret team-a/orders-db to be written";
    expect(says(draftOf({ sharedResources, answers: { db: [database()], cache: [] } }))).toBe(said);
  });

  test("what a provider repeats of another team's cannot move a terminal's cursor or begin a line", () => {
    expect(says(failing("a\u001b[2Jb\nReady: c\u202ed"))).toContain("cannot be written: a\ufffd[2Jb Ready: c\ufffdd");
  });
});

test("a resource that a field of the XR takes out of the pipeline stops nothing beside copies: a copy goes with its grant", () => {
  const toResource = { name: "replica", fieldPath: "spec.forProvider.endpoint" };
  const patches = [{ fromFieldPath: "status.endpoint", toResource }];
  const patched = (share: JsonObject, allowed: string) =>
    draftOf({ sharedResources: [share], observed, answers: { db: [grantedTo(allowed)] } });
  const [granted, taken] = [patched(shared({ patches }), "team-a"), patched(shared({ patches }), "team-b")];
  const otherStep = patched(withoutCopies({ patches }), "team-a");
  expect([granted, taken, otherStep].flatMap(fatalsIn)).toEqual([]);
  expect(says(granted)).toContain("cannot patch a resource: the steps before this one desire no resource");
  expect(desired(taken)).toEqual([]);
});

test("a copy goes where access is refused, also where the database names no Secret any more", () => {
  const drafts = ["team-a", "team-b"].map((team) => {
    const items = [grantedTo(team, { spec: {} })];
    return draftOf({ observed, answers: { db: items, "db/recorded": items } });
  });
  expect(drafts.map(reasonIn)).toEqual(["NoConnectionSecret", "AccessNotGranted"]);
  expect(drafts.map(desired)).toEqual([[KEY], []]);
});

test("a plain Secret goes with the grant that it was made under, while the Secret of the database that is named now is not there", () => {
  const key = `${KEY}/secret`;
  const copy = { ...SECRET, metadata: { namespace: "team-a", name: "orders-db", annotations: recorded() } };
  const parts = { xr: naming("billing"), sharedResources: [copying({ via: "Secret" })], observed: { [key]: copy } };
  const left = ["team-a", "team-b"].map((team) => {
    const found = { db: [another("billing", "*")], "db/secret": [], "db/recorded": [grantedTo(team)] };
    return desired(draftOf({ ...parts, answers: found }));
  });
  expect(left).toEqual([[key], []]);
});

test("an XR that does not set a field of its copy is told so, although it has no credential yet", () => {
  const connection = { secretRef: { perConsumer: true }, onSourceMissing: "Delete" };
  const sharedResources = [copying({ secretName: fromXr("spec.parameters.secret"), via: "Secret" }, connection)];
  const draft = draftOf({ sharedResources, answers: { db: [grantedTo("*")], answer: [] } });
  expect(says(draft)).toBe("FieldNotSet: db: spec.parameters.secret of the XR is not set");
});

test("a namespace or a field with a line break in its name begins no line of a condition", () => {
  const BREAK = "a\norders-db: Available";
  const namespaces = fromXr("spec.parameters.spaces");
  const asking = xr({ spec: { parameters: { database: "orders", spaces: [BREAK] } } });
  const perConsumer = copying({ namespaces, via: "ConnectionSecret" }, { secretRef: { perConsumer: true } });
  const patches = [{ fromFieldPath: "status", toCompositeFieldPath: "status.db" }];
  const drafts = [
    draftOf({ xr: asking, sharedResources: [copying({ namespaces })], answers: { db: [database({ spec: {} })] } }),
    draftOf({ xr: asking, sharedResources: [perConsumer], answers: { db: [grantedTo("*")], answer: [] } }),
    draftOf({
      sharedResources: [withoutCopies({ patches })],
      answers: { db: [database({ status: { [BREAK]: "x" } })] },
      capabilities: [...V2, "RequiredSchemas"],
      schemas: { XShop: { properties: { status: { properties: { db: { type: "object", properties: {} } } } } } },
    }),
  ];
  expect(drafts.map(reasonIn)).toEqual(["InvalidTarget", "InvalidTarget", "PatchFailed"]);
  expect(drafts.map(says).join()).not.toContain("\n");
});
