import { describe, expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { COPY_KINDS } from "../../src/crossplane/copies.ts";
import { fieldManagerOf } from "../../src/crossplane/metadata.ts";
import { documentOf, withValues } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { run } from "../../src/pipeline.ts";
import { NAMES_NAME, namesRecordName } from "../../src/records/names-record.ts";
import { RECORD_KINDS, RECORD_LABEL, RECORD_NAME, recordId } from "../../src/records/record.ts";
import { boundTo, type CallParts, callOf } from "../../testing/builders/calls.ts";
import { recorded } from "../../testing/builders/copies.ts";
import { couldNotRead, synced } from "../../testing/builders/kubernetes.ts";
import { at, desiredOf, fatalsIn, reasonIn, requirementsIn } from "../../testing/builders/read-draft.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { another, naming, refused } from "../../testing/builders/shared-database.ts";
import { database, observedObject, POSTGRES, shared, xr } from "../../testing/builders/sharing.ts";
import { DOMAIN, ownedBy, team } from "../../testing/builders/tags.ts";

/** An XR that Crossplane made anew from a restored claim, without references, while what it composed was restored. */

const XR = "shop-x7k2p";
const anew = (metadata: JsonObject = {}, spec: JsonObject = {}, status: JsonObject = {}): JsonObject => ({
  ...naming("orders", spec),
  metadata: { name: XR, ...metadata },
  status,
});

/** The metadata of a resource that the XR composed under this name in the Composition. */
const composedAs = (resource: string, metadata: JsonObject = {}): JsonObject => ({
  ...metadata,
  labels: { "crossplane.io/composite": XR, ...(metadata["labels"] as JsonObject) },
  annotations: { "crossplane.io/composition-resource-name": resource, ...(metadata["annotations"] as JsonObject) },
});
const asLogs = { annotations: { "crossplane.io/composition-resource-name": "logs" } };

const bucket: JsonObject = {
  apiVersion: "s3.aws.upbound.io/v1beta2",
  kind: "Bucket",
  metadata: { annotations: { "crossplane.io/external-name": "orders-data" } },
  spec: { forProvider: { region: "eu-central-1" } },
};

/** The bucket's managed resource as Velero restores it: without a controller, with labels, annotations and managed fields. */
const restored = (name: string, { annotations, ...metadata }: JsonObject = {}): JsonObject => {
  const marks = { ...ownedBy("Shop.apps.example.org/team-a/shop"), [`${DOMAIN}/origin`]: "Created" };
  const shown = { "crossplane.io/external-name": "orders-data", ...marks, ...(annotations as JsonObject) };
  const own = { name, uid: `uid-of-${name}`, creationTimestamp: "2026-01-01T00:00:00Z", annotations: shown };
  return {
    ...bucket,
    metadata: composedAs("bucket", { ...own, ...metadata }),
    spec: { ...(bucket["spec"] as JsonObject), managementPolicies: ["*"] },
    status: synced("True"),
  };
};

const V2_0 = ["RequiredResources"] as const;
const GOING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const BUCKETS = "adoption/predecessors/Bucket";
const draftOf = ({ spec = { adoption: {} }, answers = {}, ...parts }: CallParts): Draft =>
  runFeature(run, callOf({ xr: anew(), sharedResources: [], desired: { bucket }, spec, answers, ...parts }));
const nameIn = (draft: Draft, name = "bucket") =>
  draft.resources.has(name) ? at(desiredOf(draft, name), "metadata.name") : undefined;
const manager = (name: string): JsonObject => {
  const composer = fieldManagerOf({ apiVersion: "apps.example.org/v1", kind: "XShop", name });
  return { managedFields: [{ manager: composer, operation: "Apply" }] };
};

const claims = recordId(toComposite(documentOf(anew())));
const recording = (resource: string, entry: JsonObject) => ({
  ...RECORD_KINDS.EnvironmentConfig,
  metadata: {
    name: namesRecordName(claims),
    labels: { [RECORD_LABEL]: claims },
    annotations: { "crossplane.io/composition-resource-name": NAMES_NAME },
  },
  data: { [resource]: JSON.stringify({ resource, ...entry }) },
});

describe("what an XR composed before it was restored", () => {
  test("is asked for by Crossplane's label, before the first resource is composed", () => {
    const draft = draftOf({ spec: { adoption: {}, responseTTL: "60s" } });
    const match = { labels: { "crossplane.io/composite": XR } };
    const kind = { apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket" };
    expect(requirementsIn(draft).get(BUCKETS)).toEqual({ ...kind, match });
    expect([nameIn(draft), draft.ttlSeconds]).toEqual([undefined, undefined]);
  });

  test("is asked for in the namespace in which it is composed", () => {
    const desired = { bucket: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "team-a" } } };
    const capabilities = ["Capabilities", "RequiredResources"] as const;
    const selector = requirementsIn(draftOf({ desired, capabilities })).get("adoption/predecessors/ConfigMap");
    expect(selector?.namespace).toBe("team-a");
  });

  test("is not asked for by an XR with references, nor where Crossplane may not list the kind", () => {
    const message = couldNotRead(BUCKETS);
    const observed = { bucket: restored("old") };
    const drafts = [
      draftOf({ xr: xr(), observed }),
      draftOf({ xr: xr(), spec: {} }),
      draftOf({ xr: anew({}, {}, synced("False", { message })) }),
    ];
    expect(drafts.map((draft) => requirementsIn(draft).has(BUCKETS))).toEqual([false, false, false]);
  });

  test("is adopted also by an XR with references that desires it later, once another one's status is there", () => {
    const answers = { [BUCKETS]: [restored("old", manager(XR))] };
    const draft = draftOf({ xr: xr({ metadata: { name: XR } }), answers });
    expect([nameIn(draft), reasonIn(draft)]).toEqual(["old", "Adopted"]);
  });

  const controller = [{ kind: "XShop", name: XR, uid: "1", controller: true }];
  const claimed = { labels: { "crossplane.io/claim-namespace": "team-a" } };
  const elsewhere = { labels: { "crossplane.io/claim-namespace": "team-b" } };
  test.each<[reason: string, name: string | undefined, ...found: readonly JsonObject[]]>([
    ["it has no controller, and the XR's label", "old", restored("old", claimed)],
    ["it lacks the claim's label", undefined, restored("old")],
    ["its managed fields name the XR", "old", restored("old", manager(XR))],
    ["its managed fields name another XR", undefined, restored("old", manager("other"))],
    ["it was composed for another claim", undefined, restored("old", elsewhere)],
    ["an XR controls it", undefined, restored("old", { ownerReferences: controller })],
    ["it is being deleted", undefined, restored("old", GOING)],
    ["it is composed under another name", undefined, restored("old", asLogs)],
    ["there is none", undefined],
  ])("is adopted by its name or not: %s", (_reason, name, ...found) => {
    const draft = draftOf({ xr: anew(claimed), answers: { [BUCKETS]: found } });
    expect([nameIn(draft), reasonIn(draft)]).toEqual([name, "Adopted"]);
  });

  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "evil" } };
  const origin = JSON.stringify({ apiVersion: "v1", kind: "Database", name: "db" });
  const copying = { annotations: { [`${DOMAIN}/shared-resource`]: origin } };
  test.each<[reason: string, planted: readonly string[], observed: Readonly<Record<string, JsonObject>>]>([
    ["is none of several", ["a", "b"], {}],
    ["is not one beside the XR's own", ["a"], { bucket: { ...config, metadata: { name: "own", namespace: "evil" } } }],
  ])("%s that a team may have written into its namespace: they stop no XR", (_reason, names, observed) => {
    const planted = names.map((name) => {
      const { metadata } = restored(name) as { readonly metadata: JsonObject };
      return { ...config, metadata: { ...metadata, namespace: "evil" } };
    });
    const answers = { "adoption/predecessors/ConfigMap": planted };
    const draft = draftOf({ desired: { bucket: config }, observed, answers, spec: {} });
    expect([draft.resources.has("bucket"), fatalsIn(draft)]).toEqual([false, []]);
  });

  test.each<[forged: string, name: string, metadata: JsonObject]>([
    ["as the XR's field manager", "big", manager(XR)],
    ["as a copy", "shared/db/evil/big", copying],
    ["as a copy by the XR's field manager", "shared/db/evil/big", { ...copying, ...manager(XR) }],
  ])("is not adopted under a name that no step desires, where a team may have written it %s", (_forged, name, own) => {
    const metadata = composedAs(name, { ...own, name: "big", namespace: "evil" });
    const answers = { "adoption/predecessors/ConfigMap": [{ ...config, metadata }] };
    expect(draftOf({ desired: { bucket: config }, answers }).resources.has(name)).toBe(false);
  });

  test("is observed by all features: an owner stays the owner, and keeps its marks", () => {
    const found = [restored("old")];
    const draft = draftOf({ tags: { add: [team] }, answers: { [BUCKETS]: found }, contenders: found });
    expect(nameIn(draft)).toBe("old");
    const owner = at(desiredOf(draft), `metadata.annotations[${DOMAIN}/tags-owner]`);
    expect(owner).toBe("Shop.apps.example.org/team-a/shop#bucket");
  });

  test("keeps the external name that its provider has chosen", () => {
    const { annotations: _, ...metadata } = bucket["metadata"] as JsonObject;
    const desired = { bucket: { ...bucket, metadata } };
    const draft = draftOf({ desired, spec: { externalNames: {} }, answers: { [BUCKETS]: [restored("old")] } });
    expect(at(desiredOf(draft), "metadata.annotations[crossplane.io/external-name]")).toBe("orders-data");
  });

  test.each<[reason: string, adopted: string | undefined, metadata: JsonObject]>([
    ["its managed fields name this XR", "old", manager(XR)],
    ["it may be a nested XR's, whose resources carry the same label", undefined, {}],
  ])("that no step desires any more is adopted or not: %s", (_reason, adopted, metadata) => {
    const draft = draftOf({ answers: { [BUCKETS]: [restored("old", { ...metadata, ...asLogs })] } });
    expect([nameIn(draft, "logs"), reasonIn(draft)]).toEqual([adopted, adopted ? "Adopting" : "Adopted"]);
  });

  describe("of a kind that no step desires any more", () => {
    const VPCS = "adoption/recorded/VPC";
    const vpc = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC" };
    const entry = { kind: "VPC.ec2.aws.upbound.io", apiVersion: vpc.apiVersion, name: "old" };
    const recordedAs = (more: JsonObject = {}) => recording("network", { ...entry, ...more });
    const asNetwork = { annotations: { "crossplane.io/composition-resource-name": "network" } };
    const found = (metadata: JsonObject) => [{ ...restored("old", { ...asNetwork, ...metadata }), ...vpc }];
    const drafted = (record: JsonObject, vpcs: readonly JsonObject[], more: CallParts = {}) => {
      const answers = { [BUCKETS]: [], "adoption/predecessors/EnvironmentConfig": [record], [VPCS]: vpcs };
      return draftOf({ answers, ...more });
    };
    const late = {
      xr: xr({ metadata: { name: XR } }),
      observed: { bucket: restored("old"), [NAMES_NAME]: recordedAs() },
    };
    test.each<[reason: string, adopted: string | undefined, draft: Draft]>([
      ["it is recorded", "old", drafted(recordedAs(), found({}))],
      ["the record was restored when the XR had references again", "old", drafted(recordedAs(), found({}), late)],
      ["its managed fields name this XR", "old", drafted(recordedAs({ name: "x" }), found(manager(XR)))],
      ["it may be a nested XR's, with the same label", undefined, drafted(recordedAs({ name: "x" }), found({}))],
      ["the record has no version of its kind", undefined, drafted(recordedAs({ apiVersion: "" }), found({}))],
      ["another XR composed it", undefined, drafted(recordedAs(), found(manager("other")))],
      ["the step has no adoption", undefined, drafted(recordedAs(), found({}), { spec: { externalNames: {} } })],
    ])("is adopted or not: %s", (_reason, adopted, draft) => {
      expect(nameIn(draft, "network")).toBe(adopted);
    });

    test("is not asked for where it is not installed any more, and hides nothing else", () => {
      const xr = anew({}, {}, synced("False", { message: couldNotRead(VPCS) }));
      const answers = { [BUCKETS]: [restored("old")], "adoption/predecessors/EnvironmentConfig": [recordedAs()] };
      const draft = draftOf({ xr, answers });
      expect([requirementsIn(draft).has(VPCS), nameIn(draft)]).toEqual([false, "old"]);
    });

    test("stops the XR if its name has the namespaced kind now", () => {
      const desired = {
        network: { apiVersion: "ec2.aws.m.upbound.io/v1beta1", kind: "VPC", metadata: { namespace: "x" } },
      };
      const spec = { forProvider: {}, managementPolicies: ["*"] };
      const vpcs = found({}).map((one) => ({ ...one, spec }));
      expect(reasonIn(drafted(recordedAs(), vpcs, { desired }))).toBe("KindChanged");
    });

    test.each([
      ["if its kind is not served: to require it would fail every second reconcile", null, false],
      ["if it is", {}, true],
    ])("is asked for or not on Crossplane v2.2 and later: %s", (_reason, VPC, isAsked) => {
      const capabilities = ["Capabilities", "RequiredResources", "RequiredSchemas"] as const;
      const draft = drafted(recordedAs(), [], { capabilities, schemas: { VPC } });
      expect(requirementsIn(draft).has(VPCS)).toBe(isAsked);
    });

    test("is not asked for by what a team may have written", () => {
      const namespace = "team-a";
      const { metadata, data } = recordedAs();
      const names = { ...RECORD_KINDS.ConfigMap, metadata: { ...metadata, namespace }, data };
      const answers = { "adoption/predecessors/ConfigMap": [names], "names/record": [] };
      const asked = requirementsIn(draftOf({ xr: anew({ name: "shop", namespace }), answers, capabilities: V2_0 }));
      expect([...asked.keys()].filter((name) => name.startsWith("adoption/recorded/"))).toEqual([]);
    });
  });

  const ofClaim = { "crossplane.io/composite": "shop-before", [RECORD_LABEL]: claims };
  test.each([
    ["as it was restored", { "crossplane.io/composite": XR }],
    ["as it was exported, from another XR of the same claim", ofClaim],
  ])("is the XR's record, %s: what it was bound to stays", (_reason, labels) => {
    const kept = { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders" };
    const metadata = composedAs(RECORD_NAME, { name: "record", labels });
    const record = { ...RECORD_KINDS.EnvironmentConfig, metadata, ...boundTo({ db: kept }) };
    const draft = draftOf({
      desired: {},
      sharedResources: [shared({ select: { matchLabels: { db: "orders" } } })],
      answers: { db: [database(), another("decoy")], "adoption/predecessors/EnvironmentConfig": [record] },
    });
    expect(nameIn(draft, RECORD_NAME)).toBe("record");
    expect(String(at(desiredOf(draft, RECORD_NAME), "data.db"))).toContain('"name":"orders"');
  });
});

