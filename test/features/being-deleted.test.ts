import { expect, test } from "vitest";
import { keepIdentities } from "../../src/features/being-deleted.ts";
import { emptyDraft } from "../../src/model/draft.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { run } from "../../src/pipeline.ts";
import { type CallParts, callOf } from "../../testing/builders/calls.ts";
import { objectOf } from "../../testing/builders/kubernetes.ts";
import { at, desiredOf, policiesOf } from "../../testing/builders/read-draft.ts";
import { runFeature } from "../../testing/builders/run-feature.ts";
import { shared } from "../../testing/builders/sharing.ts";

const GOING = { deletionTimestamp: "2026-01-02T00:00:00Z" };
const named = (name: string): JsonObject => ({ annotations: { "crossplane.io/external-name": name } });
const config = { providerConfigRef: { name: "default" } };
const resource = (apiVersion: string, kind: string, metadata: JsonObject, spec: JsonObject): JsonObject =>
  objectOf(apiVersion, kind, metadata, { spec });
const bucket = (metadata: JsonObject, forProvider: JsonObject = { region: "eu-west-1" }, more: JsonObject = {}) =>
  resource("s3.aws.upbound.io/v1beta2", "Bucket", metadata, { forProvider, ...more });
const observedAs = (metadata: JsonObject, more: JsonObject = {}) =>
  bucket({ name: "bucket-k2p", ...metadata }, undefined, { ...config, ...more });
const ofUnknownKind = (metadata: JsonObject, forProvider: JsonObject, more: JsonObject = {}) =>
  resource("cache.example.org/v1", "Cluster", metadata, { forProvider, ...more });
const attachment = (metadata: JsonObject, name: string, more: JsonObject = {}) =>
  resource("iam.aws.upbound.io/v1beta1", "RolePolicyAttachment", metadata, {
    forProvider: { role: name, policyArn: "arn" },
    ...more,
  });
const NAME = "metadata.annotations[crossplane.io/external-name]";
const [going, goingAsMine] = [observedAs(GOING), observedAs({ ...named("mine"), ...GOING })];
const inOther = bucket(named("mine"), undefined, { providerConfigRef: { name: "other" } });
const forced = bucket(named("mine"), { region: "eu-west-1", forceDestroy: true });
const attached = attachment({ name: "a", ...GOING }, "mine", config);
const roleRef = { name: "victim", policy: { resolve: "Always" } };
const referring = attachment({}, "mine", { forProvider: { policyArn: "arn", roleRef } });
const initially = (initProvider: JsonObject) => attachment({}, "mine", { initProvider });
const selecting = initially({ roleSelector: { matchLabels: { team: "victim" } } });
const ofVictim = ofUnknownKind({}, { clusterName: "victim" });
const clusterOf = (forProvider: JsonObject) => ofUnknownKind({ name: "c", ...GOING }, forProvider, config);
const protectedOne = clusterOf({ clusterName: "mine", protected: true });
const open = ofUnknownKind({}, { clusterName: "mine", protected: false });
const [FIELDS, INITIAL, CLUSTER_NAME] = ["spec.forProvider", "spec.initProvider", "spec.forProvider.clusterName"];
const attachedOnly = { policyArn: "arn", role: "mine" };
type Row = [kept: string, desired: JsonObject, observed: JsonObject, path: string, value: unknown];
test.each<Row>([
  ["its external name", bucket(named("victim")), goingAsMine, NAME, "mine"],
  ["that it has no external name", bucket(named("victim")), going, NAME, undefined],
  ["its region", bucket(named("mine"), { region: "us-east-1" }), goingAsMine, "spec.forProvider.region", "eu-west-1"],
  ["its ProviderConfig", inOther, going, "spec.providerConfigRef.name", "default"],
  ["what it is attached to", attachment({}, "victim"), attached, "spec.forProvider.role", "mine"],
  ["no reference to another one, which its provider would resolve", referring, attached, FIELDS, attachedOnly],
  ["no selector of another one", selecting, attached, INITIAL, undefined],
  ["no parent from initProvider", initially({ role: "victim" }), attached, INITIAL, undefined],
  ["all texts of a kind that no table lists", ofVictim, clusterOf({ clusterName: "mine" }), CLUSTER_NAME, "mine"],
  ["but not its switches, for which a deletion may wait", open, protectedOne, "spec.forProvider.protected", false],
  ["and takes every other field", forced, goingAsMine, "spec.forProvider.forceDestroy", true],
])("a managed resource that is being deleted keeps %s", (_kept, desired, observed, path, value) => {
  const one = { desired: { bucket: desired }, observed: { bucket: observed } };
  const call = callOf({ sharedResources: [], ...one, spec: { externalNames: {} } });
  const draft = runFeature(keepIdentities, call);
  expect(at(desiredOf(draft), path)).toEqual(value);
});

const desired = { bucket: bucket(named("new")) };
const composes = { crossplane: {}, providerConfigRef: {} };
const xr = resource("apps.example.org/v1", "Shop", { name: "shop", ...GOING }, composes);
const toResource = { name: "bucket", fieldPath: "spec.a" };
const patched = shared({ patches: [{ fromFieldPath: "status.a", toResource }] });
test.each<[reason: string, isKept: boolean, parts: CallParts]>([
  ["that is not being deleted", true, { observed: { bucket: observedAs(named("mine")) }, tags: {} }],
  ["in whose place an object of another kind is", true, { observed: { bucket: xr }, tags: {} }],
  ["that is a nested XR", true, { desired: { bucket: xr }, observed: { bucket: xr }, tags: {} }],
  ["where this step neither tags, names nor patches", true, { observed: { bucket: goingAsMine } }],
  ["unless this step tags it", false, { observed: { bucket: goingAsMine }, tags: {} }],
  ["or keeps its name", false, { observed: { bucket: goingAsMine }, spec: { externalNames: {} } }],
  ["or patches it", false, { observed: { bucket: goingAsMine }, sharedResources: [patched] }],
])("a desired resource stays as it is: %s", (_reason, isKept, parts) => {
  const draft = runFeature(keepIdentities, callOf({ sharedResources: [], desired, ...parts }));
  expect(draft === emptyDraft).toBe(isKept);
});

test("a bucket that is being deleted does not take the victim's name and keep all policies", () => {
  const policies = { managementPolicies: ["*"] };
  const parts = { desired: { bucket: bucket(named("victim")) }, tags: { add: [{ key: "team", value: "red" }] } };
  const observed = { bucket: observedAs({ uid: "1", ...named("mine"), ...GOING }, policies) };
  const draft = runFeature(run, callOf({ sharedResources: [], ...parts, observed, contenders: [observed.bucket] }));
  expect(at(desiredOf(draft), NAME)).toBe("mine");
  expect(policiesOf(draft)).toEqual(["*"]);
});
