import { describe, expect, test } from "vitest";
import { readManagedKind } from "../../src/crossplane/managed-resource.ts";
import { findFacts } from "../../src/crossplane/providers/families.ts";
import { documentOf } from "../../src/model/document.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { type Contender, toContender } from "../../src/ownership/contender.ts";
import {
  type Candidate,
  type CloudResource,
  describeAs,
  hasSameName,
  identify,
  isElsewhere,
  readByItself,
  readCloudResource,
} from "../../src/ownership/identity.ts";
import { withMetadata } from "../../testing/builders/composed.ts";
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

const scaler = (version: string, group = "autoscaling", name = "b"): JsonObject => {
  const kind = { apiVersion: `${group}/${version}`, kind: "HorizontalPodAutoscaler" };
  const manifest = { ...kind, metadata: { namespace: "a", name } };
  return resource("kubernetes.crossplane.io/v1alpha2", "Object", {}, { manifest });
};

const twin = { ...branch({ appId: "a" }), apiVersion: "amplify.aws.m.upbound.io/v1beta1" };
const byTheirs = (object: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonObject), providerConfigRef: { name: "theirs" } },
});
const ARN = "arn:aws:acm-pca:eu-west-1:123456789012:certificate-authority/ca";
const ACMPCA = "acmpca.aws.upbound.io/v1beta1";
const permission = (certificateAuthorityArn: string) =>
  resource(ACMPCA, "Permission", {}, { region: "eu-west-1", certificateAuthorityArn, principal: "p" });
const SUB = "/subscriptions/0000/resourceGroups/g/providers/Microsoft.Sql/servers";
const azure = (serverId: string) =>
  resource("sql.azure.upbound.io/v1beta1", "MSSQLDatabase", named("main"), { serverId });
const disk = (place: JsonObject) =>
  resource("compute.gcp.upbound.io/v1beta1", "Disk", named("d"), { zone: "z", ...place });