test("what is held back for its record is looked for, also by an XR that Crossplane knows", () => {
  const resourceRefs = [{ apiVersion: "v1", kind: "ConfigMap", name: "first" }];
  const known = anew({}, { claimRef: null, resourceRefs });
  const { metadata: _, ...nameless } = bucket;
  const parts = { spec: { externalNames: { requireRecord: true } }, desired: { bucket: nameless } };
  const held = draftOf({ ...parts, xr: known, answers: { [BUCKETS]: [] } });
  const found = draftOf({ ...parts, xr: known, answers: { [BUCKETS]: [restored("old")] } });
  expect([held.resources.get("bucket")?.is, nameIn(found)]).toEqual(["removed", "old"]);
});

const uid = "uid-of-xr";
const controlled = { ownerReferences: [{ kind: "XShop", name: XR, uid, controller: true }] };
const resourceRefs = [{ apiVersion: "v1", kind: "ConfigMap", name: "record" }];

describe("a copy to which a team has its XR lose the reference", () => {
  const OBJECTS = "adoption/predecessors/Object";
  const OLD = "shared/db/team-a/old";
  /** The Object as it exists, and goes on following its Secret. */
  const copy = (metadata: JsonObject = {}, annotations = recorded()) => ({
    ...observedObject({ ready: "True" }),
    metadata: composedAs(OLD, { name: "shared-db-team-a-old", uid: OLD, annotations, ...controlled, ...metadata }),
  });
  const partsWith = (copies: readonly JsonObject[], more: CallParts = {}): CallParts => ({
    xr: anew({ uid }),
    desired: {},
    sharedResources: [shared()],
    spec: {},
    capabilities: V2_0,
    ...more,
    answers: { db: [database()], [OBJECTS]: copies, "names/record": [], ...more.answers },
  });
  const revoked = { answers: { db: [refused] } };
  /** The managed fields of an XR whose references a client has written in the name of Crossplane's field manager. */
  const asCrossplane = (fieldsV1: JsonObject) => [{ manager: "apiextensions.crossplane.io/composite", fieldsV1 }];
  const inTeam = {
    uid,
    namespace: "team-a",
    managedFields: asCrossplane({ "f:spec": { "f:crossplane": { "f:resourceRefs": {} } } }),
  };
  const forging = (metadata: JsonObject = {}) => anew({ ...inTeam, ...metadata }, { crossplane: { resourceRefs } });
  const toCopy = [{ ...COPY_KINDS.Object, name: "shared-db-team-a-old" }];
  const managedFields = asCrossplane({ "f:spec": { "f:resourceRefs": {} } });
  const referring = { xr: anew({ uid, managedFields }, { resourceRefs: toCopy }), observed: { [OLD]: copy() } };
  const ofAnother = copy({ ownerReferences: [{ uid: "other", controller: true }] });
  const inForged = "in the name of Crossplane's field manager";
  test.each<[reason: string, isFound: boolean, parts: CallParts]>([
    ["has another target now, in the same edit", true, partsWith([copy()])],
    ["was revoked meanwhile", true, partsWith([copy()], revoked)],
    ["was revoked, beside adoption", true, partsWith([copy()], { ...revoked, spec: { adoption: {} } })],
    ["is another XR's", false, partsWith([ofAnother])],
    ["is being deleted", false, partsWith([copy(GOING)])],
    ["was composed by another XR", false, partsWith([copy(manager("other"))])],
    ["is no copy", false, partsWith([copy({}, {})])],
    [`was revoked, ${inForged}`, true, partsWith([copy()], { ...revoked, xr: forging() })],
    [`has another target now, ${inForged}`, true, partsWith([copy()], { xr: forging() })],
    [`is of an XR that is being deleted, ${inForged}`, false, partsWith([copy()], { xr: forging(GOING) })],
    ["is of a cluster-scoped XR with references", false, partsWith([copy()], { xr: anew({ uid }, { resourceRefs }) })],
    ["was revoked, and is referred to again: it goes", false, partsWith([], { ...revoked, ...referring })],
  ])("is desired once more, so that it is deleted, or not: it %s", (_reason, isFound, parts) => {
    expect(nameIn(draftOf(parts), OLD)).toBe(isFound ? "shared-db-team-a-old" : undefined);
  });

  test(`is looked for by its kind alone, and stops no XR where it is observed, ${inForged}`, () => {
    const observed = { [OLD]: copy() };
    const copies = [copy(), copy({ name: "twin", uid: "twin" })];
    const draft = draftOf(partsWith(copies, { xr: forging(), observed, desired: { bucket } }));
    expect([...requirementsIn(draft).keys()].filter((name) => name.startsWith("adoption/"))).toEqual([OBJECTS]);
    expect(fatalsIn(draft)).toEqual([]);
  });
});

