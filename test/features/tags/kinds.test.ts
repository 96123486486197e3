import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/model/draft.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { at, DOMAIN, desiredOf, run, team } from "../../../testing/builders/tags.ts";

const composed = (
  apiVersion: string,
  kind: string,
  forProvider: JsonObject = {},
  rest: JsonObject = {},
): JsonObject => ({ apiVersion, kind, spec: { forProvider }, ...rest });

const block = (forProvider: JsonObject, rest: JsonObject = {}): JsonObject =>
  composed("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", { region: "eu-west-1", ...forProvider }, rest);

describe("tags go where the kind has them, in its shape, without asking for a schema", () => {
  const labels = { team: "shop" };
  const group = { key: "team", value: "shop", propagateAtLaunch: true };
  const shy = { key: "a", value: "1", propagateAtLaunch: false };
  const tier = "db-f1-micro";
  type Row = [reason: string, group: string, kind: string, forProvider: JsonObject, before?: JsonObject];
  test.each<Row>([
    ["GKE: resourceLabels", "container.gcp.upbound.io/v1beta2", "Cluster", { resourceLabels: labels }],
    [
      "Cloud SQL: settings.userLabels",
      "sql.gcp.upbound.io/v1beta2",
      "DatabaseInstance",
      { settings: { tier, userLabels: labels } },
      { settings: { tier } },
    ],
    [
      "Cloud SQL in its first version: settings is a list of one",
      "sql.gcp.upbound.io/v1beta1",
      "DatabaseInstance",
      { settings: [{ tier, userLabels: labels }] },
      { settings: [{ tier }] },
    ],
    ["monitoring: userLabels", "monitoring.gcp.m.upbound.io/v1beta1", "AlertPolicy", { userLabels: labels }],
    ["a GCP kind with labels", "pubsub.gcp.upbound.io/v1beta2", "Topic", { labels }],
    [
      "AutoscalingGroup: a list, whose instances get the tag too",
      "autoscaling.aws.upbound.io/v1beta3",
      "AutoscalingGroup",
      { tag: [group] },
    ],
    [
      "AutoscalingGroup with tags: new ones like the first",
      "autoscaling.aws.upbound.io/v1beta3",
      "AutoscalingGroup",
      { tag: [shy, { ...group, propagateAtLaunch: false }] },
      { tag: [shy] },
    ],
    ["ECR: resourceTags", "ecr.aws.upbound.io/v1beta1", "RepositoryCreationTemplate", { resourceTags: labels }],
    ["classic RDS: a list", "rds.aws.crossplane.io/v1alpha1", "DBParameterGroup", { tags: [team] }],
    [
      "classic KMS: a list with keys of its own",
      "kms.aws.crossplane.io/v1alpha1",
      "Key",
      { tags: [{ tagKey: "team", tagValue: "shop" }] },
    ],
    [
      "classic Redshift: a list with other keys",
      "redshift.aws.crossplane.io/v1alpha1",
      "Cluster",
      { tags: ["a", "team"].map((tag) => ({ tag, value: tag === "a" ? "1" : "shop" })) },
      { tags: [{ tag: "a", value: "1" }] },
    ],
    ["classic S3: tagging.tagSet", "s3.aws.crossplane.io/v1beta1", "Bucket", { tagging: { tagSet: [team] } }],
  ])("%s", (_reason, apiVersion, kind, forProvider, before) => {
    const it = composed(apiVersion, kind, before);
    const draft = run({ tags: { add: [team] }, desired: { it }, capabilities: ["RequiredSchemas"] });
    expect(at(desiredOf(draft, "it"), "spec.forProvider")).toEqual(forProvider);
    expect(draft.requiredSchemas.size).toBe(0);
    expect(draft.conditions).toMatchObject([{ reason: "Owned", message: "1 tagged" }]);
  });
});