const queue = (name: string) => resource("sqs.aws.upbound.io/v1beta1", "Queue", {}, { region: "eu-west-1", name });
const initially = (object: JsonObject, initProvider: JsonObject): JsonObject => ({
  ...object,
  spec: { ...(object["spec"] as JsonObject), initProvider },
});
const below = (namespace: string) => unknown({ namespace, namespaceRef: { name: `x-${namespace}` } });
const inBlock = (id: string) => unknown({ parents: [{ id, idSelector: {} }] });
const inRules = (id: string) => unknown({ rules: [{ targets: [{ id, idSelector: {} }] }] });
const [ofA, topic] = [block({ bucket: "a" }), unknown({})];
const inA = initially(topic, { project: "a" });
const [asList, asObject] = [groupTag("v1beta1", [{ key: "k" }]), groupTag("v1beta2", { key: "k" })];
test.each<["one" | "two", string, JsonObject, JsonObject]>([
  ["one", "branch: the same app and name", branch({ appId: "a" }), branch({ appId: "a" })],
  ["two", "branches main of two apps", branch({ appId: "a" }), branch({ appId: "b" })],
  ["one", "branch of the cluster-scoped and the namespaced kind", branch({ appId: "a" }), twin],
  ["one", "branch named by metadata.name", branch({ appId: "a" }), branch({ appId: "a" }, { name: "main" })],
  ["one", "block: the same bucket, no name", block({ bucket: "a" }), block({ bucket: "a" })],
  ["one", "block, although only one has a name yet", block({ bucket: "a" }), block({ bucket: "a" }, named("a"))],
  ["one", "block whose bucket is in initProvider", block({ bucket: "a" }), initially(block({}), { bucket: "a" })],
  ["one", "block, as forProvider comes before initProvider", ofA, initially(ofA, { bucket: "b" })],
  ["two", "topics in two projects of initProvider", inA, initially(topic, { project: "b" })],
  ["two", "blocks of two buckets", block({ bucket: "a" }), block({ bucket: "b" })],
  ["two", "blocks in two regions", block({ bucket: "a" }), block({ bucket: "a", region: "us-east-1" })],
  ["one", "block of two ProviderConfigs: its bucket's name is unique", ofA, byTheirs(ofA)],
  ["two", "branches of two ProviderConfigs", branch({ appId: "a" }), byTheirs(branch({ appId: "a" }))],
  ["one", "permission of two ProviderConfigs, by its parent's ARN", permission(ARN), byTheirs(permission(ARN))],
  ["two", "permissions by names of what may be in two accounts", permission("ca"), byTheirs(permission("ca"))],
  ["one", "Azure database of two ProviderConfigs, by its server", azure(`${SUB}/net`), byTheirs(azure(`${SUB}/net`))],
  ["one", "disk of two ProviderConfigs, in its project", disk({ project: "p" }), byTheirs(disk({ project: "p" }))],
  ["two", "disks of two ProviderConfigs that say no project", disk({}), byTheirs(disk({}))],
  ["one", "queue by its name, since a second creation returns the first", queue("orders"), queue("orders")],
  ["two", "queues", queue("orders"), queue("bills")],
  ["one", "DNS record, in another case and region and with a dot", dns("www.a.org"), dns("WWW.a.org.", "us")],
  ["two", "DNS records", dns("www.a.org"), dns("www.b.org")],
  ["one", "object in two versions of its API", scaler("v1"), scaler("v2")],
  ["two", "objects of two names", scaler("v1"), scaler("v1", "autoscaling", "c")],
  ["two", "objects of two API groups", scaler("v1"), scaler("v1", "other")],
  ["two", "topics of an unknown kind with another parent", below("a"), below("b")],
  ["two", "topics of an unknown kind whose parents are in blocks", inBlock("a"), inBlock("b")],
  ["two", "topics whose parents are in blocks of a list", inRules("a"), inRules("b")],
  [
    "one",
    "topic, whatever an id is that names no parent",
    unknown({ mainClusterId: "a" }),
    unknown({ mainClusterId: "b" }),
  ],
  ["two", "topics in two projects", unknown({ project: "a" }), unknown({ project: "b" })],
  ["one", "topic, encrypted or not", unknown({ encrypted: true }), unknown({ encrypted: false })],
  ["one", "tag of a group, as a list in one version and an object in the other", asList, asObject],
])("two managed resources stand for %s %s", (is, _reason, a, b) => {
  const [left, right] = [identityOf(a), identityOf(b)];
  expect(left).toBeDefined();
  expect(left?.identity === right?.identity).toBe(is === "one");
});

test.each([
  ["a known kind", branch({ appId: "a" }), "9e044572a75907a1e24ac46378b146d7cbeca18d"],
  ["an unknown kind", below("a"), "61e4d995613a32e068f5ab0f0acddd8eabfac135"],
])(
  "an identity stays the same from version to version of this function, as labels in clusters have it: %s",
  (_, object, hash) => {
    expect(identityOf(object)?.identity).toBe(hash);
  },
);

test.each([
  ["p", true],
  ["q", false],
])("names of several parts are the same if all parts are: p and %s", (principal, isSame) => {
  const permissionOf = (principal: string): CloudResource => {
    const object = resource(ACMPCA, "Permission", {}, { certificateAuthorityArn: ARN, principal });
    return readByItself(documentOf(object), findFacts("acmpca.aws.upbound.io", "Permission").identity) as CloudResource;
  };
  expect(hasSameName(permissionOf("p"), permissionOf(principal))).toBe(isSame);
});

