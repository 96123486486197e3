import { describe, expect, test } from "vitest";
import { externalNames } from "../../../src/features/external-names/external-names.ts";
import { emptyDraft } from "../../../src/model/draft.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { type AdoptionParts, composedCall, externallyNamed, recordOf } from "../../../testing/builders/composed.ts";
import { synced } from "../../../testing/builders/kubernetes.ts";
import { objectSetBy } from "../../../testing/builders/read-draft.ts";
import { runFeature } from "../../../testing/builders/run-feature.ts";
import { managed } from "../../../testing/builders/tags.ts";

const draftOf = ({ policy = {}, ...parts }: AdoptionParts) =>
  runFeature(externalNames, composedCall({ ...parts, spec: { externalNames: policy } }));

const desired = managed("ec2.aws.upbound.io/v1beta1", "VPC", { region: "eu-central-1" });

const withName = (name: string, resource: JsonObject): JsonObject => ({ ...resource, ...externallyNamed(name) });

const observed = ({ name, id, ...rest }: { name?: string; id?: string; metadata?: JsonObject; spec?: JsonObject }) => {
  const { metadata = {}, spec = {} } = rest;
  return {
    ...desired,
    metadata: { name: "x", ...metadata, ...(name && { annotations: { "crossplane.io/external-name": name } }) },
    spec: { forProvider: {}, providerConfigRef: { name: "default" }, managementPolicies: ["*"], ...spec },
    status: { atProvider: id === undefined ? {} : { id } },
  };
};

/** A VPC that is observed like this, and desired by the pipeline. */
const vpc = (there: Parameters<typeof observed>[0], wanted = desired): AdoptionParts => ({
  observed: { vpc: observed(there) },
  desired: { vpc: wanted },
});

test("external names change nothing without their section of the input", () => {
  expect(runFeature(externalNames, composedCall({ spec: {}, ...vpc({ name: "vpc-1" }) }))).toBe(emptyDraft);
});

test("an observed name is added to what the pipeline desires", () => {
  const { resources, conditions } = draftOf(vpc({ name: "vpc-1" }));
  expect([...resources.keys()]).toEqual(["vpc"]);
  expect(objectSetBy(resources.get("vpc"))).toEqual(withName("vpc-1", desired));
  expect(conditions).toEqual([{ type: "ExternalNamesPinned", status: "True", reason: "Pinned", target: "Composite" }]);
});

const inner = { ...observed({ name: "x" }), spec: { compositionRef: { name: "x" } } };
const identified = { labels: { "shared-infrastructure.fn.crossplane.io/identity": "x" } };
const block = { apiVersion: "s3.aws.upbound.io/v1beta1", kind: "BucketPublicAccessBlock" };
const lent = { ...observed({ name: "x", metadata: identified, spec: { managementPolicies: ["Observe"] } }), ...block };
test.each<[reason: string, parts: AdoptionParts]>([
  ["the pipeline sets the same name", vpc({ name: "vpc-1" }, withName("vpc-1", desired))],
  ["the pipeline sets another name, which it may", vpc({ name: "vpc-1" }, withName("vpc-2", desired))],
  ["nothing desires the resource", { observed: { vpc: observed({ name: "vpc-1" }) } }],
  ["the resource does not exist yet", { desired: { vpc: desired } }],
  [
    "its name may be that of an association's owner",
    { observed: { lent }, desired: { lent: { ...desired, ...block } } },
  ],
  ["the resource is a nested XR, named after its claim", { observed: { inner }, desired: { inner: {} } }],
])("no resource is edited when %s", (_reason, parts) => {
  expect(draftOf(parts).resources.size).toBe(0);
});

describe("a lost name", () => {
  const rule = (apiGroup: string, kind: string) => ({ apiGroup, kind, fromFieldPath: "status.atProvider.arn" });
  const cluster = { apiVersion: "db.example.org/v1", kind: "Cluster", spec: {} };
  const arns = { rescue: [rule("db.example.org", "Cluster"), rule("ec2.aws.upbound.io", "VPC")] };
  const rescue = (wanted: JsonObject, status: JsonObject, policy: JsonObject = {}) => {
    const { apiVersion = "", kind = "" } = wanted;
    const there = { ...observed({}), apiVersion, kind, status: { atProvider: status } };
    const { resources, conditions } = draftOf({ policy, observed: { a: there }, desired: { a: wanted } });
    return [objectSetBy(resources.get("a")), conditions[0]?.reason];
  };

  test.each<[name: string | undefined, reason: string, desired: JsonObject, status: JsonObject, policy?: JsonObject]>([
    ["vpc-1", "a built-in rule finds it in the status", desired, { id: "vpc-1" }],
    ["arn:1", "a rule of the input finds it in the status", cluster, { arn: "arn:1" }, arns],
    [undefined, "the status holds no string", desired, { id: 5 }],
    ["arn:1", "a rule of the input wins over a built-in one", desired, { id: "vpc-1", arn: "arn:1" }, arns],
  ])("becomes %s when %s", (name, _reason, wanted, status, policy) => {
    const is = name === undefined ? [undefined, "WaitingForNames"] : [withName(name, wanted), "Rescued"];
    expect(rescue(wanted, status, policy)).toEqual(is);
  });

  test.each([
    ["ec2.aws.m.upbound.io", "VPC", true],
    ["ec2.aws.upbound.io", "SecurityGroupIngressRule", true],
    ["apigateway.aws.upbound.io", "RestAPI", true],
    ["compute.gcp.upbound.io", "InstanceTemplate", true],
    ["authorization.azure.upbound.io", "RoleAssignment", true],
    ["s3.aws.upbound.io", "Bucket", false],
    ["appsync.aws.upbound.io", "APIKey", false],
    ["bedrockagentcore.aws.upbound.io", "Gateway", false],
    ["compute.gcp.upbound.io", "Instance", false],
    ["web.azure.upbound.io", "LinuxWebApp", false],
    ["helm.crossplane.io", "Release", false],
  ])("of %s %s is the id that its provider reports: %s", (group, kind, isRescued) => {
    const [, reason] = rescue({ ...desired, apiVersion: `${group}/v1beta1`, kind }, { id: "id-1" });
    expect(reason).toBe(isRescued ? "Rescued" : "WaitingForNames");
  });
});

