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
const resource = (apiVersion: string, kind: string, metadata: JsonObject, spec: JsonObject): JsonObject =>
  objectOf(apiVersion, kind, metadata, { spec });
const bucket = (metadata: JsonObject, forProvider: JsonObject = { region: "eu-west-1" }, more: JsonObject = {}) =>
  resource("s3.aws.upbound.io/v1beta2", "Bucket", metadata, { forProvider, ...more });
const observedAs = (metadata: JsonObject, more: JsonObject = {}) =>
  bucket({ name: "bucket-k2p", ...metadata }, undefined, { providerConfigRef: { name: "default" }, ...more });
const ofUnknownKind = (metadata: JsonObject, forProvider: JsonObject, more: JsonObject = {}) =>
  resource("cache.example.org/v1", "Cluster", metadata, { forProvider, ...more });

const config = { providerConfigRef: { name: "default" } };
const role = { apiVersion: "iam.aws.upbound.io/v1beta1", kind: "RolePolicyAttachment" };
const attachment = (metadata: JsonObject, name: string, more: JsonObject = {}) =>
  resource(role.apiVersion, role.kind, metadata, { forProvider: { role: name, policyArn: "arn" }, ...more });
type Row = [kept: string, desired: JsonObject, observed: JsonObject, path: string, value: unknown];
test.each<Row>([
  [
    "its external name",
    bucket(named("victim")),
    observedAs({ ...named("mine"), ...GOING }),
    "metadata.annotations[crossplane.io/external-name]",
    "mine",
  ],
  [
    "that it has no external name",
    bucket(named("victim")),
    observedAs(GOING),
    "metadata.annotations[crossplane.io/external-name]",
    undefined,
  ],
  [
    "its region",
    bucket(named("mine"), { region: "us-east-1" }),
    observedAs({ ...named("mine"), ...GOING }),
    "spec.forProvider.region",
    "eu-west-1",
  ],
  [
    "its ProviderConfig",
    bucket(named("mine"), undefined, { providerConfigRef: { name: "other" } }),
    observedAs(GOING),
    "spec.providerConfigRef.name",
    "default",
  ],
  [
    "what it is attached to",
    attachment({}, "victim"),
    attachment({ name: "a", ...GOING }, "mine", config),
    "spec.forProvider.role",
    "mine",
  ],
  [
    "no reference to another one, which its provider would resolve",
    attachment({}, "mine", {
      forProvider: { policyArn: "arn", roleRef: { name: "victim", policy: { resolve: "Always" } } },
    }),
    attachment({ name: "a", ...GOING }, "mine", config),
    "spec.forProvider",
    { policyArn: "arn", role: "mine" },
  ],
  [
    "no selector of another one",
    attachment({}, "mine", { initProvider: { roleSelector: { matchLabels: { team: "victim" } } } }),
    attachment({ name: "a", ...GOING }, "mine", config),
    "spec.initProvider",
    undefined,
  ],
  [
    "no parent from initProvider",
    attachment({}, "mine", { initProvider: { role: "victim" } }),
    attachment({ name: "a", ...GOING }, "mine", config),
    "spec.initProvider",
    undefined,
  ],
  [
    "all texts of a kind that no table lists",
    ofUnknownKind({}, { clusterName: "victim" }),
    ofUnknownKind({ name: "c", ...GOING }, { clusterName: "mine" }, config),
    "spec.forProvider.clusterName",
    "mine",
  ],
  [
    "but not its switches, for which a deletion may wait",
    ofUnknownKind({}, { clusterName: "mine", protected: false }),
    ofUnknownKind({ name: "c", ...GOING }, { clusterName: "mine", protected: true }, config),
    "spec.forProvider.protected",
    false,
  ],
  [
    "and takes every other field",
    bucket(named("mine"), { region: "eu-west-1", forceDestroy: true }),
    observedAs({ ...named("mine"), ...GOING }),
    "spec.forProvider.forceDestroy",
    true,
  ],
])("a managed resource that is being deleted keeps %s", (_kept, desired, observed, path, value) => {
  const call = callOf({
    sharedResources: [],
    desired: { bucket: desired },
    observed: { bucket: observed },
    spec: { externalNames: {} },
  });
  const draft = runFeature(keepIdentities, call);
  expect(at(desiredOf(draft), path)).toEqual(value);
});

const desired = { bucket: bucket(named("new")) };
const xr = resource(
  "apps.example.org/v1",
  "Shop",
  { name: "shop", ...GOING },
  { crossplane: {}, providerConfigRef: {} },
);
const patched = shared({
  patches: [{ fromFieldPath: "status.a", toResource: { name: "bucket", fieldPath: "spec.a" } }],
});
const going = { bucket: observedAs({ ...named("mine"), ...GOING }) };
test.each<[reason: string, isKept: boolean, parts: CallParts]>([
  ["that is not being deleted", true, { observed: { bucket: observedAs(named("mine")) }, tags: {} }],
  ["in whose place an object of another kind is", true, { observed: { bucket: xr }, tags: {} }],
  ["that is a nested XR", true, { desired: { bucket: xr }, observed: { bucket: xr }, tags: {} }],
  ["where this step neither tags, names nor patches", true, { observed: going }],
  ["unless this step tags it", false, { observed: going, tags: {} }],
  ["or keeps its name", false, { observed: going, spec: { externalNames: {} } }],
  ["or patches it", false, { observed: going, sharedResources: [patched] }],
])("a desired resource stays as it is: %s", (_reason, isKept, parts) => {
  const draft = runFeature(keepIdentities, callOf({ sharedResources: [], desired, ...parts }));
  expect(draft === emptyDraft).toBe(isKept);
});

test("a bucket that is being deleted does not take the victim's name and keep all policies", () => {
  const policies = { managementPolicies: ["*"] };
  const parts = { desired: { bucket: bucket(named("victim")) }, tags: { add: [{ key: "team", value: "red" }] } };
  const observed = { bucket: observedAs({ uid: "1", ...named("mine"), ...GOING }, policies) };
  const draft = runFeature(run, callOf({ sharedResources: [], ...parts, observed, contenders: [observed.bucket] }));
  expect(at(desiredOf(draft), "metadata.annotations[crossplane.io/external-name]")).toBe("mine");
  expect(policiesOf(draft)).toEqual(["*"]);
});
