import { expect, test } from "vitest";
import { listTables } from "../../scripts/facts/list-tables.ts";
import { withoutScope } from "../../src/crossplane/api-group.ts";
import { findTwin, toManagedKind } from "../../src/crossplane/managed-resource.ts";
import { listReferences } from "../../src/crossplane/providers/reference-names.ts";

const twinOf = (apiVersion: string, kind: string) => findTwin(toManagedKind(apiVersion, kind))?.apiVersion;

test.each<[apiVersion: string, kind: string, twin: string | undefined]>([
  ["s3.aws.upbound.io/v1beta2", "Bucket", "s3.aws.m.upbound.io/v1beta1"],
  ["s3.aws.m.upbound.io/v1beta1", "Bucket", "s3.aws.upbound.io/v1beta1"],
  ["s3.aws.m.upbound.io/v1beta1", "TimeMachine", "s3.aws.upbound.io/v1beta1"],
  ["azure.m.upbound.io/v1beta1", "ResourceGroup", "azure.upbound.io/v1beta1"],
  ["container.gcp.m.upbound.io/v1beta1", "Cluster", "container.gcp.upbound.io/v1beta2"],
  ["container.gcp.upbound.io/v1beta2", "Cluster", "container.gcp.m.upbound.io/v1beta1"],
  ["mq.aws.upbound.io/v1alpha1", "User", "mq.aws.m.upbound.io/v1alpha1"],
  ["kubernetes.crossplane.io/v1alpha2", "Object", "kubernetes.m.crossplane.io/v1alpha1"],
  ["kubernetes.m.crossplane.io/v1alpha1", "Object", "kubernetes.crossplane.io/v1alpha2"],
  ["upjet.example.org/v1alpha1", "Object", "upjet.m.example.org/v1alpha1"],
  ["s3.aws.crossplane.io/v1beta1", "Bucket", undefined],
  ["example.org/v1", "Object", undefined],
  ["v1", "ConfigMap", undefined],
])("the twin of %s %s is of %s", (apiVersion, kind, twin) => {
  expect(twinOf(apiVersion, kind)).toBe(twin);
});

test("every kind of Upbound's providers and its twin find each other", () => {
  const domains = ["aws.upbound.io", undefined, "azure.upbound.io", "gcp.upbound.io"];
  const kinds = listTables().flatMap(({ entries }, index) =>
    [...entries.keys()].map((entry) => ({ entry, domain: domains[index] })),
  );
  const found = kinds.filter(({ domain }) => domain !== undefined);
  for (const { entry, domain } of found) {
    const [service, kind = ""] = entry.split(":");
    const group = [service, domain].filter((part) => part !== "-").join(".");
    const twin = twinOf(`${group}/v1`, kind) ?? "";
    expect(withoutScope(twin), entry).toMatch(`${group}/v1`);
    expect(twinOf(twinOf(twin, kind) ?? "", kind), entry).toBe(twin);
  }
  expect(found.length).toBeGreaterThan(2000);
});

test.each<[field: string, stems: readonly string[]]>([
  ["vpcId", ["vpcId"]],
  ["subnetIds", ["subnetIds", "subnetId"]],
  ["principalArn", ["principalArn", "principalArnFromRole"]],
])("references to %s begin with %j", (field, stems) => {
  expect(listReferences(field)).toEqual(stems.flatMap((stem) => ["Ref", "Refs", "Selector"].map((end) => stem + end)));
});