describe("a dependent to which a team has its XR lose the reference", () => {
  const push = { apiVersion: "external-secrets.io/v1alpha1", kind: "PushSecret", spec: { to: "now" } };
  const annotations = { [`${DOMAIN}/depends-on`]: JSON.stringify({ db: { ...POSTGRES, name: "orders" } }) };
  const { connection: _, ...share } = shared({ dependents: ["pus*"] });
  const forging = anew({ namespace: "team-a", uid }, { crossplane: { resourceRefs } });
  test.each<[reason: string, to: string, db: JsonObject, parts?: CallParts]>([
    ["is taken over while the grant stands", "now", database()],
    ["is desired once more as it is after that, so that it is deleted", "before", refused],
    ["is so beside adoption, too", "before", refused, { spec: { adoption: {} } }],
    [
      "in the name of Crossplane's field manager is taken over while the grant stands",
      "now",
      database(),
      { xr: forging },
    ],
    ["in its name is desired once more after the revocation", "before", refused, { xr: forging }],
  ])("%s", (_reason, to, db, { xr = anew(), spec = {} } = {}) => {
    const { namespace = null } = xr["metadata"] as JsonObject;
    const metadata = composedAs("push", { name: "push-1", uid: "push", namespace, annotations });
    const answers = { db: [db], "adoption/predecessors/PushSecret": [{ ...push, metadata, spec: { to: "before" } }] };
    const parts = { xr, spec, desired: { push }, sharedResources: [share], answers, capabilities: V2_0 };
    const found = desiredOf(draftOf(parts), "push");
    expect([at(found, "metadata.name"), found["spec"]]).toEqual(["push-1", { to }]);
  });
});

