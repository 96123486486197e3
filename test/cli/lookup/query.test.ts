import { expect, test } from "vitest";
import { isInPlace, type ResourceQuery, toLabel, toNames } from "../../../cli/lookup/holding.ts";

test.each([
  { name: "orders", parts: 1, names: ["orders"] },
  { name: "projects/p/topics/t", parts: 1, names: ["projects/p/topics/t"] },
  { name: "v1/ConfigMap/team-a/settings", parts: 4, names: ["v1", "ConfigMap", "team-a", "settings"] },
  { name: "v1/Namespace/team-a", parts: 4, names: ["v1", "Namespace", "", "team-a"] },
  { name: "apps/v1/Deployment/team-a/web", parts: 4, names: ["apps/v1", "Deployment", "team-a", "web"] },
  { name: "example.org/v1alpha1/Thing/it", parts: 4, names: ["example.org/v1alpha1", "Thing", "", "it"] },
  { name: "settings", parts: 4, names: undefined },
  { name: "v1/ConfigMap", parts: 4, names: undefined },
])("$name of a kind with $parts parts is $names", ({ name, parts, names }) => {
  expect(toNames(name, parts)).toEqual(names);
});

const azure = (name: string, resourceGroupName: string): ResourceQuery => ({
  group: "network.azure.upbound.io",
  kind: "VirtualNetwork",
  names: [name],
  scope: new Map([["resourceGroupName", resourceGroupName]]),
});
const manifest = (apiVersion: string, kind = "Job"): ResourceQuery => ({
  group: "kubernetes.crossplane.io",
  kind: "Object",
  names: [apiVersion, kind, "a", "b"],
  scope: new Map(),
});

test.each([
  { reason: "in other case, of Azure", a: azure("orders", "prod"), b: azure("ORDERS", "PROD"), isOne: true },
  { reason: "in another version of their API", a: manifest("batch/v1"), b: manifest("batch/v1beta1"), isOne: true },
  { reason: "of another kind", a: manifest("batch/v1"), b: manifest("batch/v1", "CronJob"), isOne: false },
  { reason: "in another group", a: azure("orders", "prod"), b: azure("orders", "test"), isOne: false },
])("two names $reason are looked up as one: $isOne", ({ a, b, isOne }) => {
  expect(toLabel(a) === toLabel(b) && isInPlace(a, b)).toBe(isOne);
});
