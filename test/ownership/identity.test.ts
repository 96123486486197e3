import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { identityOf, named, resource } from "./identity-of.ts";

const branch = (forProvider: JsonObject, metadata = named("main")): JsonObject =>
  resource("amplify.aws.upbound.io/v1beta1", "Branch", metadata, { region: "eu-west-1", ...forProvider });

const block = (forProvider: JsonObject, metadata: JsonObject = {}): JsonObject =>
  resource("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", metadata, { region: "eu-west-1", ...forProvider });

const groupTag = (version: string, tag: JsonValue): JsonObject =>
  resource(`autoscaling.aws.upbound.io/${version}`, "GroupTag", {}, { autoscalingGroupName: "a", tag });

/** Of a provider that is in no table. */
const unknown = (forProvider: JsonObject): JsonObject =>
  resource("queue.example.org/v1", "Topic", named("orders"), forProvider);

const dns = (name: string, region = "eu"): JsonObject =>
  resource("route53.aws.upbound.io/v1beta1", "Record", {}, { region, zoneId: "Z1", type: "A", name });

const scaler = (version: string, group = "autoscaling"): JsonObject =>
  resource(
    "kubernetes.crossplane.io/v1alpha2",
    "Object",
    {},
    {
      manifest: {
        apiVersion: `${group}/${version}`,
        kind: "HorizontalPodAutoscaler",
        metadata: { namespace: "a", name: "b" },
      },
    },
  );

describe("two managed resources stand for", () => {
  test.each<["one" | "two", string, JsonObject, JsonObject]>([
    ["one", "one branch: the same app and name", branch({ appId: "a" }), branch({ appId: "a" })],
    ["two", "two branches main of two apps", branch({ appId: "a" }), branch({ appId: "b" })],
    [
      "one",
      "one branch of the cluster-scoped and the namespaced kind",
      branch({ appId: "a" }),
      { ...branch({ appId: "a" }), apiVersion: "amplify.aws.m.upbound.io/v1beta1" },
    ],
    [
      "one",
      "one branch that is named by metadata.name in one of them",
      branch({ appId: "a" }),
      branch({ appId: "a" }, { name: "main" }),
    ],
    ["one", "one block: the same bucket, no name", block({ bucket: "a" }), block({ bucket: "a" })],
    ["one", "one block, although only one has a name yet", block({ bucket: "a" }), block({ bucket: "a" }, named("a"))],
    ["two", "blocks of two buckets", block({ bucket: "a" }), block({ bucket: "b" })],
    [
      "one",
      "one DNS record, in another case, another region and with a dot",
      dns("www.a.org"),
      dns("WWW.a.org.", "us"),
    ],
    ["two", "two DNS records", dns("www.a.org"), dns("www.b.org")],
    ["one", "one object in two versions of its API", scaler("v1"), scaler("v2")],
    ["two", "objects of two API groups", scaler("v1"), scaler("v1", "other")],
    [
      "two",
      "two topics of an unknown kind with another parent",
      unknown({ namespace: "a", namespaceRef: { name: "x" } }),
      unknown({ namespace: "b", namespaceRef: { name: "y" } }),
    ],
    [
      "two",
      "two topics of an unknown kind whose parents are in blocks",
      unknown({ parents: [{ id: "a", idSelector: {} }] }),
      unknown({ parents: [{ id: "b", idSelector: {} }] }),
    ],
    ["two", "two topics in two projects", unknown({ project: "a" }), unknown({ project: "b" })],
    [
      "one",
      "one topic of an unknown kind, encrypted or not",
      unknown({ encrypted: true }),
      unknown({ encrypted: false }),
    ],
    [
      "one",
      "one tag of a group, as a list in one version and an object in the other",
      groupTag("v1beta1", [{ key: "k" }]),
      resource("autoscaling.aws.upbound.io/v1beta2", "GroupTag", {}, { autoscalingGroupName: "a", tag: { key: "k" } }),
    ],
  ])("%s: %s", (is, _reason, a, b) => {
    const [left, right] = [identityOf(a), identityOf(b)];
    expect(left).toBeDefined();
    expect(left?.identity === right?.identity).toBe(is === "one");
  });
});

describe("a reference", () => {
  test.each<[reason: string, like: JsonObject | undefined, desired: JsonObject, observed?: JsonObject]>([
    ["that is not resolved yet", undefined, branch({ appIdRef: { name: "a" } })],
    ["of an association", undefined, block({ bucketSelector: {} })],
    ["of an unknown kind", undefined, unknown({ namespaceIdRef: { name: "a" } })],
    [
      "that is resolved",
      branch({ appId: "id-of-a" }),
      branch({ appIdRef: { name: "a" } }),
      branch({ appIdRef: { name: "a" }, appId: "id-of-a" }),
    ],
    [
      "of an association that is resolved",
      block({ bucket: "a" }),
      block({ bucketSelector: {} }),
      block({ bucketSelector: {}, bucket: "a" }),
    ],
    [
      "to a list of an unknown kind that is resolved",
      unknown({ subnetIds: ["1"], subnetIdRefs: [{ name: "b" }] }),
      unknown({ subnetIdRefs: [{ name: "a" }] }),
      unknown({ subnetIdRefs: [{ name: "a" }], subnetIds: ["1"] }),
    ],
    ["to a Secret that holds a value", unknown({}), unknown({ passwordSecretRef: { name: "a", key: "b" } })],
  ])("%s", (_, like, desired, observed?: JsonObject) => {
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
