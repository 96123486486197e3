import { describe, expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { composerName } from "../../src/crossplane/metadata.ts";
import { documentOf, withValues } from "../../src/model/document.ts";
import type { Draft } from "../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { run } from "../../src/pipeline.ts";
import { NAMES_NAME, namesRecordName } from "../../src/records/names-record.ts";
import { RECORD_LABEL, RECORD_NAME, recordOf } from "../../src/records/record.ts";
import { boundTo, type CallParts, callOf } from "../../testing/builders/calls.ts";
import { recorded } from "../../testing/builders/copies.ts";
import { couldNotRead, synced } from "../../testing/builders/kubernetes.ts";
import { at, desiredOf, fatalsIn, reasonIn, requirementsIn } from "../../testing/builders/read-draft.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { another, naming } from "../../testing/builders/shared-database.ts";
import { database, observedObject, shared, xr } from "../../testing/builders/sharing.ts";
import { DOMAIN, ownedBy, team } from "../../testing/builders/tags.ts";

/** An XR that Crossplane made anew from a restored claim, without references, while what it composed was restored. */

const XR = "shop-x7k2p";
const anew = (more: JsonObject = {}): JsonObject => ({ ...naming("orders"), ...more });

const bucket: JsonObject = {
  apiVersion: "s3.aws.upbound.io/v1beta2",
  kind: "Bucket",
  metadata: { annotations: { "crossplane.io/external-name": "orders-data" } },
  spec: { forProvider: { region: "eu-central-1" } },
};

/** The bucket's managed resource as Velero restores it: without a controller, with labels, annotations and managed fields. */
const restored = (name: string, metadata: Readonly<Record<string, JsonValue>> = {}): JsonObject => {
  const { labels, annotations, ...more } = metadata as Record<string, JsonObject>;
  const shown = { "crossplane.io/composition-resource-name": "bucket", "crossplane.io/external-name": "orders-data" };
  const marks = { ...ownedBy("Shop.apps.example.org/team-a/shop"), [`${DOMAIN}/origin`]: "Created" };
  return {
    ...bucket,
    metadata: {
      name,
      uid: `uid-of-${name}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "crossplane.io/composite": XR, ...labels },
      annotations: { ...shown, ...marks, ...annotations },
      ...more,
    },
    spec: { ...(bucket["spec"] as JsonObject), managementPolicies: ["*"] },
    status: synced("True"),
  };
};

const GOING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const BUCKETS = "adoption/predecessors/Bucket";
const draftOf = ({ spec = { adoption: {} }, answers = {}, ...parts }: CallParts): Draft =>
  runFeature(run, callOf({ xr: anew(), sharedResources: [], desired: { bucket }, spec, answers, ...parts }));
const nameIn = (draft: Draft, name = "bucket") =>
  draft.resources.has(name) ? at(desiredOf(draft, name), "metadata.name") : undefined;
const manager = (name: string) => {
  const composer = composerName({ apiVersion: "apps.example.org/v1", kind: "XShop", name });
  return { managedFields: [{ manager: composer, operation: "Apply" }] };
};

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
      draftOf({ xr: anew({ status: synced("False", { message }) }) }),
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
  const asLogs = { annotations: { "crossplane.io/composition-resource-name": "logs" } };
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
    const xrWithLabels = anew({ metadata: { name: XR, labels: { "crossplane.io/claim-namespace": "team-a" } } });
    const draft = draftOf({ xr: xrWithLabels, answers: { [BUCKETS]: found } });
    expect([nameIn(draft), reasonIn(draft)]).toEqual([name, "Adopted"]);
  });

  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "evil" } };
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
    const logs = restored("old", { ...metadata, annotations: { "crossplane.io/composition-resource-name": "logs" } });
    const draft = draftOf({ answers: { [BUCKETS]: [logs] } });
    expect([nameIn(draft, "logs"), reasonIn(draft)]).toEqual([adopted, adopted ? "Adopting" : "Adopted"]);
  });

  const claims = recordOf(toComposite(documentOf(anew())));

  describe("of a kind that no step desires any more", () => {
    const VPCS = "adoption/recorded/VPC";
    const vpc = { apiVersion: "ec2.aws.upbound.io/v1beta1", kind: "VPC" };
    const entry = { kind: "VPC.ec2.aws.upbound.io", apiVersion: vpc.apiVersion, name: "old" };
    const recordedAs = (more: JsonObject = {}) => ({
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      metadata: {
        name: namesRecordName(claims),
        labels: { [RECORD_LABEL]: claims },
        annotations: { "crossplane.io/composition-resource-name": NAMES_NAME },
      },
      data: { network: JSON.stringify({ resource: "network", ...entry, ...more }) },
    });
    const asNetwork = { annotations: { "crossplane.io/composition-resource-name": "network" } };
    const network = (name: string, metadata: JsonObject = asNetwork) => ({ ...restored(name, metadata), ...vpc });
    const found = (metadata: JsonObject) => [network("old", { ...asNetwork, ...metadata })];
    const drafted = (record: JsonObject, vpcs: readonly JsonObject[], more: CallParts = {}) => {
      const answers = { [BUCKETS]: [], "adoption/predecessors/EnvironmentConfig": [record], [VPCS]: vpcs };
      return draftOf({ answers, ...more });
    };
    test.each<[reason: string, adopted: string | undefined, draft: Draft]>([
      ["it is recorded", "old", drafted(recordedAs(), found({}))],
      ["its managed fields name this XR", "old", drafted(recordedAs({ name: "x" }), found(manager(XR) as JsonObject))],
      ["it may be a nested XR's, with the same label", undefined, drafted(recordedAs({ name: "x" }), found({}))],
      ["the record has no version of its kind", undefined, drafted(recordedAs({ apiVersion: "" }), found({}))],
      ["another XR composed it", undefined, drafted(recordedAs(), found(manager("other") as JsonObject))],
      ["the step has no adoption", undefined, drafted(recordedAs(), found({}), { spec: { externalNames: {} } })],
    ])("is adopted or not: %s", (_reason, adopted, draft) => {
      expect(nameIn(draft, "network")).toBe(adopted);
    });

    test("is not asked for where it is not installed any more, and hides nothing else", () => {
      const xr = anew({ status: synced("False", { message: couldNotRead(VPCS) }) });
      const answers = { [BUCKETS]: [restored("old")], "adoption/predecessors/EnvironmentConfig": [recordedAs()] };
      const draft = draftOf({ xr, answers });
      expect([requirementsIn(draft).has(VPCS), nameIn(draft)]).toEqual([false, "old"]);
    });

    test("is not asked for by what a team may have written", () => {
      const names = { ...recordedAs(), apiVersion: "v1", kind: "ConfigMap" };
      const namespace = "team-a";
      const metadata = { ...(names.metadata as JsonObject), namespace };
      const xr = anew({ metadata: { name: "shop", namespace } });
      const answers = { "adoption/predecessors/ConfigMap": [{ ...names, metadata }], "names/record": [] };
      const capabilities = ["RequiredResources"] as const;
      const asked = requirementsIn(draftOf({ xr, answers, capabilities }));
      expect([...asked.keys()].filter((name) => name.startsWith("adoption/recorded/"))).toEqual([]);
    });
  });

  const ofClaim = { "crossplane.io/composite": "shop-before", [RECORD_LABEL]: claims };
  test.each([
    ["as it was restored", { "crossplane.io/composite": XR }],
    ["as it was exported, from another XR of the same claim", ofClaim],
  ])("is the XR's record, %s: what it was bound to stays", (_reason, labels) => {
    const kept = { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders" };
    const annotations = { "crossplane.io/composition-resource-name": RECORD_NAME };
    const record = {
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      metadata: { name: "record", labels, annotations },
      ...boundTo({ db: kept }),
    };
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
  const known = anew({ spec: { parameters: { database: "orders" }, resourceRefs } });
  const { metadata: _, ...nameless } = bucket;
  const parts = { spec: { externalNames: { requireRecord: true } }, desired: { bucket: nameless } };
  const held = draftOf({ ...parts, xr: known, answers: { [BUCKETS]: [] } });
  const found = draftOf({ ...parts, xr: known, answers: { [BUCKETS]: [restored("old")] } });
  expect([held.resources.get("bucket")?.is, nameIn(found)]).toEqual(["removed", "old"]);
});

describe("a copy to which a team has its XR lose the reference", () => {
  const OBJECTS = "adoption/predecessors/Object";
  const uid = "uid-of-xr";
  const controlled = { ownerReferences: [{ kind: "XShop", name: XR, uid, controller: true }] };
  /** The Object as it is there, and goes on following its Secret. */
  const copyAt = (key: string, metadata: JsonObject = {}) => {
    const object = observedObject({ ready: "True" });
    const annotations = { "crossplane.io/composition-resource-name": key, ...recorded() };
    const labels = { "crossplane.io/composite": XR };
    return {
      ...object,
      metadata: { name: key.replaceAll("/", "-"), uid: key, labels, annotations, ...controlled, ...metadata },
    };
  };
  const OLD = "shared/db/team-a/old";
  const revoked = { db: [database({ annotations: {} })] };
  const mine = anew({ metadata: { name: XR, uid } });
  const asked = (draft: Draft) => draft.resources.get(OLD);
  const partsWith = (copies: readonly JsonObject[], more: CallParts = {}): CallParts => ({
    xr: mine,
    desired: {},
    sharedResources: [shared()],
    answers: { db: [database()], [OBJECTS]: copies, ...more.answers },
    spec: {},
  });
  const withRevoked = partsWith([copyAt(OLD)], { answers: revoked });
  const unmarked = { annotations: { "crossplane.io/composition-resource-name": OLD } };
  test.each<[reason: string, isFound: boolean, parts: CallParts]>([
    ["has another target now, in the same edit", true, partsWith([copyAt(OLD)])],
    ["was revoked meanwhile", true, withRevoked],
    ["was revoked, beside adoption", true, { ...withRevoked, spec: { adoption: {} } }],
    ["is another XR's", false, partsWith([copyAt(OLD, { ownerReferences: [{ uid: "other", controller: true }] })])],
    ["is being deleted", false, partsWith([copyAt(OLD, GOING)])],
    ["was composed by another XR", false, partsWith([copyAt(OLD, manager("other") as JsonObject)])],
    ["is no copy", false, partsWith([copyAt(OLD, unmarked)])],
  ])("is desired once more, so that it is deleted, or not: it %s", (_reason, isFound, parts) => {
    const draft = draftOf(parts);
    expect(asked(draft)?.is).toBe(isFound ? "set" : undefined);
    if (isFound) expect(nameIn(draft, OLD)).toBe("shared-db-team-a-old");
  });

  describe("in the name of Crossplane's field manager", () => {
    const resourceRefs = [{ apiVersion: "v1", kind: "ConfigMap", name: "record" }];
    const fieldsV1 = { "f:spec": { "f:crossplane": { "f:resourceRefs": {} } } };
    const managedFields = [{ manager: "apiextensions.crossplane.io/composite", fieldsV1 }];
    const forging = (more: JsonObject = {}) =>
      anew({
        metadata: { name: XR, namespace: "team-a", uid, managedFields, ...more },
        spec: { ...(anew()["spec"] as JsonObject), crossplane: { resourceRefs } },
      });
    const spec = anew()["spec"] as JsonObject;
    const clusterScoped = anew({ metadata: { name: XR, uid }, spec: { ...spec, resourceRefs } });
    const parts = { capabilities: ["RequiredResources"] as const };
    test.each<[reason: string, isFound: boolean, parts: CallParts]>([
      ["in a namespace, and was revoked", true, { ...withRevoked, xr: forging() }],
      ["in a namespace, and there is another target", true, { ...partsWith([copyAt(OLD)]), xr: forging() }],
      ["of an XR that is being deleted", false, { ...partsWith([copyAt(OLD)]), xr: forging(GOING) }],
      ["of a cluster-scoped XR, which no team writes", false, { ...partsWith([copyAt(OLD)]), xr: clusterScoped }],
    ])("is found or not: %s", (_reason, isFound, { answers, ...more }) => {
      const draft = draftOf({ ...parts, ...more, answers: { ...answers, "names/record": [] } });
      expect(asked(draft)?.is).toBe(isFound ? "set" : undefined);
    });

    test("is looked for by its kind alone, and stops no XR where it is observed", () => {
      const twin = copyAt(OLD, { name: "twin", uid: "twin" });
      const draft = draftOf({
        ...parts,
        ...partsWith([copyAt(OLD), twin]),
        xr: forging(),
        observed: { [OLD]: copyAt(OLD) },
        desired: { bucket },
      });
      expect([...requirementsIn(draft).keys()].filter((name) => name.startsWith("adoption/"))).toEqual([OBJECTS]);
      expect(fatalsIn(draft)).toEqual([]);
    });
  });

  test("goes in the next reconcile, in which it is referred to", () => {
    const copies = { apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" };
    const resourceRefs = [{ ...copies, name: "shared-db-team-a-old" }];
    const fieldsV1 = { "f:spec": { "f:resourceRefs": {} } };
    const managedFields = [{ manager: "apiextensions.crossplane.io/composite", fieldsV1 }];
    const spec = { ...(anew()["spec"] as JsonObject), resourceRefs };
    const xr = anew({ metadata: { name: XR, uid, managedFields }, spec });
    const observed = { [OLD]: copyAt(OLD) };
    expect(asked(draftOf({ ...partsWith([], { answers: revoked }), xr, observed }))).toBeUndefined();
  });
});

const push = { apiVersion: "external-secrets.io/v1alpha1", kind: "PushSecret", spec: { to: "now" } };
const mark = JSON.stringify({ db: { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders" } });
const annotations = { "crossplane.io/composition-resource-name": "push", [`${DOMAIN}/depends-on`]: mark };
const there = {
  ...push,
  metadata: { name: "push-1", uid: "push", labels: { "crossplane.io/composite": XR }, annotations },
  spec: { to: "before" },
};
const draftWith = (db: JsonObject, spec: JsonObject, desired: Readonly<Record<string, JsonObject>> = { push }) => {
  const { connection: _, ...share } = shared({ dependents: ["pus*"] });
  const answers = { db: [db], "adoption/predecessors/PushSecret": [there] };
  return desiredOf(draftOf({ xr: anew(), desired, sharedResources: [share], answers, spec }), "push");
};

test.each<[reason: string, db: JsonObject, spec: JsonObject, to: string]>([
  ["is taken over while the grant stands", database(), {}, "now"],
  ["is desired once more as it is after that, so that it is deleted", database({ annotations: {} }), {}, "before"],
  ["is so beside adoption, too", database({ annotations: {} }), { adoption: {} }, "before"],
])("a dependent to which a team has its XR lose the reference %s", (_reason, db, spec, to) => {
  const found = draftWith(db, spec);
  expect([at(found, "metadata.name"), found["spec"]]).toEqual(["push-1", { to }]);
});

test.each<[reason: string, db: JsonObject, to: string]>([
  ["is taken over while the grant stands", database(), "now"],
  ["is desired once more as it is after the revocation", database({ annotations: {} }), "before"],
])(
  "a dependent of which a team takes the reference in the name of Crossplane's field manager %s",
  (_reason, db, to) => {
    const resourceRefs = [{ apiVersion: "v1", kind: "ConfigMap", name: "record" }];
    const xr = anew({
      metadata: { name: XR, namespace: "team-a", uid: "uid-of-xr" },
      spec: { ...(anew()["spec"] as JsonObject), crossplane: { resourceRefs } },
    });
    const { connection: _, ...share } = shared({ dependents: ["pus*"] });
    const mine = { ...there, metadata: { ...there.metadata, namespace: "team-a" } };
    const answers = { db: [db], "adoption/predecessors/PushSecret": [mine] };
    const capabilities = ["RequiredResources"] as const;
    const parts = { xr, desired: { push }, sharedResources: [share], answers, spec: {}, capabilities };
    const found = desiredOf(draftOf(parts), "push");
    expect([at(found, "metadata.name"), found["spec"]]).toEqual(["push-1", { to }]);
  },
);

test("a record that two labels find is one", () => {
  const labels = { "crossplane.io/composite": XR, [RECORD_LABEL]: recordOf(toComposite(documentOf(anew()))) };
  const annotations = { "crossplane.io/composition-resource-name": RECORD_NAME };
  const kind = { apiVersion: "apiextensions.crossplane.io/v1beta1", kind: "EnvironmentConfig" };
  const record = { ...kind, metadata: { name: "shop-rec", uid: "1", labels, annotations }, data: {} };
  const other = { ...kind, data: { own: true } };
  const draft = draftOf({
    desired: { config: other },
    sharedResources: [shared()],
    answers: { db: [database()], "adoption/predecessors/EnvironmentConfig": [record] },
  });
  expect([reasonIn(draft), nameIn(draft, RECORD_NAME)]).toEqual(["WaitingForCopies", "shop-rec"]);
  expect(fatalsIn(draft)).toEqual([]);
});

describe("the record of a namespaced XR whose references a team has taken away", () => {
  const BOUND = JSON.stringify([
    { apiVersion: "data.example.org/v1", kind: "XPostgres", name: "orders", access: "Granted" },
  ]);
  const record = (name: string, by: JsonObject) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", data: { db: BOUND } },
    metadata: {
      ...{ name, uid: name, namespace: "team-a", labels: { "crossplane.io/composite": XR } },
      annotations: { "crossplane.io/composition-resource-name": RECORD_NAME },
      ...by,
    },
  });
  const patches = [{ fromFieldPath: "status.endpoint", toCompositeFieldPath: "status.endpoint" }];
  const select = { name: { fromCompositeFieldPath: "spec.parameters.database" } };
  const { connection: _, ...fields } = shared({ patches, select, resolution: "Optional" });
  const draftWith = (spec: JsonObject, records: readonly JsonObject[], db: JsonObject, share: JsonObject) =>
    draftOf({
      xr: {
        ...anew({ metadata: { name: XR, namespace: "team-a", uid: "uid-of-xr" } }),
        spec,
        status: { endpoint: "e" },
      },
      desired: {},
      sharedResources: [share],
      capabilities: ["RequiredResources"],
      answers: { db: [db], "db/recorded": [db], "adoption/predecessors/ConfigMap": records },
      spec: {},
    });

  test("is the first one, where the team has its XR make two, and the XR goes on", () => {
    const spec = { ...(anew()["spec"] as JsonObject), crossplane: {} };
    const two = [record("second", manager(XR)), record("first", manager(XR))];
    const draft = draftWith(spec, two, database(), shared());
    expect([fatalsIn(draft), nameIn(draft, RECORD_NAME)]).toEqual([[], "first"]);
  });

  test.each<[reason: string, endpoint: string | undefined, db: JsonObject, by: JsonObject]>([
    ["keeps the status while the grant stands", "e", database({ status: { endpoint: "e" } }), {}],
    ["takes the status along with the grant", undefined, database({ annotations: {} }), {}],
    ["takes it along, with managed fields", undefined, database({ annotations: {} }), manager(XR)],
  ])("is found though the XR names nothing, and %s", (_reason, endpoint, db, by) => {
    const draft = draftWith({ crossplane: {} }, [record("record", by)], db, fields);
    expect(at(withValues({}, draft.composite), "status.endpoint")).toBe(endpoint);
  });
});

describe("two resources that were composed under one name", () => {
  const two = { [BUCKETS]: [restored("old"), restored("older")] };
  const words =
    "bucket (Bucket.s3.aws.upbound.io/old and Bucket.s3.aws.upbound.io/older): this XR composed all of them before it was " +
    "restored, and can keep one: delete the others (if they share a cloud resource, first set deletionPolicy Orphan, or " +
    "managementPolicies without Delete), or remove the label crossplane.io/composite from them, and the reference from the XR where " +
    "it refers to one; without the label they go on writing to the cloud";
  const fatal = (draft: Draft) => draft.results.filter(({ severity }) => severity === "Fatal");
  const stopped = [{ reason: "Duplicated", message: expect.stringContaining(words) }];

  test("stop the XR, which is told what a person has to do", () => {
    const draft = draftOf({ answers: two });
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "Duplicated", message: words }]);
    expect(fatal(draft)).toMatchObject(stopped);
  });

  test("stop it in a step without adoption, too", () => {
    const draft = draftOf({ spec: { externalNames: {} }, answers: two });
    expect(fatal(draft)).toMatchObject(stopped);
  });

  test("do not any more when one of them is left", () => {
    const draft = draftOf({ answers: { [BUCKETS]: [restored("older")] } });
    expect([fatal(draft), nameIn(draft)]).toEqual([[], "older"]);
  });

  const uid = "uid-of-xr";
  const controlled = { ownerReferences: [{ kind: "XShop", name: XR, uid, controller: true }] };
  const writtenBy = (manager: string): JsonObject => {
    const fieldsV1 = { "f:spec": { "f:resourceRefs": {} } };
    const resourceRefs = [{ apiVersion: bucket["apiVersion"] as string, kind: "Bucket", name: "old" }];
    return anew({ metadata: { name: XR, uid, managedFields: [{ manager, fieldsV1 }] }, spec: { resourceRefs } });
  };
  const theirs = { ownerReferences: [{ controller: true }] };
  test.each<[reason: string, is: string, by: string, live?: JsonObject]>([
    ["a restore has set the references back", "Duplicated", "velero", controlled],
    ["another XR controls the other", "Adopted", "velero", theirs],
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
    expect(draft.conditions).toMatchObject([{ reason: "Duplicated" }]);
    expect(draft.conditions[0]?.message).toBe(
      "bucket (Bucket.s3.aws.upbound.io/old and Bucket.s3.aws.upbound.io/live): this XR still refers to " +
        "Bucket.s3.aws.upbound.io/old, which has lost the label crossplane.io/composite: to keep the other, remove the reference " +
        "from the XR, too; otherwise set the label again",
    );
  });

  test("of which a restored claim's XR controls one is none: it goes on with it", () => {
    const xr = anew({ metadata: { name: XR, uid } });
    const draft = draftOf({ xr, answers: { [BUCKETS]: [restored("live", controlled)] } });
    expect([fatal(draft), nameIn(draft)]).toEqual([[], "live"]);
  });
});
