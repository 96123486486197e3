import { expect, test } from "vitest";
import { fetchResources } from "../../../cli/render/fetch-resources.ts";
import type { ResourceSelector } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";

const object = (kind: string, name: string, labels: JsonObject = {}, namespace = "a"): JsonObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace, labels },
});

const resources = [
  object("Secret", "b", { team: "x", env: "prod" }),
  object("Secret", "a", { team: "x" }),
  object("Secret", "b", {}, "other"),
  object("ConfigMap", "a", { team: "x" }),
  { apiVersion: "v1", kind: "Secret" },
];

test.each<{ reason: string; match: Partial<ResourceSelector>; names: readonly string[] }>([
  { reason: "a name finds the first of that name, whatever its namespace", match: { matchName: "b" }, names: ["a/b"] },
  { reason: "a name that nothing has", match: { matchName: "c" }, names: [] },
  { reason: "the kind has to be right", match: { kind: "Pod", matchName: "a" }, names: [] },
  { reason: "the API version as well", match: { apiVersion: "v2", matchName: "a" }, names: [] },
  {
    reason: "labels find all that have them, by name",
    match: { matchLabels: { labels: { team: "x" } } },
    names: ["a/a", "a/b"],
  },
  { reason: "all labels count", match: { matchLabels: { labels: { team: "x", env: "prod" } } }, names: ["a/b"] },
  { reason: "no labels find everything", match: { kind: "ConfigMap", matchLabels: { labels: {} } }, names: ["a/a"] },
])("a selector is answered by name and labels: $reason", ({ match, names }) => {
  const { items } = fetchResources({ apiVersion: "v1", kind: "Secret", ...match }, resources);
  const found = items.map(({ resource }) => resource?.["metadata"] as JsonObject);
  expect(found.map(({ namespace, name }) => `${String(namespace)}/${String(name)}`)).toEqual(names);
});
