import { describe, expect, test } from "vitest";
import { toComposite } from "../../src/crossplane/composite.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { run } from "../../src/pipeline.ts";
import { NAMES_NAME, namesRecordName, readNames } from "../../src/records/names-record.ts";
import { recordId } from "../../src/records/record.ts";
import { type ComposedParts, composedCall, externallyNamed, recordOf, store } from "../../testing/builders/composed.ts";
import { at, desiredOf, requirementsIn } from "../../testing/builders/read-draft.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { CREATED } from "../../testing/builders/tags.ts";

/** The record of names, which an XR keeps for the day on which what it composed, or its cluster, is lost. */

const draftOf = ({ spec = { externalNames: {} }, ...parts }: Partial<ComposedParts>) =>
  runFeature(run, composedCall({ spec, ...parts }));

const apiVersion = "ec2.aws.upbound.io/v1beta1";
const kind = "VPC.ec2.aws.upbound.io";
const desired: JsonObject = { apiVersion, kind: "VPC", spec: { forProvider: {} } };
const vpc = (annotations: JsonObject = {}, metadata: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  ...desired,
  metadata: { name: "store-a1", annotations, ...metadata },
  spec: { forProvider: {}, managementPolicies: ["*"], ...spec },
});
const name = "crossplane.io/external-name";
const vpc1 = { [name]: "vpc-1" };
const entry = { kind, apiVersion, name: "store-a1", externalName: "vpc-1" };
const namesIn = (draft: ReturnType<typeof draftOf>) =>
  Object.fromEntries(readNames(documentOf(desiredOf(draft, NAMES_NAME))));

describe("the record of names", () => {
  test("has the names of all that is composed, in an object that a rebuilt cluster finds", () => {
    const draft = draftOf({ observed: { vpc: vpc(vpc1) }, desired: { vpc: desired } });
    const name = namesRecordName(recordId(toComposite(documentOf(store()))));
    const labels = { "shared-infrastructure.fn.crossplane.io/record-of": name.split("-").at(-1) };
    expect(desiredOf(draft, NAMES_NAME)).toEqual({
      apiVersion: "apiextensions.crossplane.io/v1beta1",
      kind: "EnvironmentConfig",
      metadata: { name, labels },
      data: { vpc: JSON.stringify({ resource: "vpc", ...entry }) },
    });
  });

  test("is found by the name of the claim, whatever the XR of it is called, and by no uid", () => {
    const spec = { claimRef: { kind: "Store", namespace: "team-a", name: "shop" } };
    const claimed = (xr: string, uid: string, root = xr) => {
      const labels = { "crossplane.io/claim-namespace": "team-a", "crossplane.io/composite": root };
      return recordId(toComposite(documentOf({ ...store(), metadata: { name: xr, uid, labels }, spec })));
    };
    expect(claimed("shop-x1", "1")).toBe(claimed("shop-y2", "2"));
    // A Composition has copied the claim's reference to nested XRs.
    expect(claimed("shop-x1", "1", "root")).not.toBe(claimed("shop-y2", "2", "root"));
  });

  const orphan = { deletionPolicy: "Orphan" };
  const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  const explicit = { deletionPolicy: "Orphan", managementPolicies: ["Observe", "Create", "Update", "Delete"] };
  const before = recordOf({ vpc: entry });
  const paused = { ...vpc1, "crossplane.io/paused": "true" };
  const here = (found: JsonObject, it = desired) => ({ observed: { ...before, vpc: found }, desired: { vpc: it } });
  const odd = ["__proto__", "a/b"];
  const each = (value: JsonObject) => Object.fromEntries(odd.map((key) => [key, value]));
  const renamed = { ...desired, ...externallyNamed("vpc-2") };
  const nameless = { kind, apiVersion, name: "store-a1" };
  const adopting = { spec: { adoption: {} }, observed: { vpc: vpc(vpc1) }, desired: { vpc: desired } };
  const observing = { managementPolicies: ["Observe"] };
  const identified = { labels: { "shared-infrastructure.fn.crossplane.io/identity": "x" } };
  const other = { ...vpc({ [name]: "vpc-9" }), kind: "Subnet" };
  const inPlace = { observed: { vpc: other }, desired: { vpc: desired } };
  const labelled = (marks: JsonObject) => ({
    observed: { vpc: vpc(marks, identified, observing) },
    desired: { vpc: { ...desired, metadata: identified } },
  });
  const createdHere = { ...vpc1, ...CREATED };
  const noEntries = { a: { kind, name: "../a" }, b: { name: "b" }, c: { kind, name: 1 } };
  test.each<[reason: string, parts: Partial<ComposedParts>, has: JsonObject]>([
    ["keeps what is neither observed nor desired at the moment", { observed: before }, { vpc: entry }],
    ["forgets what is observed and no longer desired", { observed: { ...before, vpc: vpc() } }, {}],
    ["forgets what is deleted together with its cloud resource", here(vpc({}, deleted)), {}],
    ["keeps what is deleted without its cloud resource", here(vpc(vpc1, deleted, orphan)), { vpc: entry }],
    ["forgets what is deleted by an explicit Delete, in spite of Orphan", here(vpc(vpc1, deleted, explicit)), {}],
    ["keeps what is deleted while it is paused: its provider does nothing", here(vpc(paused, deleted)), { vpc: entry }],
    ["takes the name that the pipeline sets", here(vpc(), renamed), { vpc: { ...entry, externalName: "vpc-2" } }],
    ["keeps its name beside another that is observed", here(vpc({ [name]: "vpc-2" })), { vpc: entry }],
    ["has no external name from a step with adoption only", adopting, { vpc: nameless }],
    ["has no entry of an object of another kind in the place of what is desired", inPlace, {}],
    ["has no external name of an owner's", labelled(vpc1), { vpc: nameless }],
    ["has that of what ours created and only observes", labelled(createdHere), { vpc: entry }],
    ["leaves out what is no entry", { observed: recordOf({ vpc: entry, ...noEntries }) }, { vpc: entry }],
    ["has resources with odd names", { observed: each(vpc(vpc1)), desired: each(desired) }, each(entry)],
  ])("%s", (_reason, parts, has) => {
    expect(namesIn(draftOf(parts))).toEqual(has);
  });
});

