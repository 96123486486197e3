import { expect, test } from "vitest";
import { referenceStems } from "../../src/crossplane/providers/reference-names.ts";
import { findTwin } from "../../src/crossplane/twin.ts";

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
  ["s3.aws.crossplane.io/v1beta1", "Bucket", undefined],
  ["v1", "ConfigMap", undefined],
])("the twin of %s %s is of %s", (apiVersion, kind, twin) => {
  expect(findTwin(apiVersion, kind)).toBe(twin);
});

test.each<[field: string, stems: readonly string[]]>([
  ["vpcId", ["vpcId"]],
  ["subnetIds", ["subnetIds", "subnetId"]],
  ["principalArn", ["principalArn", "principalArnFromRole"]],
])("references to %s begin with %j", (field, stems) => {
  expect(referenceStems(field)).toEqual(stems);
});