test("a record that two labels find is one", () => {
  const labels = { [RECORD_LABEL]: recordId(toComposite(documentOf(anew()))) };
  const metadata = composedAs(RECORD_NAME, { name: "shop-rec", uid: "1", labels });
  const draft = draftOf({
    desired: { config: { ...RECORD_KINDS.EnvironmentConfig, data: { own: true } } },
    sharedResources: [shared()],
    answers: {
      db: [database()],
      "adoption/predecessors/EnvironmentConfig": [{ ...RECORD_KINDS.EnvironmentConfig, metadata, data: {} }],
    },
  });
  expect([reasonIn(draft), nameIn(draft, RECORD_NAME), fatalsIn(draft)]).toEqual(["WaitingForCopies", "shop-rec", []]);
});

describe("the record of a namespaced XR whose references a team has taken away", () => {
  const record = (name: string, by: JsonObject) => ({
    ...RECORD_KINDS.ConfigMap,
    metadata: composedAs(RECORD_NAME, { name, uid: name, namespace: "team-a", ...by }),
    ...boundTo({ db: { ...POSTGRES, name: "orders" } }),
  });
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" }];
  const { connection: _, ...fields } = shared({ patches, resolution: "Optional" });
  const draftWith = (
    spec: JsonObject,
    records: readonly JsonObject[],
    db: JsonObject,
    share: JsonObject,
    observed: CallParts["observed"] = {},
  ) =>
    draftOf({
      xr: { ...anew({ namespace: "team-a", uid: "uid-of-xr" }), spec, status: { endpoint: "e" } },
      observed,
      desired: {},
      sharedResources: [share],
      capabilities: V2_0,
      answers: { db: [db], "db/recorded": [db], "adoption/predecessors/ConfigMap": records },
      spec: {},
    });

  const [first, second] = [record("first", manager(XR)), record("second", manager(XR))];
  test.each<[reason: string, name: string | undefined, observed: CallParts["observed"]]>([
    ["is the first one", "first", {}],
    ["is the one that it observes", undefined, { [RECORD_NAME]: second }],
  ])("%s, where the team has its XR make two, and the XR goes on", (_reason, name, observed) => {
    const spec = { ...(anew()["spec"] as JsonObject), crossplane: {} };
    const draft = draftWith(spec, [second, first], database(), shared(), observed);
    expect([fatalsIn(draft), nameIn(draft, RECORD_NAME)]).toEqual([[], name]);
  });

  test.each<[reason: string, endpoint: string | undefined, db: JsonObject, by: JsonObject]>([
    ["keeps the status while the grant stands", "e", database({ status: { endpoint: "e" } }), {}],
    ["takes the status along with the grant", undefined, refused, {}],
    ["takes it along, with managed fields", undefined, refused, manager(XR)],
  ])("is found though the XR names nothing, and %s", (_reason, endpoint, db, by) => {
    const draft = draftWith({ crossplane: {} }, [record("record", by)], db, fields);
    expect(at(withValues({}, draft.composite), "status.endpoint")).toBe(endpoint);
  });
});