const APPLIED = "names/record";
const PREDECESSORS = "adoption/predecessors/EnvironmentConfig";
/** An exported record, as it was applied to a rebuilt cluster. */
const exported = (metadata: JsonObject = {}, names: Readonly<Record<string, JsonObject>> = { vpc: entry }) => {
  const [record] = Object.values(recordOf(names));
  const id = recordId(toComposite(documentOf(store())));
  const labels = { "shared-infrastructure.fn.crossplane.io/record-of": id };
  const annotations = { "crossplane.io/composition-resource-name": NAMES_NAME };
  return [{ ...record, metadata: { name: namesRecordName(id), labels, annotations, ...metadata } }];
};
const composed = (draft: ReturnType<typeof draftOf>) => {
  if (draft.resources.get("vpc")?.is === "removed") return [draft.conditions[0]?.reason];
  const object = draft.resources.has("vpc") ? desiredOf(draft, "vpc") : desired;
  return [at(object, "metadata.name"), at(object, `metadata.annotations[${name}]`), draft.conditions[0]?.reason];
};
/** An XR that Crossplane has reconciled before. */
const references = { resourceRefs: [{ apiVersion, kind: "VPC", name: "store-a1" }] };
const known = store({ spec: references });
const inTeam = store({
  metadata: { ...(known["metadata"] as JsonObject), namespace: "team", managedFields: [] },
  spec: { crossplane: references },
});
const restored = ["store-a1", "vpc-1", "RestoredFromRecord"];
const none = [undefined, undefined, "Pinned"];
const unnamed = [undefined, undefined, "WaitingForNames"];

