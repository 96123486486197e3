import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import type { CallParts } from "../../../testing/builders/calls.ts";
import { withPolicies } from "../../../testing/builders/composed.ts";
import { at, desiredOf, says } from "../../../testing/builders/read-draft.ts";
import {
  applied,
  CREATED,
  DOMAIN,
  managed,
  named,
  ownedBy,
  run,
  SYNCED,
  team,
} from "../../../testing/builders/tags.ts";

describe("tags go where the kind has them, in its shape, without asking for a schema", () => {
  const labels = { team: "shop" };
  const group = { key: "team", value: "shop", propagateAtLaunch: true };
  const shy = { key: "a", value: "1", propagateAtLaunch: false };
  const tier = "db-f1-micro";
  const scaling = "autoscaling.aws.upbound.io/v1beta3";
  const kms = { tagKey: "team", tagValue: "shop" };
  const redshift = "redshift.aws.crossplane.io/v1alpha1";
  const other = { tag: "a", value: "1" };
  const shop = { tag: "team", value: "shop" };
  type Row = [reason: string, group: string, kind: string, forProvider: JsonObject, before?: JsonObject];
  const sql = (like: (settings: JsonObject) => JsonValue): [JsonObject, JsonObject] => [
    { settings: like({ tier, userLabels: labels }) },
    { settings: like({ tier }) },
  ];
  test.each<Row>([
    ["GKE: resourceLabels", "container.gcp.upbound.io/v1beta2", "Cluster", { resourceLabels: labels }],
    ["Cloud SQL: settings.userLabels", "sql.gcp.upbound.io/v1beta2", "DatabaseInstance", ...sql((it) => it)],
    ["Cloud SQL at first: settings is a list", "sql.gcp.upbound.io/v1beta1", "DatabaseInstance", ...sql((it) => [it])],
    ["monitoring: userLabels", "monitoring.gcp.m.upbound.io/v1beta1", "AlertPolicy", { userLabels: labels }],
    ["a GCP kind with labels", "pubsub.gcp.upbound.io/v1beta2", "Topic", { labels }],
    ["a list, whose instances get the tag too", scaling, "AutoscalingGroup", { tag: [group] }],
    ["new tags like the first", scaling, "AutoscalingGroup", { tag: [shy, { ...shy, ...team }] }, { tag: [shy] }],
    ["ECR: resourceTags", "ecr.aws.upbound.io/v1beta1", "RepositoryCreationTemplate", { resourceTags: labels }],
    ["classic RDS: a list", "rds.aws.crossplane.io/v1alpha1", "DBParameterGroup", { tags: [team] }],
    ["classic KMS: a list with keys of its own", "kms.aws.crossplane.io/v1alpha1", "Key", { tags: [kms] }],
    ["classic Redshift: a list with other keys", redshift, "Cluster", { tags: [other, shop] }, { tags: [other] }],
    ["classic S3: tagging.tagSet", "s3.aws.crossplane.io/v1beta1", "Bucket", { tagging: { tagSet: [team] } }],
  ])("%s", (_reason, apiVersion, kind, forProvider, before) => {
    const it = managed(apiVersion, kind, before);
    const draft = run({ tags: { add: [team] }, desired: { it }, capabilities: ["RequiredSchemas"] });
    expect(at(desiredOf(draft, "it"), "spec.forProvider")).toEqual(forProvider);
    expect(draft.requiredSchemas.size).toBe(0);
    expect(draft.conditions).toMatchObject([{ reason: "Owned", message: "1 tagged" }]);
  });
});

const azure = (tags: JsonValue) => managed("apimanagement.azure.upbound.io/v1beta1", "NamedValue", { tags });
const labels = [{ key: "a", valueType: "STRING", description: "b" }];
test.each<[reason: string, desired: JsonObject]>([
  ["Azure's NamedValue: a list of texts", azure(["a", "b"])],
  ["the same, empty", azure([])],
  ["a list that describes labels", managed("monitoring.gcp.upbound.io/v1beta1", "MetricDescriptor", { labels })],
  ["what may be a list or not", managed("sql.gcp.upbound.io/v1beta1", "DatabaseInstance")],
  ["a Helm release", managed("helm.crossplane.io/v1beta1", "Release")],
])("what holds no tags is left alone, whatever it is called: %s", (_reason, desired) => {
  const draft = run({ tags: { add: [team] }, desired: { it: desired } });
  expect(draft.resources.size).toBe(0);
  expect(draft.conditions).toMatchObject([
    { reason: "NothingToTag", message: `0 tagged, 1 not selected or without tags (${desired["kind"]})` },
  ]);
});

