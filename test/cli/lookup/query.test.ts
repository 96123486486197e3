import { expect, test } from "vitest";
import { toNames } from "../../../cli/lookup/holding.ts";

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
