import { describe, expect, test } from "vitest";
import { findExcess } from "../../../src/features/tags/limits.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import { at, desiredOf, says, tagsIn } from "../../../testing/builders/read-draft.ts";
import { fromXr } from "../../../testing/builders/shared-database.ts";
import { xr } from "../../../testing/builders/sharing.ts";
import { bucket, managed, run, team } from "../../../testing/builders/tags.ts";

const gcpBucket = managed("storage.gcp.upbound.io/v1beta2", "Bucket", { labels: {} });

describe("tags", () => {
  const database = fromXr("spec.parameters.database");
  const star = fromXr("metadata.labels[star]");
  /** `before`: the tags that earlier steps desire; `cloud`: those that the cloud has. */
  type There = { readonly before?: JsonObject; readonly cloud?: JsonObject; readonly labels?: JsonObject };
  const retained = [
    { ...team, onExisting: "Retain" },
    { key: "a", value: "b" },
  ];
  const providers = [{ key: "crossplane-name", value: "x" }, team];
  const starred = { before: { orders: "1", "*": "2" }, labels: { star: "*" } };
  const anyway = [{ keys: "team", onExisting: "Retain" }];
  const aws = { "aws:cloudformation:stack-id": "y" };
  test.each<[tags: JsonObject, reason: string, input: JsonObject, there?: There]>([
    [{ team: "shop" }, "the input adds a value", { add: [team] }],
    [{ db: "orders" }, "the input adds a field of the XR", { add: [{ key: "db", value: database }] }],
    [{ database: "orders" }, "the input adds a map of the XR", { add: [{ value: fromXr("spec.parameters") }] }],
    [{ team: "shop" }, "an added tag replaces the one that is there", { add: [team] }, { before: { team: "x" } }],
    [{ a: "b", team: "x" }, "Retain keeps the tag that is there", { add: retained }, { before: { team: "x" } }],
    [{ team: "later" }, "of two entries the later wins", { add: [team, { ...team, value: "later" }] }],
    [{ team: "shop" }, "the tags of the provider itself are left to it", { add: providers }],
    [{ b: "2" }, "a glob removes a tag", { remove: ["x-*"] }, { before: { "x-a": "1", b: "2" } }],
    [{ b: "2" }, "a field names one to remove", { remove: [{ keys: database }] }, { before: { orders: "1", b: "2" } }],
    [{ orders: "1" }, "what a field holds is a key and no glob", { remove: [{ keys: star }] }, starred],
    [{ b: "3" }, "globs remove tags", { remove: [{ keys: ["o*", "a"] }] }, { before: { o1: "1", a: "2", b: "3" } }],
    [{ "map-a": "y" }, "preserved keys stay as they are", { preserve: ["map-*"] }, { cloud: { "map-a": "y", b: "z" } }],
    [{ team: "x" }, "preserve wins over add", { add: [team], preserve: ["team"] }, { cloud: { team: "x" } }],
    [{ team: "shop" }, "an added tag wins under Retain", { add: [team], preserve: anyway }, { cloud: { team: "x" } }],
    [
      { team: "shop", "map-a": "x" },
      "preserve looks beyond AWS's own",
      { add: [team], preserve: ["*"] },
      { cloud: { ...aws, "map-a": "x" } },
    ],
    [{ team: "shop" }, "AWS's own are left to it, preserved or not", { add: [team], preserve: ["*"] }, { cloud: aws }],
  ])("are %j because %s", (expected, _reason, input, { before, cloud = {}, labels = {} } = {}) => {
    const draft = run({
      xr: xr({ metadata: { name: "shop-x7k2p", labels } }),
      tags: { add: [], ...input },
      desired: { bucket: bucket(before ? { tags: before } : {}) },
      observed: { bucket: { ...bucket(), status: { atProvider: { tags: cloud } } } },
    });
    expect(tagsIn(draft)).toEqual(expected);
    expect(draft.requirements.size).toBe(0);
    expect(draft.conditions).toMatchObject([{ status: "True", reason: "Owned" }]);
  });

  test("become labels of Google's resources and of the manifests of Objects", () => {
    const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: {} };
    const spec = { managementPolicies: ["*"], forProvider: { manifest } };
    const object = { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", kind: "Object", spec };
    const draft = run({ tags: { add: [team] }, desired: { bucket: gcpBucket, object } });
    expect(at(desiredOf(draft), "spec.forProvider.labels")).toEqual({ team: "shop" });
    expect(at(desiredOf(draft, "object"), "spec.forProvider.manifest.metadata.labels")).toEqual({ team: "shop" });
  });

  test.each(["labels", "annotations"])("in metadata.%s leave the marks of ownership there", (field) => {
    const rule = { fieldPath: `metadata.${field}`, managementPolicies: false };
    const desired = { bucket: bucket({}, { metadata: { annotations: { "crossplane.io/external-name": "orders" } } }) };
    const drafts = [{}, rule].map((each) => run({ tags: { add: [team], resources: [each] }, desired, contenders: [] }));
    const [marks, tagged] = drafts.map((draft) => at(desiredOf(draft), `metadata.${field}`));
    expect(tagged).toMatchObject({ ...(marks as JsonObject), team: "shop" });
  });

  test("of another cloud than AWS may begin with aws:, and are preserved", () => {
    const desired = { bucket: managed("cache.azure.upbound.io/v1beta2", "RedisCache", { tags: {} }) };
    const observed = { bucket: { ...desired.bucket, status: { atProvider: { tags: { "aws:x": "y" } } } } };
    const draft = run({ tags: { add: [team], preserve: ["*"] }, desired, observed });
    expect(tagsIn(draft)).toEqual({ team: "shop", "aws:x": "y" });
  });

  test("in a list stand beside the provider's own, which would go with the field", () => {
    const own = { key: "crossplane-name", value: "x" };
    const observed = { bucket: bucket({ tags: [own] }) };
    const draft = run({ tags: { add: [team] }, desired: { bucket: bucket({ tags: [] }) }, observed });
    expect(tagsIn(draft)).toEqual([own, team]);
  });

  test("from fields that are not set are left out, and a condition names those fields", () => {
    const optional = { ...fromXr("spec.neither"), optional: true };
    const add = [{ key: "a", value: fromXr("spec.nowhere") }, { key: "b", value: optional }, team];
    const draft = run({ tags: { add }, desired: { bucket: bucket() } });
    expect(tagsIn(draft)).toEqual({ team: "shop" });
    expect(draft.conditions[0]?.status).toBe("False");
    expect(says(draft)).toBe("FieldNotSet: 1 tagged; spec.nowhere of the XR is not set, so its tag is left out");
  });
});

