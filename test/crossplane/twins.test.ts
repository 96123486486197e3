import { expect, test } from "vitest";
import { findTwin, toManagedKind } from "../../src/crossplane/managed-resource.ts";

test.each([
  { apiVersion: "s3.aws.upbound.io/v1beta2", twin: "s3.aws.m.upbound.io/v1beta1" },
  { apiVersion: "s3.aws.m.upbound.io/v1beta1", twin: "s3.aws.upbound.io/v1beta1" },
  { apiVersion: "azure.upbound.io/v1beta1", twin: "azure.m.upbound.io/v1beta1" },
  { apiVersion: "kubernetes.crossplane.io/v1alpha2", twin: "kubernetes.m.crossplane.io/v1alpha1" },
  { apiVersion: "kubernetes.m.crossplane.io/v1alpha1", twin: "kubernetes.crossplane.io/v1alpha2" },
  { apiVersion: "upjet.example.org/v1alpha1", twin: "upjet.m.example.org/v1alpha1" },
  { apiVersion: "s3.aws.crossplane.io/v1beta1", twin: undefined },
  { apiVersion: "example.org/v1", twin: undefined },
])("the twin of $apiVersion is $twin", ({ apiVersion, twin }) => {
  expect(findTwin(toManagedKind(apiVersion, "Object"))?.apiVersion).toBe(twin);
});