test("a rescued name stays desired, or Crossplane would remove it again", () => {
  expect(draftOf(vpc({ name: "vpc-1", id: "vpc-1" })).resources.has("vpc")).toBe(true);
});

test.each([
  { reason: "its name was changed by hand", name: "vpc-2", pinned: "vpc-2" },
  { reason: "its name was lost and it was created again", id: "vpc-2", pinned: "vpc-1" },
  { reason: "its provider does not find it", name: "vpc-2", pinned: "vpc-2", status: "False", held: true },
  { reason: "its provider has not looked", name: "vpc-2", pinned: "vpc-2", at: "2025-01-01T00:00:00Z", held: true },
])("a resource with two names is pinned to $pinned and reported when $reason", (row) => {
  const { name, id, pinned, status = "True", at = "2026-01-02T00:00:00Z", held = false } = row;
  const there = observed({ metadata: { creationTimestamp: "2026-01-01T00:00:00Z" }, ...(id && { id }) });
  const annotations = name === undefined ? {} : { "crossplane.io/external-name": name };
  const shown = {
    ...there,
    metadata: { ...there.metadata, annotations },
    status: { ...there.status, ...synced(status, { lastTransitionTime: at }) },
  };
  const names = recordOf({ vpc: { kind: "VPC.ec2.aws.upbound.io", name: "x", externalName: "vpc-1" } });
  const { resources, conditions, results } = draftOf({ observed: { vpc: shown, ...names }, desired: { vpc: desired } });
  const spec = { ...(desired["spec"] as JsonObject), ...(held && { managementPolicies: ["Observe", "Delete"] }) };
  expect(objectSetBy(resources.get("vpc"))).toEqual(withName(pinned, { ...desired, spec }));
  expect(conditions).toMatchObject([{ status: "False", reason: "DuplicateSuspected" }]);
  expect(results).toMatchObject([{ severity: "Warning", message: expect.stringContaining("vpc-1") }]);
});

test("an asynchronous kind without LateInitialize gets a warning until it has a name", () => {
  const spec = { managementPolicies: ["Observe", "Create", "Update", "Delete"] };
  const { conditions, results } = draftOf(vpc({ spec }));
  expect(conditions).toMatchObject([{ status: "False", reason: "LateInitializeMissing" }]);
  expect(results).toMatchObject([{ severity: "Warning" }]);
  expect(draftOf(vpc({ spec, id: "vpc-1" })).conditions[0]?.reason).toBe("Rescued");
});