test.each<[reason: string, resource: JsonObject, resources?: readonly JsonObject[]]>([
  ["it is no managed resource", { apiVersion: "v1", kind: "ConfigMap" }],
  ["the pipeline only observes it", { ...bucket(), spec: { forProvider: {}, managementPolicies: ["Observe"] } }],
  ["the input does not select it", bucket(), [{ apiGroup: "*.azure.upbound.io" }]],
  ["it has the tags already", bucket({ tags: { team: "shop" } })],
])("a resource is left alone when %s", (_reason, resource, resources) => {
  const input = { add: [team], ...(resources && { resources }) };
  const draft = run({ tags: input, desired: { bucket: resource }, capabilities: ["RequiredSchemas"] });
  expect([draft.resources, draft.requirements, draft.requiredSchemas]).toEqual([new Map(), new Map(), new Map()]);
});

describe("a resource of a kind that is not in our table", () => {
  const thing = { apiVersion: "new.aws.upbound.io/v1", kind: "Thing", spec: { forProvider: {} } };
  const parts = { tags: { add: [team] }, desired: { bucket: thing }, capabilities: ["RequiredSchemas"] } as const;
  const schemaOf = (name: string) => {
    const forProvider = { properties: { [name]: {} } };
    return { properties: { spec: { properties: { forProvider } } } };
  };

  test.each([
    { reason: "is pending", schemas: {}, after: undefined },
    { reason: "has a field for tags", schemas: { Thing: schemaOf("tags") }, after: { team: "shop" } },
    { reason: "has no field for tags", schemas: { Thing: schemaOf("name") }, after: undefined },
  ])("has the tags $after when its schema $reason", ({ schemas, after }) => {
    const draft = run({ ...parts, schemas });
    expect([...draft.requiredSchemas.values()]).toEqual([{ apiVersion: "new.aws.upbound.io/v1", kind: "Thing" }]);
    expect(tagsIn(draft)).toEqual(after);
  });

  test("is left alone where Crossplane cannot be asked for its schema", () => {
    expect(run({ ...parts, capabilities: [] }).resources.size).toBe(0);
  });
});

