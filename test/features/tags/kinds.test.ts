import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { at, DOMAIN, desiredOf, run, team } from "../../../testing/builders/tags.ts";

const composed = (
  apiVersion: string,
  kind: string,
  forProvider: JsonObject = {},
  rest: JsonObject = {},
): JsonObject => ({
  apiVersion,
  kind,
  spec: { forProvider },
  ...rest,
});

const block = (forProvider: JsonObject, rest: JsonObject = {}): JsonObject =>
  composed("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", { region: "eu-west-1", ...forProvider }, rest);

describe("tags go where the kind has them, in its shape, without asking for a schema", () => {
  const group = { key: "team", value: "shop", propagateAtLaunch: true };
  test.each<{ reason: string; desired: JsonObject; forProvider: JsonObject }>([
    {
      reason: "GKE: resourceLabels",
      desired: composed("container.gcp.upbound.io/v1beta2", "Cluster"),
      forProvider: { resourceLabels: { team: "shop" } },
    },
    {
      reason: "Cloud SQL: settings.userLabels",
      desired: composed("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", { settings: { tier: "db-f1-micro" } }),
      forProvider: { settings: { tier: "db-f1-micro", userLabels: { team: "shop" } } },
    },
    {
      reason: "Cloud SQL in its first version: settings is a list of one",
      desired: composed("sql.gcp.upbound.io/v1beta1", "DatabaseInstance", { settings: [{ tier: "db-f1-micro" }] }),
      forProvider: { settings: [{ tier: "db-f1-micro", userLabels: { team: "shop" } }] },
    },
    {
      reason: "monitoring: userLabels",
      desired: composed("monitoring.gcp.m.upbound.io/v1beta1", "AlertPolicy"),
      forProvider: { userLabels: { team: "shop" } },
    },
    {
      reason: "a GCP kind with labels",
      desired: composed("pubsub.gcp.upbound.io/v1beta2", "Topic"),
      forProvider: { labels: { team: "shop" } },
    },
    {
      reason: "AutoscalingGroup: a list, whose instances get the tag too",
      desired: composed("autoscaling.aws.upbound.io/v1beta3", "AutoscalingGroup"),
      forProvider: { tag: [group] },
    },
    {
      reason: "AutoscalingGroup with tags: new ones like the first",
      desired: composed("autoscaling.aws.upbound.io/v1beta3", "AutoscalingGroup", {
        tag: [{ key: "a", value: "1", propagateAtLaunch: false }],
      }),
      forProvider: {
        tag: [
          { key: "a", value: "1", propagateAtLaunch: false },
          { ...group, propagateAtLaunch: false },
        ],
      },
    },
    {
      reason: "ECR: resourceTags",
      desired: composed("ecr.aws.upbound.io/v1beta1", "RepositoryCreationTemplate"),
      forProvider: { resourceTags: { team: "shop" } },
    },
    {
      reason: "classic RDS: a list",
      desired: composed("rds.aws.crossplane.io/v1alpha1", "DBParameterGroup"),
      forProvider: { tags: [{ key: "team", value: "shop" }] },
    },
    {
      reason: "classic KMS: a list with keys of its own",
      desired: composed("kms.aws.crossplane.io/v1alpha1", "Key"),
      forProvider: { tags: [{ tagKey: "team", tagValue: "shop" }] },
    },
    {
      reason: "classic Redshift: a list with other keys",
      desired: composed("redshift.aws.crossplane.io/v1alpha1", "Cluster", { tags: [{ tag: "a", value: "1" }] }),
      forProvider: {
        tags: [
          { tag: "a", value: "1" },
          { tag: "team", value: "shop" },
        ],
      },
    },
    {
      reason: "classic S3: tagging.tagSet",
      desired: composed("s3.aws.crossplane.io/v1beta1", "Bucket"),
      forProvider: { tagging: { tagSet: [{ key: "team", value: "shop" }] } },
    },
  ])("$reason", ({ desired, forProvider }) => {
    const draft = run({ tags: { add: [team] }, desired: { it: desired }, capabilities: ["RequiredSchemas"] });
    expect(at(desiredOf(draft, "it"), "spec.forProvider")).toEqual(forProvider);
    expect(draft.requiredSchemas.size).toBe(0);
    expect(draft.conditions).toMatchObject([{ reason: "Owned", message: "1 tagged" }]);
  });
});

describe("what holds no tags is left alone, whatever it is called", () => {
  test.each<{ reason: string; desired: JsonObject }>([
    {
      reason: "Azure's NamedValue: a list of texts",
      desired: composed("apimanagement.azure.upbound.io/v1beta1", "NamedValue", { tags: ["a", "b"] }),
    },
    {
      reason: "the same, empty",
      desired: composed("apimanagement.azure.upbound.io/v1beta1", "NamedValue", { tags: [] }),
    },
    {
      reason: "GCP's MetricDescriptor: a list that describes labels",
      desired: composed("monitoring.gcp.upbound.io/v1beta1", "MetricDescriptor", {
        labels: [{ key: "a", valueType: "STRING", description: "b" }],
      }),
    },
    {
      reason: "Cloud SQL in its first version, with nothing that shows what settings is",
      desired: composed("sql.gcp.upbound.io/v1beta1", "DatabaseInstance"),
    },
    { reason: "a Helm release", desired: composed("helm.crossplane.io/v1beta1", "Release") },
  ])("$reason", ({ desired }) => {
    const draft = run({ tags: { add: [team] }, desired: { it: desired } });
    expect(draft.resources.size).toBe(0);
    expect(draft.conditions).toMatchObject([
      { reason: "NothingToTag", message: `0 tagged, 1 without tags (${desired["kind"]})` },
    ]);
  });
});