describe("a reference", () => {
  const [ref, selector] = [branch({ appIdRef: { name: "a" } }), block({ bucketSelector: {} })];
  const subnets = unknown({ subnetIdRefs: [{ name: "a" }] });
  const resolved = {
    branch: branch({ appIdRef: { name: "a" }, appId: "id-of-a" }),
    block: block({ bucketSelector: {}, bucket: "a" }),
    subnets: unknown({ subnetIdRefs: [{ name: "a" }], subnetIds: ["1"] }),
  };
  const sameSubnets = unknown({ subnetIds: ["1"], subnetIdRefs: [{ name: "b" }] });
  test.each<[reason: string, like: JsonObject | undefined, desired: JsonObject, observed?: JsonObject]>([
    ["that is not resolved yet", undefined, ref],
    ["of an association", undefined, selector],
    ["of an unknown kind", undefined, unknown({ namespaceIdRef: { name: "a" } })],
    ["that is resolved", branch({ appId: "id-of-a" }), ref, resolved.branch],
    ["of an association that is resolved", block({ bucket: "a" }), selector, resolved.block],
    ["to a list of an unknown kind that is resolved", sameSubnets, subnets, resolved.subnets],
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
  const written = identityOf(branch({ appId: "a" }, named("trunk")));
  expect(identityOf(branch({ appId: "a" }, { name: "main" }), observed)).toEqual(written);
});

describe("an XR's managed resource without an identity label", () => {
  const lost = (id: string): JsonObject => ({ ...branch({ appId: "a" }, {}), status: { atProvider: { id } } });
  const lostAndHiding = { ...branch({ appIdRef: { name: "a" } }, {}), status: { atProvider: { id: "main" } } };
  const withId = { ...branch({ appId: "a" }), status: { atProvider: { id: "trunk" } } };
  const [main, hiding] = [branch({ appId: "a" }), branch({ appIdRef: { name: "a" } })];
  const anywhere = resource("amplify.aws.upbound.io/v1beta1", "Branch", named("main"), { appId: "a" });
  test.each<[is: "another" | "the same", reason: string, desired: JsonObject, observed: JsonObject]>([
    ["the same", "nothing has changed", main, main],
    ["another", "the name has changed", branch({ appId: "a" }, named("trunk")), main],
    ["another", "the parent has changed", branch({ appId: "b" }), main],
    ["another", "the region has changed", branch({ appId: "a", region: "us" }), main],
    ["another", "the ProviderConfig has changed", byTheirs(main), main],
    ["the same", "the ProviderConfig of what has a unique name has changed", byTheirs(ofA), ofA],
    ["the same", "the provider has filled in a field that is not desired", anywhere, main],
    ["another", "the parent of the observed one is not resolved", main, hiding],
    ["the same", "its name is lost, and its provider reports the same id", main, lost("main")],
    ["another", "its name is lost, and its provider reports another id", main, lost("trunk")],
    ["another", "its name is lost, and the parent of the observed one is not resolved", main, lostAndHiding],
    [
      "the same",
      "an association's provider reports another id than its name",
      ofA,
      { ...ofA, status: { atProvider: { id: "x" } } },
    ],
    ["the same", "its provider reports an id beside its name", main, withId],
  ])("declares %s cloud resource than the pipeline desires where %s", (is, _reason, desired, object) => {
    const kind = readManagedKind(documentOf(desired));
    const { identity: facts } = findFacts(kind.group, kind.kind);
    const document = documentOf(object);
    const declared = readCloudResource({ desired: documentOf(desired), observed: undefined, facts });
    const observed = readByItself(document, facts);
    const candidate = { own: toContender(document), declared, observed } as Candidate;
    expect(isElsewhere(candidate)).toBe(is === "another");
  });
});

test.each<[reason: string, object: JsonObject, isDescribed: boolean]>([
  ["a name that is one of several", resource("iam.aws.upbound.io/v1beta1", "Role", named("a"), { path: "b" }), true],
  [
    "a name that is unique: the annotation is forged",
    resource("s3.aws.upbound.io/v1beta1", "Bucket", named("a"), { path: "b" }),
    false,
  ],
])("the fields in the annotation scope count with %s", (_reason, object, isDescribed) => {
  const annotations = { "shared-infrastructure.fn.crossplane.io/scope": "spec.forProvider.path" };
  const document = documentOf(withMetadata(object, { annotations }));
  const kind = readManagedKind(document);
  const facts = findFacts(kind.group, kind.kind).identity;
  const [read, noted] = [facts, { ...facts, added: new Set(["spec.forProvider.path"]) }].map((each) =>
    readByItself(document, each),
  ) as [CloudResource, CloudResource];
  const owner = { ...toContender(document), document, identity: identify(kind, noted) };
  const described = describeAs(owner as Contender, kind, read, { desired: document, observed: document });
  expect(described !== undefined).toBe(isDescribed);
});
