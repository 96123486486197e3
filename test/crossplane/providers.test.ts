import { describe, expect, test } from "vitest";
import { listTables } from "../../scripts/facts/list-tables.ts";
import { findFacts, type KindFacts } from "../../src/crossplane/providers/families.ts";
import { parseEntry, splitTable } from "../../src/crossplane/providers/table.ts";
import { formatFieldPath } from "../../src/model/field-path.ts";

const PREFIX = "spec.forProvider.";
const shorten = (path: readonly (string | number)[]): string => formatFieldPath(path).replace(PREFIX, "");

/** The facts in a line: what names it, what else tells it apart, where its tags are. */
function describeFacts({ tags, identity: { name, scope }, isNamedById }: KindFacts): string {
  const names = name.is === "externalName" ? (name.defaultsToName ? "name" : "external name") : name.paths.map(shorten);
  const field = tags.is === "known" && tags.field ? shorten(tags.field.path) : tags.is;
  const shape = JSON.stringify(tags.is === "known" ? tags.field?.shape : undefined) ?? "";
  const by = [names].flat().join("+");
  return `${by}${isNamedById ? " (id)" : ""} in ${scope.map(shorten).join("+") || "-"}; tags: ${field}${shape}`;
}

const azureScope = "name in";
const gcpPlaces = "project+region+location+zone";
test.each([
  ["web.azure.upbound.io", "LinuxWebAppSlot", "external name (id) in -; tags: tags"],
  ["web.azure.upbound.io", "WindowsWebAppSlot", `${azureScope} appServiceId; tags: tags`],
  ["amplify.aws.upbound.io", "Branch", "name in region+appId; tags: tags"],
  ["deploy.aws.upbound.io", "DeploymentGroup", "name in region+appName; tags: tags"],
  ["cloudwatchevents.aws.upbound.io", "Rule", "name in region+eventBusName; tags: tags"],
  ["rds.aws.upbound.io", "ProxyEndpoint", "name in region+dbProxyName; tags: tags"],
  ["codeartifact.aws.upbound.io", "Repository", "name in region+domain; tags: tags"],
  ["privateca.gcp.upbound.io", "Certificate", `name in ${gcpPlaces}+pool; tags: labels`],
  [
    "network.azure.upbound.io",
    "PrivateDNSZoneVirtualNetworkLink",
    `${azureScope} resourceGroupName+privateDnsZoneName; tags: tags`,
  ],
  ["container.gcp.upbound.io", "Cluster", `name in ${gcpPlaces}; tags: resourceLabels`],
  ["sql.gcp.upbound.io", "DatabaseInstance", `name in ${gcpPlaces}; tags: settings.userLabels`],
  ["monitoring.gcp.upbound.io", "AlertPolicy", `external name (id) in ${gcpPlaces}; tags: userLabels`],
  ["autoscaling.aws.upbound.io", "AutoscalingGroup", 'name in region; tags: tag[{"key":"","propagateAtLaunch":true}]'],
  ["autoscaling.aws.upbound.io", "GroupTag", "autoscalingGroupName+tag.key (id) in region; tags: none"],
  ["ecr.aws.upbound.io", "RepositoryCreationTemplate", "prefix in region; tags: resourceTags"],
  ["apimanagement.azure.upbound.io", "NamedValue", `${azureScope} resourceGroupName+apiManagementName; tags: none`],
  ["s3.aws.upbound.io", "BucketPublicAccessBlock", "bucket (id) in region; tags: none"],
  ["sqs.aws.upbound.io", "Queue", "name (id) in region; tags: tags"],
  ["sns.aws.upbound.io", "TopicSubscription", "topicArn+protocol+endpoint (id) in region; tags: none"],
  ["iam.aws.upbound.io", "RolePolicyAttachment", "role+policyArn (id) in -; tags: none"],
  ["ec2.aws.upbound.io", "VPC", "external name (id) in region; tags: tags"],
  ["ec2.aws.upbound.io", "Instance", "external name (id) in region; tags: tags"],
  ["s3.aws.upbound.io", "Bucket", "name in region; tags: tags"],
  ["rds.aws.crossplane.io", "DBParameterGroup", 'external name in region; tags: tags[{"key":""}]'],
  ["kms.aws.crossplane.io", "Key", 'external name in region; tags: tags[{"tagKey":""}]'],
  ["eks.aws.crossplane.io", "NodeGroup", "external name in region+clusterName; tags: tags"],
  ["s3.aws.upbound.io", "TimeMachine", "external name in region; tags: unknown"],
  ["helm.crossplane.io", "Release", "external name in region+location+project; tags: unknown"],
  [
    "kubernetes.crossplane.io",
    "Object",
    "manifest.apiVersion+manifest.kind+manifest.metadata.namespace+manifest.metadata.name in -; tags: manifest.metadata.labels",
  ],
])(
  "a kind is told apart by what its provider says, and tagged where its schema has tags: %s %s: %s",
  (group, kind, facts) => {
    expect(describeFacts(findFacts(group, kind))).toBe(facts);
  },
);

describe("every table", () => {
  const tables = listTables();

  test("names the version that it was read from", () => {
    expect(tables.map(({ source }) => /^\S+ v\d/.test(source))).toEqual(tables.map(() => true));
  });

  test("has an entry of one meaning for every kind, and knows the providers' kinds", () => {
    expect(tables.map(({ entries }) => entries.size)).toEqual([1030, 192, 767, 406]);
    for (const { entries } of tables) {
      for (const [name, { fields }] of entries) {
        expect(name, "service:Kind").toMatch(/^[\w-]+:[A-Z]\w*$/);
        expect(new Set(fields.map(String)).size, `fields of ${name}`).toBe(fields.length);
      }
    }
  });

  test("asks for no name of a kind that its fields identify, and for a name of every other", () => {
    for (const { entries } of tables) {
      for (const [name, { named, isId }] of entries) {
        expect(["metadata", "cloud", "fields", "either", "unknown"], name).toContain(named);
        if (isId) expect(["cloud", "fields", "either"], name).toContain(named);
      }
    }
  });
});

test("a table is read by service, and an entry by its marks", () => {
  const entries = splitTable("\ns3: Bucket@v1beta2\n  Policy!*=(bucket)-\n-: Group~(a,b.c)#x.tags[key,value]@v1/v2");
  expect([...entries.keys()]).toEqual(["s3:Bucket", "s3:Policy", "-:Group"]);
  const versions = { cluster: "v1beta1", namespaced: "v1beta1" };
  const neither = { isId: false, isUnique: false };
  const tags = { path: ["x", "tags"], shape: [{ key: "" }] };
  expect([...entries.values()].map(parseEntry)).toEqual([
    { named: "metadata", ...neither, fields: [], tags: "usual", versions: { ...versions, cluster: "v1beta2" } },
    { named: "fields", isId: true, isUnique: true, fields: [["bucket"]], tags: "none", versions },
    { named: "cloud", ...neither, fields: [["a"], ["b", "c"]], tags, versions: { cluster: "v1", namespaced: "v2" } },
  ]);
});