describe("a creation that has begun", () => {
  const begun = (outcomes: JsonObject, status: JsonObject = {}, more: JsonObject = {}) => {
    const MARK = "crossplane.io/external-create";
    const times = Object.entries(outcomes).map(([is, second]) => [`${MARK}-${is}`, `2026-01-01T00:00:0${second}Z`]);
    return { ...observed({ metadata: { annotations: { ...Object.fromEntries(times), ...more } } }), status };
  };
  const policiesOf = (own: JsonObject, managementPolicies?: readonly string[]) => {
    const spec = { ...(desired["spec"] as JsonObject), ...(managementPolicies && { managementPolicies }) };
    const draft = draftOf({ observed: { vpc: own }, desired: { vpc: { ...desired, spec } } });
    const written = objectSetBy(draft.resources.get("vpc"))?.["spec"] as JsonObject | undefined;
    return [written?.["managementPolicies"], draft.conditions[0]?.reason];
  };
  const interrupted = synced("False", { message: "cannot determine creation result - remove" });
  const failure = { conditions: [{ type: "LastAsyncOperation", status: "False", reason: "AsyncCreateFailure" }] };
  const notRecorded = [["Observe", "Delete"], "NameNotRecorded"];

  const waiting = [undefined, "WaitingForNames"];
  const withNameNow = begun({ succeeded: 1 }, {}, { "crossplane.io/external-name": "vpc-1" });
  const withId = begun({ succeeded: 1 }, { atProvider: { id: "vpc-1" } });
  const observer = [["Observe"], "NameNotRecorded"];
  const having = (own: JsonObject, ...managementPolicies: readonly string[]) => ({
    ...own,
    spec: { ...(own["spec"] as JsonObject), managementPolicies },
  });
  const named = having(withNameNow, "Observe", "Delete");
  test.each<[reason: string, own: JsonObject, is: readonly unknown[], asked?: readonly string[]]>([
    ["that is said to have succeeded is not repeated without a name", begun({ pending: 1, succeeded: 1 }), notRecorded],
    ["is not repeated where Delete is not asked for", begun({ succeeded: 1 }), observer, ["Observe", "Create"]],
    ["is not repeated where its provider was interrupted", begun({ pending: 1 }, interrupted), notRecorded],
    ["goes on while its provider is at it", begun({ pending: 2, succeeded: 1 }), waiting],
    ["is repeated where it has failed", begun({ pending: 1, failed: 2 }), waiting],
    ["is repeated where it has failed after an earlier one succeeded", begun({ succeeded: 1, failed: 2 }), waiting],
    ["is repeated where its asynchronous provider says that it has failed", begun({ succeeded: 1 }, failure), waiting],
    ["is over once there is a name", withNameNow, [["*"], "Pinned"], ["*"]],
    ["is over once the provider reports an id", withId, [["*"], "Rescued"], ["*"]],
    ["is over with a name, and its policies are given back, whoever has owned them", named, [["*"], "Pinned"]],
    ["is over with a name, and its policies are the pipeline's", named, [["Observe"], "Pinned"], ["Observe"]],
    ["leaves policies alone that are not ours", having(withNameNow, "Observe"), [undefined, "Pinned"]],
    [
      "gives its policies back where it has failed since",
      having(begun({ succeeded: 1, failed: 2 }), "Observe", "Delete"),
      [["*"], "WaitingForNames"],
    ],
    ["is nothing to one that is only observed", begun({ succeeded: 1 }), waiting, ["Observe"]],
  ])("%s", (_reason, own, is, asked) => {
    expect(policiesOf(own, asked)).toEqual(is);
  });

  test("has a condition that says what to look for in the cloud, and what to do then", () => {
    const [condition] = draftOf({ observed: { vpc: begun({ succeeded: 1 }) }, desired: { vpc: desired } }).conditions;
    expect(condition?.status).toBe("False");
    expect(condition?.message).toBe(
      "vpc: the provider began to create a VPC at 2026-01-01T00:00:01Z and has recorded no external name, so this XR does not have it " +
        "created again. If this stays, look for a VPC of that time in the cloud that is no other XR's. If there is one, run this with its name for NAME: kubectl annotate " +
        "vpc.ec2.aws.upbound.io x crossplane.io/external-name=NAME crossplane.io/external-create-pending-; if there is none, have one created: " +
        "kubectl annotate vpc.ec2.aws.upbound.io x crossplane.io/external-create-succeeded- crossplane.io/external-create-pending-",
    );
  });
});

test("a pipeline that changes a name is reported", () => {
  expect(draftOf(vpc({ name: "vpc-1" }, withName("vpc-2", desired))).conditions).toMatchObject([
    {
      status: "False",
      reason: "ChangedByPipeline",
      message: expect.stringContaining("vpc-2, but the managed resource has vpc-1"),
    },
  ]);
});

test("the object and the readiness that an earlier feature set are kept", () => {
  const call = composedCall({ spec: { externalNames: {} }, observed: { vpc: observed({ name: "vpc-1" }) } });
  const before = { is: "set", object: desired, ready: "True" } as const;
  const draft = { ...emptyDraft, resources: new Map([["vpc", before]]) };
  const edit = runFeature(externalNames, call, draft).resources.get("vpc");
  expect(edit).toMatchObject({ is: "set", ready: "True" });
  expect(objectSetBy(edit)).toEqual(withName("vpc-1", desired));
});

test("the condition ExternalNamesPinned names ten of many resources and counts the rest", () => {
  const many = Array.from({ length: 12 }, (_, index) => `vpc${index}`);
  const { conditions } = draftOf({
    observed: Object.fromEntries(many.map((name) => [name, observed({})])),
    desired: Object.fromEntries(many.map((name) => [name, desired])),
  });
  expect(conditions[0]?.message).toMatch(/; and 2 more$/);
});

test("a step before those that compose says that it pins none", () => {
  const { conditions } = draftOf({ observed: { vpc: observed({ name: "vpc-1" }) } });
  const message = "the steps before this one desire no resource: move this step behind those that compose vpc";
  expect(conditions).toMatchObject([{ status: "True", reason: "Pinned", message }]);
});