test("tags that a cloud would refuse are all reported at once, and nothing is applied", () => {
  const many = Array.from({ length: 51 }, (_, index) => ({ key: `k${index}`, value: "v" }));
  const long = { key: "long", value: "v".repeat(257) };
  const add = [...many, { key: "aws:x", value: "y" }, long, { key: "Team", value: "Shop" }];
  const { results, conditions } = run({ tags: { add }, desired: { bucket: bucket(), other: gcpBucket } });
  const message = results[0]?.message.split("\n") ?? [];
  expect(results).toMatchObject([{ severity: "Fatal", reason: "InvalidTags" }]);
  expect(conditions).toMatchObject([{ status: "False", reason: "InvalidTags" }]);
  expect(message).toEqual(
    expect.arrayContaining([
      "cannot tag the composed resources:",
      "  bucket: spec.forProvider.tags: 53 tags; AWS takes at most 50, and the provider adds 3",
      "  bucket: spec.forProvider.tags.aws:x: keys that start with aws: are AWS's own",
      "  bucket: spec.forProvider.tags.long: a value of 257 characters; AWS takes at most 256",
      '  other: spec.forProvider.labels.Team: a value that GCP does not take: "Shop"; allowed: lower case letters, digits, _ and -',
    ]),
  );
});

const input = { add: [team, { key: "note", value: fromXr("spec.note") }] };
const noted = (note: string) => xr({ spec: { note } });
const observed = { bucket: bucket({ tags: { team: "old" } }) };
const long = "v".repeat(300);

const refuses = (value: string) => `InvalidTags: 1 tagged; bucket: spec.forProvider.tags.note: a value of ${value}`;
const tooLong = refuses("300 characters; AWS takes at most 256");
const uncounted = refuses("more than 256 characters, the most that AWS takes");
test.each<[reason: string, parts: CallParts, tags: unknown, condition: string]>([
  ["are left as they are, on a resource that is there", { xr: noted(long), observed }, { team: "old" }, tooLong],
  ["and long ones are not counted", { xr: noted("v".repeat(600)), observed }, { team: "old" }, uncounted],
  ["hold a new resource back", { xr: noted(long) }, "removed", tooLong],
])("tags of the XR that a cloud would refuse %s, and the XR goes on, unready", (_reason, parts, tags, condition) => {
  const draft = run({ ...parts, tags: input, desired: { bucket: bucket() } });
  expect(draft.results).toMatchObject([{ severity: "Warning", reason: "InvalidTags" }]);
  expect(draft.compositeReady).toBe("False");
  expect([draft.conditions.length, says(draft)]).toEqual([1, condition]);
  const edit = draft.resources.get("bucket");
  expect(edit?.is === "set" ? tagsIn(draft) : edit?.is).toEqual(tags);
});

test.each([
  [500, 100, true],
  [501, 1, false],
  [500, 101, false],
])("%j tags on each of %j resources are within the limits: %j", (tags, resources, isWithin) => {
  expect(findExcess(tags, resources).length === 0).toBe(isWithin);
});

test("a map of the XR that would be set on too many resources is set on none", () => {
  const each = <T>(name: string, value: () => T) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${name}-${index}`, value()]));
  const { results, resources } = run({
    xr: xr({ spec: { tags: each("key", () => "text") } }),
    tags: { add: [{ value: fromXr("spec.tags") }] },
    desired: each("bucket", bucket),
    observed: { "bucket-0": bucket() },
  });
  expect([resources.has("bucket-0"), resources.size]).toEqual([false, 19_999]);
  expect(resources.get("bucket-1")).toEqual({ is: "removed" });
  const message =
    "20000 tagged; all resources: tags: 20000 on each of 20000 resources; the limits are 500 on one resource and 50000 in all, so no tag is added";
  expect(results).toMatchObject([{ severity: "Warning", reason: "InvalidTags", message }]);
});

test("as many keys to remove as there are tags are looked up, and not tried on each of them", () => {
  const tags = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key-${index}`, "text"]));
  const list = Array.from({ length: 50_000 }, (_, index) => `other-${index}`);
  const { resources } = run({
    xr: xr({ spec: { list } }),
    tags: { remove: [{ keys: fromXr("spec.list") }] },
    desired: { bucket: bucket({ tags }) },
  });
  expect(resources.size).toBe(0);
});

test("conditions and results do not depend on the order of the desired resources", () => {
  const desired = { b: bucket(), a: bucket() };
  const add = ["aws:x", "aws:y"].map((key) => ({ key, value: "1" }));
  const one = run({ tags: { add }, desired });
  const other = run({ tags: { add }, desired: { a: bucket(), b: bucket() } });
  expect(one.conditions).toEqual(other.conditions);
  expect(one.results).toEqual(other.results);
});