describe("what holds no tags is left alone, whatever it is called", () => {
  const named = (tags: JsonValue) => composed("apimanagement.azure.upbound.io/v1beta1", "NamedValue", { tags });
  const labels = [{ key: "a", valueType: "STRING", description: "b" }];
  test.each<[reason: string, desired: JsonObject]>([
    ["Azure's NamedValue: a list of texts", named(["a", "b"])],
    ["the same, empty", named([])],
    [
      "GCP's MetricDescriptor: a list that describes labels",
      composed("monitoring.gcp.upbound.io/v1beta1", "MetricDescriptor", { labels }),
    ],
    [
      "Cloud SQL in its first version, with nothing that shows what settings is",
      composed("sql.gcp.upbound.io/v1beta1", "DatabaseInstance"),
    ],
    ["a Helm release", composed("helm.crossplane.io/v1beta1", "Release")],
  ])("%s", (_reason, desired) => {
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

  const owner = "Shop.apps.example.org/other";
  const theirs = (more: JsonObject) =>
    observedBlock("theirs", { [`${DOMAIN}/owner`]: owner, [`${DOMAIN}/tags-owner`]: `${owner}#it`, ...more });
  const nameOf = (draft: Draft) => at(desiredOf(draft, "it"), "metadata.annotations[crossplane.io/external-name]");

  test("it is created as an observer, without tags", () => {
    expect(desiredOf(first, "it")["spec"]).toEqual({
      ...(block({ bucket: "orders" })["spec"] as JsonObject),
      managementPolicies: ["Observe"],
    });
    expect([...first.requirements.keys()]).toHaveLength(1);
    expect(first.conditions).toMatchObject([{ reason: "Arbitrating" }]);
  });

  test("of two XRs the one that does not own it has no Delete, and says who does", () => {
    const ours = observedBlock("ours");
    const draft = run({
      tags,
      desired,
      observed: { it: ours },
      contenders: [ours, theirs({ [`${DOMAIN}/contenders`]: "ours" })],
    });
    expect(at(desiredOf(draft, "it"), "spec.managementPolicies")).toEqual(["Observe"]);
    expect(draft.conditions).toMatchObject([{ status: "True", reason: "ObservedOnly" }]);
    expect(draft.conditions[0]?.message).toContain("0 tagged, 1 only observed; it: Shop.apps.example.org/other");
  });

  test.each<[reason: string, own: JsonObject, other: JsonObject | undefined, is: string | undefined]>([
    ["the owner's provider gave it, for an observer", {}, externalName("made-up"), "made-up"],
    [
      "its own provider still finds, while the owner has another",
      externalName("before"),
      externalName("made-up"),
      "before",
    ],
    ["it has, where the owner's provider has not given it yet", externalName("before"), {}, "before"],
    ["it observed, once it takes over", externalName("made-up"), undefined, "made-up"],
    ["its provider will give it", {}, undefined, undefined],
  ])("has the external name that %s", (_reason, own, other, is) => {
    const ours = observedBlock("ours", own);
    const draft = run({ tags, desired, observed: { it: ours }, contenders: [ours, ...(other ? [theirs(other)] : [])] });
    expect(nameOf(draft)).toBe(is);
  });

  test("has no external name of the one that it was before", () => {
    const ours = observedBlock("ours", externalName("made-up"));
    const other = { it: block({ bucket: "bills" }) };
    expect(nameOf(run({ tags, desired: other, observed: { it: ours }, contenders: [] }))).toBeUndefined();
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

  test.each<[reason: string, desired: JsonObject, tags?: JsonObject, observed?: JsonObject]>([
    ["only the cloud knows its name", composed("iam.aws.upbound.io/v1beta1", "AccessKey", { user: "a" })],
    ["the input leaves it out", block({ bucket: "orders" }), { ...tags, ignore: ["i*"] }],
    [
      "an operator leaves it out",
      block({ bucket: "orders" }),
      tags,
      block({ bucket: "orders" }, { metadata: { annotations: { [`${DOMAIN}/ignore-tags`]: "true" } } }),
    ],
  ])("not where %s", (_reason, it, input = tags, own = undefined) => {
    const draft = run({ tags: input, desired: { it }, ...(own && { observed: { it: own } }), contenders: [] });
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

const externalName = (name: string): JsonObject => ({ "crossplane.io/external-name": name });