describe("two resources that were composed under one name", () => {
  const both = "bucket (Bucket.s3.aws.upbound.io/old and Bucket.s3.aws.upbound.io/older): ";
  const traced = "this XR composed all of them before it was restored. Keep one";
  const untraced =
    "only the label crossplane.io/composite says that this XR composed them. If one is another XR's, remove that label from it, and " +
    "set the label again once this XR is Synced. Keep one of this XR's own";
  const words =
    ". Delete every other one that this XR composed; if it shares a cloud resource with the one to keep, first set deletionPolicy: Orphan on it, or " +
    "managementPolicies without Delete. To let one go instead of deleting it, remove the label crossplane.io/composite from it; it then goes on " +
    "writing to the cloud. Either way, remove any reference to it from the XR's resourceRefs";
  test.each<[reason: string, spec: JsonObject, by: JsonObject, origin: string, shown: readonly string[]]>([
    ["which is told what a person has to do", { adoption: {} }, manager(XR), traced, ["Duplicated"]],
    ["in a step without adoption, too", { externalNames: {} }, manager(XR), traced, []],
    ["and may be another XR's with the same label", { adoption: {} }, {}, untraced, ["Duplicated"]],
  ])("stop the XR, %s", (_reason, spec, by, origin, shown) => {
    const draft = draftOf({ spec, answers: { [BUCKETS]: [restored("old", by), restored("older", by)] } });
    const conditions = draft.conditions.filter(({ type }) => type === "ResourcesAdopted");
    expect(conditions.map(({ reason }) => reason)).toEqual(shown);
    const message = expect.stringContaining(`${both}${origin}${words}`);
    expect([...conditions, ...draft.results.filter(({ severity }) => severity === "Fatal")]).toMatchObject(
      [...shown, "Duplicated"].map((reason) => ({ reason, message })),
    );
  });

  test("do not any more when one of them is left", () => {
    const draft = draftOf({ answers: { [BUCKETS]: [restored("older")] } });
    expect([fatalsIn(draft), nameIn(draft)]).toEqual([[], "older"]);
  });

  test.each<[reason: string, recorded: string, is: string, by?: JsonObject]>([
    ["the one that the record names", "older", "older"],
    ["none of them, where the record names another one", "lost", "lost"],
    ["both, whatever the record names, where their managed fields say so", "older", "old", manager(XR)],
  ])("are an XR's or not, with the label alone: %s", (_reason, name, is, by = {}) => {
    const record = recording("bucket", { kind: "Bucket.s3.aws.upbound.io", name });
    const found = { [BUCKETS]: [restored("old", by), restored("older", by)] };
    const draft = draftOf({ answers: { ...found, "adoption/predecessors/EnvironmentConfig": [record] } });
    expect([nameIn(draft), reasonIn(draft)]).toEqual([is, is === "old" ? "Duplicated" : "Adopted"]);
  });

  const writtenBy = (manager: string): JsonObject => {
    const fieldsV1 = { "f:spec": { "f:resourceRefs": {} } };
    const resourceRefs = [{ apiVersion: bucket["apiVersion"] as string, kind: "Bucket", name: "old" }];
    return anew({ uid, managedFields: [{ manager, fieldsV1 }] }, { claimRef: null, parameters: {}, resourceRefs });
  };
  const theirs = { ownerReferences: [{ controller: true }] };
  test.each<[reason: string, is: string, by: string, live?: JsonObject]>([
    ["a restore has set the references back", "Duplicated", "velero", controlled],
    ["another XR controls the other", "Adopted", "velero", theirs],
    ["the other has the label alone, which another XR's may have, too", "Adopted", "velero"],
    ["the references are Crossplane's own", "Adopted", "apiextensions.crossplane.io/composite"],
  ])("stop a live XR or not: %s", (_reason, is, by, live = {}) => {
    const observed = { bucket: restored("old") };
    const desired = { bucket: { ...bucket, metadata: { name: "old" } } }; // as function-patch-and-transform repeats it
    const answers = { [BUCKETS]: [restored("old"), restored("live", live)] };
    expect(reasonIn(draftOf({ desired, xr: writtenBy(by), observed, answers }))).toBe(is);
  });

  test("of which the one that the XR refers to has lost its label: the reference has to go, too", () => {
    const observed = { bucket: restored("old", { labels: { "crossplane.io/composite": "" } }) };
    const answers = { [BUCKETS]: [restored("live", controlled)] };
    const draft = draftOf({ xr: writtenBy("velero"), observed, answers });
    const message =
      "bucket (Bucket.s3.aws.upbound.io/old and Bucket.s3.aws.upbound.io/live): this XR still refers to " +
      "Bucket.s3.aws.upbound.io/old, which has lost the label crossplane.io/composite. To keep that resource, set the label on it " +
      "again. To keep another one, remove that resource from the XR's resourceRefs";
    expect(draft.conditions).toMatchObject([{ reason: "Duplicated", message }]);
  });

  test("of which a restored claim's XR controls one is none: it goes on with it", () => {
    const draft = draftOf({ xr: anew({ uid }), answers: { [BUCKETS]: [restored("live", controlled)] } });
    expect([fatalsIn(draft), nameIn(draft)]).toEqual([[], "live"]);
  });
});