describe("what is recorded, desired and not observed", () => {
  const lost = { xr: known, desired: { vpc: desired }, observed: recordOf({ vpc: entry }) };
  const other = { ...entry, externalName: "vpc-9" };
  const owner = (uid: string) => ({ ownerReferences: [{ kind: "XStore", name: "store", uid, controller: true }] });
  const wanted = { vpc: desired };
  const rebuilt = (record: readonly JsonObject[]) => ({ desired: wanted, answers: { [PREDECESSORS]: record } });
  const subnet = recordOf({ vpc: { ...entry, kind: "Subnet.ec2.aws.upbound.io" } });
  const forged = { ...recordOf({ vpc: entry })[NAMES_NAME], metadata: { name: "settings", namespace: "team-a" } };
  const byAnnotation = { ...lost, observed: { [NAMES_NAME]: forged } };
  const mine = { ...lost, desired: { vpc: { ...desired, metadata: { name: "mine" } } } };
  const byTeam = { ...lost, xr: inTeam, answers: { [APPLIED]: [] } };
  const production = { ...byTeam, observed: recordOf({ vpc: { kind, name: "prod" } }) };
  const applied = { xr: inTeam, desired: lost.desired, observed: recordOf({}), answers: { [APPLIED]: exported() } };
  const disputed = { ...byTeam, answers: { [APPLIED]: exported({}, { vpc: other }) } };
  test.each<[reason: string, parts: Partial<ComposedParts>, is: readonly unknown[]]>([
    ["is composed under its names", lost, restored],
    ["is so in a cluster that is rebuilt, from the record that was applied", rebuilt(exported()), restored],
    ["is so where its XR has lost its references", rebuilt(exported(owner("uid-now"))), restored],
    ["gets none from the record of an XR that was deleted", rebuilt(exported(owner("gone"))), none],
    ["gets none from the record of another XR", rebuilt(exported({ labels: {} })), none],
    ["gets no name of another kind", { ...lost, observed: subnet }, none],
    ["gets none from an object in a team's namespace that the team calls the record", byAnnotation, none],
    ["keeps a name that the pipeline sets", mine, ["mine", "vpc-1", "RestoredFromRecord"]],
    ["is not created by a team's word alone", byTeam, ["WaitingForRecord"]],
    ["gets no metadata.name by a team's word, which may be taken for the external name", production, none],
    ["is composed in a namespace as an operator's record says", applied, restored],
    ["is not created where a team says another name than the operator", disputed, ["WaitingForRecord"]],
  ])("%s", (_reason, parts, is) => {
    expect(composed(draftOf(parts))).toEqual(is);
  });

  test("costs a requirement only in a namespace, while something is missing", () => {
    const asked = [
      { xr: known },
      { xr: inTeam },
      { xr: inTeam, observed: { vpc: vpc(vpc1), ...recordOf({ vpc: entry }) } },
    ].map((parts) => [...requirementsIn(draftOf({ desired: { vpc: desired }, ...parts })).keys()]);
    expect(asked).toEqual([[], [APPLIED], []]);
  });
});

const spec = { externalNames: { requireRecord: true } };
const bucket = { apiVersion: "s3.aws.upbound.io/v1beta2", kind: "Bucket", spec: { forProvider: {} } };
const object = { ...bucket, apiVersion: "kubernetes.crossplane.io/v1alpha2", kind: "Object" };
const decoy = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } };
test.each<[reason: string, parts: Partial<ComposedParts>, is: readonly unknown[]]>([
  ["holds back what its provider names, and no record", { desired: { vpc: desired } }, ["WaitingForRecord"]],
  ["holds back what Crossplane names anew, and no record", { desired: { vpc: bucket } }, ["WaitingForRecord"]],
  ["holds back a ConfigMap's resource", { desired: { vpc: bucket }, observed: { vpc: decoy } }, ["WaitingForRecord"]],
  ["creates what is recorded", { desired: { vpc: desired }, answers: { [PREDECESSORS]: exported() } }, restored],
  ["creates what the pipeline names", { desired: { vpc: { ...desired, ...externallyNamed("vpc-2") } } }, none],
  ["creates what has a name of its own", { desired: { vpc: { ...bucket, metadata: { name: "mine" } } } }, none],
  ["creates an Object, whose manifest has the name", { desired: { vpc: object } }, none],
  ["leaves what exists", { observed: { vpc: vpc() }, desired: { vpc: desired } }, unnamed],
])("requireRecord: %s", (_reason, parts, is) => {
  const draft = draftOf({ spec, ...parts });
  expect([composed(draft), draft.compositeReady]).toEqual([is, is.length === 1 ? "False" : undefined]);
});