describe("a kind without tags that other XRs can declare is arbitrated", () => {
  const block = (name: string, rest: JsonObject = {}): JsonObject =>
    managed("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", { region: "eu-west-1", bucket: name }, rest);
  const tags: JsonObject = { add: [team] };
  const desired = { bucket: block("orders") };
  const first = run({ tags, desired, contenders: [] });
  const ours = applied(first, "ours", CREATED, SYNCED);
  const reconcile = (...others: readonly JsonObject[]) =>
    run({ tags, desired, observed: { bucket: ours }, contenders: [ours, ...others] });

  const marks = { ...ownedBy("Shop.apps.example.org/other"), [`${DOMAIN}/contenders`]: "ours" };
  const theirs = withPolicies(applied(first, "theirs", marks, SYNCED), "*");
  const created = "Arbitrating: 0 tagged, 1 not tagged; bucket: this XR only observes it";
  const alone = "Owned: 0 tagged, 1 owned without tags (BucketPublicAccessBlock)";
  const observed = "ObservedOnly: 0 tagged, 1 only observed; bucket: Shop.apps.example.org/other";
  // A draft that is made beside the tests would be that of the code without the mutant.
  test.each<[reason: string, make: () => Draft, policies: readonly string[], says: string]>([
    ["created as an observer", () => run({ tags, desired, contenders: [] }), ["Observe"], created],
    ["observed beside its owner", () => reconcile(theirs), ["Observe"], observed],
    ["owned by an XR that is alone", () => reconcile(), ["*"], alone],
  ])("it is %s, without tags, and the condition says so", (_reason, make, managementPolicies, message) => {
    const draft = make();
    const forProvider = { region: "eu-west-1", bucket: "orders" };
    expect(desiredOf(draft)["spec"]).toEqual({ forProvider, managementPolicies });
    expect(draft.requirements.size).toBe(1);
    expect(says(draft)).toContain(message);
  });

  const ignored = block("orders", { metadata: { annotations: { [`${DOMAIN}/ignore-tags`]: "true" } } });
  test.each<[reason: string, desired: JsonObject, tags: JsonObject, observed: Record<string, JsonObject>]>([
    ["only the cloud knows its name", managed("iam.aws.upbound.io/v1beta1", "AccessKey", { user: "a" }), tags, {}],
    ["the input leaves it out", block("orders"), { ...tags, ignore: ["b*"] }, {}],
    ["an operator leaves it out", block("orders"), tags, { bucket: ignored }],
  ])("not where %s", (_reason, it, input, observed) => {
    const draft = run({ tags: input, desired: { bucket: it }, observed, contenders: [] });
    expect([draft.resources.size, draft.requirements.size]).toEqual([0, 0]);
  });
});

test("a resource whose name the pipeline sets as metadata.name is arbitrated like one with the annotation", () => {
  const [byName, byAnnotation] = [{ metadata: { name: "orders" } }, named].map((metadata) => {
    const it = managed("s3.aws.upbound.io/v1beta2", "Bucket", { region: "eu-west-1" }, metadata);
    return [...run({ tags: { add: [team] }, desired: { it }, contenders: [] }).requirements.keys()];
  });
  expect(byName).toHaveLength(1);
  expect(byName).toEqual(byAnnotation);
});

test("a step before those that compose says so, once what they compose exists", () => {
  const spec = { forProvider: {}, managementPolicies: ["*"] };
  const role = managed("iam.aws.upbound.io/v1beta1", "Role", {}, { spec });
  const leaving = { ...role, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
  const order = "; the steps before this one desire no resource: move this step behind those that compose role";
  const reports = (observed: NonNullable<CallParts["observed"]>) => says(run({ tags: { add: [team] }, observed }));
  const own = { "shared/db/a/b": role, "consumers/credentials/a/Role": role };
  expect(reports({ role, leaving, ...own })).toBe(`NothingToTag: 0 tagged${order}`);
  expect(reports({ leaving })).toBe("NothingToTag: 0 tagged");
});
