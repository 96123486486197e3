import { expect, test } from "vitest";
import { findResources, findSchema, findUnmatchedKinds } from "../../../cli/render/answers.ts";
import type { ResourceSelector } from "../../../cli/render/protocol.ts";
import { fromStruct, toStruct } from "../../../cli/render/protocol.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { objectOf } from "../../../testing/builders/kubernetes.ts";

const object = (kind: string, name: string, labels: JsonObject = {}, namespace = "a"): JsonObject =>
  objectOf("v1", kind, { name, namespace, labels });

const resources = [
  object("Secret", "b", { team: "x", env: "prod" }),
  object("Secret", "a", { team: "x" }),
  object("Secret", "b", {}, "other"),
  object("ConfigMap", "a", { team: "x" }),
  { apiVersion: "v1", kind: "Secret" },
  { apiVersion: "v1", kind: "Node", metadata: { name: "n" } },
];

test.each<[reason: string, match: Partial<ResourceSelector>, names: readonly string[]]>([
  ["a name finds what has it in the namespace", { matchName: "b", namespace: "a" }, ["a/b"]],
  ["a name finds nothing of another namespace", { matchName: "a", namespace: "other" }, []],
  ["a name without a namespace finds nothing namespaced", { matchName: "b" }, []],
  ["a name without a namespace finds what is cluster-scoped", { kind: "Node", matchName: "n" }, ["undefined/n"]],
  ["a name that nothing has", { matchName: "c", namespace: "a" }, []],
  ["the kind has to be right", { kind: "Pod", matchName: "a", namespace: "a" }, []],
  ["the API version as well", { apiVersion: "v2", matchName: "a", namespace: "a" }, []],
  ["labels find all that have them, by name", { matchLabels: { labels: { team: "x" } } }, ["a/a", "a/b"]],
  ["labels find those of one namespace", { matchLabels: { labels: {} }, namespace: "other" }, ["other/b"]],
  ["all labels count", { matchLabels: { labels: { team: "x", env: "prod" } } }, ["a/b"]],
  ["no labels find everything", { kind: "ConfigMap", matchLabels: { labels: {} } }, ["a/a"]],
])("a selector is answered by name and labels: %s", (_, match, names) => {
  const { items } = findResources({ apiVersion: "v1", kind: "Secret", ...match }, resources);
  const found = items.map(({ resource }) => (resource ? fromStruct(resource) : {})["metadata"] as JsonObject);
  expect(found.map(({ namespace, name }) => `${String(namespace)}/${String(name)}`)).toEqual(names);
});

const kinds = (...entries: readonly { group?: string; version: string; kind: string }[]) => ({
  type: "object",
  "x-kubernetes-group-version-kind": entries,
});
const tree = kinds({ group: "example.org", version: "v1", kind: "Tree" });
const schemas = [tree, kinds({ version: "v1", kind: "A" }, { version: "v1", kind: "B" })];

test.each([
  ["a kind that is there has", "example.org/v1", "Tree", { openapiV3: toStruct(tree) }],
  ["a kind that is not there has no", "example.org/v1", "Bush", {}],
  ["another version has no", "example.org/v2", "Tree", {}],
  ["a schema of several kinds is no kind's, which has no", "v1", "A", {}],
])("%s schema", (_, apiVersion, kind, schema) => {
  expect(findSchema({ apiVersion, kind }, schemas)).toEqual(schema);
});

const [V1, V1BETA1, OTHER_GROUP] = ["example.org/v1", "example.org/v1beta1", "example.com/v2"];
test.each<[of: string, files: readonly string[], where: string, ...says: readonly string[]]>([
  ["names/record", [V1BETA1], "another version of it only", `the files have it in ${V1BETA1}`],
  ["names/record", [V1, V1BETA1], "this version as well"],
  ["names/record", [OTHER_GROUP], "another group only"],
  ["shared-resource/db", [OTHER_GROUP], "another group only", `the files have it in ${OTHER_GROUP}`],
  ["shared-resource/db", [], "no version", "no file has this kind"],
  ["shared-resource/db", [V1], "this version"],
])("the kind of a requirement %s that the files %j have in %s is said once, if at all", (of, files, _, ...says) => {
  const [a, b] = ["a", "b"].map((matchName) => ({ apiVersion: V1, kind: "Database", matchName }));
  const asked = { [`${of}#a`]: a, [`${of}#b`]: b } as Parameters<typeof findUnmatchedKinds>[0];
  const resources = files.map((apiVersion) => ({ apiVersion, kind: "Database" }));
  const sentences = says.map((rest) => `Database is required in ${V1}, and ${rest}`);
  expect(findUnmatchedKinds(asked, resources)).toEqual(sentences);
});