describe("a kind without tags that other XRs can declare is arbitrated", () => {
  const observedBlock = (name: string, rest: JsonObject = {}): JsonObject =>
    block(
      { bucket: "orders" },
      {
        metadata: {
          name,
          uid: name,
          creationTimestamp: "2026-01-01T00:00:00Z",
          labels: { [`${DOMAIN}/identity`]: identityOf(first) },
          annotations: { "crossplane.io/composition-resource-name": "it", ...rest },
        },
        spec: { forProvider: { region: "eu-west-1", bucket: "orders" }, managementPolicies: ["*"] },
        status: { conditions: [{ type: "Synced", status: "True" }] },
      },
    );
  const tags: JsonObject = { add: [team] };
  const desired = { it: block({ bucket: "orders" }) };
  const first = run({ tags, desired, contenders: [] });

  function identityOf(draft: ReturnType<typeof run>): JsonValue {
    return at(desiredOf(draft, "it"), `metadata.labels[${DOMAIN}/identity]`) ?? "";
  }

  test("it is created as an observer, without tags", () => {
    expect(desiredOf(first, "it")["spec"]).toEqual({
      ...(block({ bucket: "orders" })["spec"] as JsonObject),
      managementPolicies: ["Observe"],
    });
    expect([...first.requirements.keys()]).toHaveLength(1);
    expect(first.conditions).toMatchObject([{ reason: "Arbitrating" }]);
  });

  test("of two XRs the one that does not own it has no Delete, and says who does", () => {
    const owner = `Shop.apps.example.org/other`;
    const theirs = observedBlock("theirs", {
      [`${DOMAIN}/owner`]: owner,
      [`${DOMAIN}/tags-owner`]: `${owner}#it`,
      [`${DOMAIN}/contenders`]: "ours",
    });
    const ours = observedBlock("ours");
    const draft = run({ tags, desired, observed: { it: ours }, contenders: [ours, theirs] });
    expect(at(desiredOf(draft, "it"), "spec.managementPolicies")).toEqual(["Observe"]);
    expect(draft.conditions).toMatchObject([{ status: "False", reason: "OwnedByAnother" }]);
    expect(draft.conditions[0]?.message).toContain("0 tagged, 1 not tagged; it: Shop.apps.example.org/other");
  });

  test("who is alone owns it, and the condition says that it has no tags", () => {
    const ours = observedBlock("ours", { "crossplane.io/external-create-succeeded": "2026-01-01T00:00:00Z" });
    const draft = run({ tags, desired, observed: { it: ours }, contenders: [ours] });
    expect(at(desiredOf(draft, "it"), "spec.managementPolicies")).toEqual(["*"]);
    expect(at(desiredOf(draft, "it"), "spec.forProvider.tags")).toBeUndefined();
    expect(draft.conditions).toMatchObject([
      { status: "True", reason: "Owned", message: "0 tagged, 1 owned without tags (BucketPublicAccessBlock)" },
    ]);
  });

  test.each<{ reason: string; desired: JsonObject }>([
    { reason: "its bucket is not known yet", desired: block({ bucketRef: { name: "orders" } }) },
    {
      reason: "only the cloud knows its name",
      desired: composed("iam.aws.upbound.io/v1beta1", "AccessKey", { user: "a" }),
    },
    {
      reason: "the input leaves it out",
      desired: block({ bucket: "orders" }, { metadata: { annotations: { [`${DOMAIN}/ignore-tags`]: "true" } } }),
    },
  ])("not where $reason", ({ desired: it }) => {
    const draft = run({ tags, desired: { it }, contenders: [] });
    expect(draft.resources.size).toBe(0);
    expect(draft.requirements.size).toBe(0);
  });
});

test("a resource whose name the pipeline sets as metadata.name is arbitrated like one with the annotation", () => {
  const bucket = (metadata: JsonObject): JsonObject =>
    composed("s3.aws.upbound.io/v1beta2", "Bucket", { region: "eu-west-1" }, { metadata });
  const [byName, byAnnotation] = [{ name: "orders" }, { annotations: { "crossplane.io/external-name": "orders" } }].map(
    (metadata) => run({ tags: { add: [team] }, desired: { it: bucket(metadata) }, contenders: [] }),
  );
  expect(byName?.requirements.size).toBe(1);
  expect([...(byName?.requirements.keys() ?? [])]).toEqual([...(byAnnotation?.requirements.keys() ?? [])]);
});
