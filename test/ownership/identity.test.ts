import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { identityOf, named, resource } from "./identity-of.ts";

const branch = (forProvider: JsonObject, metadata = named("main")): JsonObject =>
  resource("amplify.aws.upbound.io/v1beta1", "Branch", metadata, { region: "eu-west-1", ...forProvider });

const block = (forProvider: JsonObject, metadata: JsonObject = {}): JsonObject =>
  resource("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", metadata, { region: "eu-west-1", ...forProvider });

/** Of a provider that is in no table. */
const unknown = (forProvider: JsonObject): JsonObject =>
  resource("queue.example.org/v1", "Topic", named("orders"), forProvider);

describe("two managed resources stand for", () => {
  test.each<{ reason: string; a: JsonObject; b: JsonObject; is: "one" | "two" }>([
    { reason: "one branch: the same app and name", a: branch({ appId: "a" }), b: branch({ appId: "a" }), is: "one" },
    { reason: "two branches main of two apps", a: branch({ appId: "a" }), b: branch({ appId: "b" }), is: "two" },
    {
      reason: "one branch of the cluster-scoped and the namespaced kind",
      a: branch({ appId: "a" }),
      b: { ...branch({ appId: "a" }), apiVersion: "amplify.aws.m.upbound.io/v1beta1" },
      is: "one",
    },
    {
      reason: "one branch that is named by metadata.name in one of them",
      a: branch({ appId: "a" }),
      b: branch({ appId: "a" }, { name: "main" }),
      is: "one",
    },
    { reason: "one block: the same bucket, no name", a: block({ bucket: "a" }), b: block({ bucket: "a" }), is: "one" },
    {
      reason: "one block, although only one has a name yet",
      a: block({ bucket: "a" }),
      b: block({ bucket: "a" }, named("a")),
      is: "one",
    },
    { reason: "blocks of two buckets", a: block({ bucket: "a" }), b: block({ bucket: "b" }), is: "two" },
    {
      reason: "two topics of an unknown kind with another parent",
      a: unknown({ namespace: "a", namespaceRef: { name: "x" } }),
      b: unknown({ namespace: "b", namespaceRef: { name: "y" } }),
      is: "two",
    },
    {
      reason: "two topics of an unknown kind whose parents are in blocks",
      a: unknown({ parents: [{ id: "a", idSelector: {} }] }),
      b: unknown({ parents: [{ id: "b", idSelector: {} }] }),
      is: "two",
    },
    { reason: "two topics in two projects", a: unknown({ project: "a" }), b: unknown({ project: "b" }), is: "two" },
    {
      reason: "one topic of an unknown kind, encrypted or not",
      a: unknown({ encrypted: true }),
      b: unknown({ encrypted: false }),
      is: "one",
    },
    {
      reason: "one tag of a group, as a list in one version and an object in the other",
      a: resource(
        "autoscaling.aws.upbound.io/v1beta1",
        "GroupTag",
        {},
        { autoscalingGroupName: "a", tag: [{ key: "k" }] },
      ),
      b: resource(
        "autoscaling.aws.upbound.io/v1beta2",
        "GroupTag",
        {},
        { autoscalingGroupName: "a", tag: { key: "k" } },
      ),
      is: "one",
    },
  ])("$is: $reason", ({ a, b, is }) => {
    const [left, right] = [identityOf(a), identityOf(b)];
    expect(left).toBeDefined();
    expect(left?.identity === right?.identity).toBe(is === "one");
  });
});

describe("a reference", () => {
  test.each<{ reason: string; desired: JsonObject; observed?: JsonObject; like: JsonObject | undefined }>([
    { reason: "that is not resolved yet", desired: branch({ appIdRef: { name: "a" } }), like: undefined },
    { reason: "of an association", desired: block({ bucketSelector: {} }), like: undefined },
    { reason: "of an unknown kind", desired: unknown({ namespaceIdRef: { name: "a" } }), like: undefined },
    {
      reason: "that is resolved",
      desired: branch({ appIdRef: { name: "a" } }),
      observed: branch({ appIdRef: { name: "a" }, appId: "id-of-a" }),
      like: branch({ appId: "id-of-a" }),
    },
    {
      reason: "of an association that is resolved",
      desired: block({ bucketSelector: {} }),
      observed: block({ bucketSelector: {}, bucket: "a" }),
      like: block({ bucket: "a" }),
    },
    {
      reason: "to a list of an unknown kind that is resolved",
      desired: unknown({ subnetIdRefs: [{ name: "a" }] }),
      observed: unknown({ subnetIdRefs: [{ name: "a" }], subnetIds: ["1"] }),
      like: unknown({ subnetIds: ["1"], subnetIdRefs: [{ name: "b" }] }),
    },
    {
      reason: "to a Secret that holds a value",
      desired: unknown({ passwordSecretRef: { name: "a", key: "b" } }),
      like: unknown({}),
    },
  ])("$reason", ({ desired, observed, like }) => {
    expect(identityOf(desired, observed)).toEqual(like && identityOf(like));
    expect(identityOf(desired, observed) === undefined).toBe(like === undefined);
  });

  test("that has no field beside it is none, as the provider shows by looking for the cloud resource", () => {
    const desired = unknown({ podSelector: {} });
    const status = { conditions: [{ type: "Synced", status: "True" }] };
    expect(identityOf(desired, desired)).toBeUndefined();
    expect(identityOf(desired, { ...desired, status })).toBeDefined();
  });
});

test("a name that Crossplane makes up, and one that only the cloud knows, is nobody else's", () => {
  expect(identityOf(branch({ appId: "a" }, {}))).toBeUndefined();
  expect(identityOf(resource("ec2.aws.upbound.io/v1beta1", "VPC", { name: "main" }, {}))).toBeUndefined();
});

test("metadata.name gives way to the name that the provider has written", () => {
  const observed = branch({ appId: "a" }, { name: "main", ...named("trunk") });
  expect(identityOf(branch({ appId: "a" }, { name: "main" }), observed)).toEqual(
    identityOf(branch({ appId: "a" }, named("trunk"))),
  );
});
