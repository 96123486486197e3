import { describe, expect, test } from "vitest";
import { readMappings } from "../../../cli/files.ts";
import { findDeclarations } from "../../../cli/lookup/declarations.ts";
import { parseMapping } from "../../../cli/lookup/mapping.ts";
import { mappingOf as file } from "../../../testing/builders/mapping.ts";
import { temporaryFile } from "../../../testing/tools/temporary-folder.ts";

const bucket = (fields: object) => ({ apiGroup: "s3.aws.m.upbound.io", kind: "Bucket", ...fields });
const named = (externalName: object | string) => bucket({ externalName });
const object = (fields: object) => ({ apiGroup: "kubernetes.crossplane.io", kind: "Object", ...fields });

const namespace = { fromFieldPath: "metadata.namespace" };
const manifest = { apiVersion: "v1", kind: "ConfigMap", namespace, name: "{metadata.name}-{spec.shard}" };

const claim = {
  apiVersion: "platform.example.org/v1",
  kind: "XBucket",
  metadata: { namespace: "team-a", name: "orders" },
  spec: { name: "orders-data", shard: 7, isPublic: true, region: "eu-west-1" },
};

describe("what a claim stands for", () => {
  const NAME = ["metadata", "name"];
  const { namespace: _, ...without } = manifest;
  test.each([
    ["a literal", named("shared"), ["shared"], ["kind"]],
    ["a field", named({ fromFieldPath: "spec.name" }), ["orders-data"], ["spec", "name"]],
    ["a number", named({ fromFieldPath: "spec.shard" }), ["7"], ["spec", "shard"]],
    ["a boolean in a template", named("{spec.isPublic}-x"), ["true-x"], ["spec", "isPublic"]],
    ["an Object's manifest", object({ manifest }), ["v1", "ConfigMap", "team-a", "orders-7"], NAME],
    ["that of an Object without a namespace", object({ manifest: without }), ["v1", "ConfigMap", "", "orders-7"], NAME],
  ])("a mapping names a cloud resource by %s", (_, resource, names, path) => {
    const { declarations } = findDeclarations(claim, parseMapping(file([resource]), "m.yaml"));
    const declarer = { owner: "XBucket.platform.example.org/team-a/orders" };
    expect(declarations).toMatchObject([{ query: { names }, path, ...declarer }]);
  });

  test("is without .m, and where it is as far as that is known", () => {
    const resource = {
      apiGroup: "amplify.aws.m.upbound.io",
      kind: "Branch",
      externalName: { fromFieldPath: "spec.name" },
      providerConfig: "prod",
      scope: { region: { fromFieldPath: "spec.region" }, appId: { fromFieldPath: "spec.nothing" } },
    };
    const [declaration] = findDeclarations(claim, parseMapping(file([resource]), "m.yaml")).declarations;
    expect(declaration?.query).toEqual({
      group: "amplify.aws.upbound.io",
      kind: "Branch",
      names: ["orders-data"],
      providerConfig: "prod",
      scope: new Map([["region", "eu-west-1"]]),
    });
  });

  test("is not known where a field of its name is not set", () => {
    const resource = named("{spec.name}-{spec.nothing}");
    expect(findDeclarations(claim, parseMapping(file([resource]), "m.yaml"))).toEqual({
      declarations: [],
      doubts: ["cannot tell which Bucket it represents: spec.name is not set"],
      isKnown: true,
    });
  });
});

const RESOURCE = "mappings[0].resources[0]";
const NAME = `${RESOURCE}.externalName`;
const broken = bucket({ externalName: { fromFieldPath: "b", value: "a" }, color: "red" });
const ELSEWHERE = file([object({ manifest, scope: { region: "x" } })]);

test.each<[reason: string, content: unknown, ...faults: readonly string[]]>([
  ["nothing", null, "input: not an object with apiVersion, kind, mappings: null"],
  ["another kind", { ...file([named("a")]), kind: "Mapping" }, 'kind: not IdentityMapping: "Mapping"'],
  ["no resources", file([]), "mappings[0].resources: an empty list"],
  [
    "many at once",
    file([broken, bucket({})]),
    `${NAME}.value: unknown field; the fields here are fromFieldPath`,
    `${RESOURCE}.color: unknown field; the fields here are apiGroup, kind, externalName, manifest, providerConfig, scope`,
    "mappings[0].resources[1]: exactly one of externalName, manifest; found none",
  ],
  ["a brace", file([named("{logs")]), `${NAME}: not a template: the brace at character 1 is wrong; {metadata.name} is`],
  ["a template of no field", file([named("{a..b}")]), `${NAME}: not a template: {a..b} is wrong; {metadata.name} is`],
  ["an Object by its name", file([object({ externalName: "a" })]), `${NAME}: not allowed for an Object: set manifest`],
  ["a Bucket by a manifest", file([bucket({ manifest })]), `${RESOURCE}.manifest: not allowed for a Bucket: `],
  ["a place that is none", ELSEWHERE, `${RESOURCE}.scope.region: not a location field of Object, which has none`],
])("cannot use a mapping: %s", (_, content, ...faults) => {
  expect(() => parseMapping(content, "m.yaml")).toThrow(
    ["cannot use the mapping m.yaml:", ...faults.map((fault) => `  ${fault}`)].join("\n"),
  );
});

test.each([{ copies: [2] }, { copies: [1, 1] }])("one kind has one mapping, in files of $copies", ({ copies }) => {
  const { mappings, ...rest } = file([named("a")]);
  const files = copies.map((number) =>
    temporaryFile("mapping.yaml", JSON.stringify({ ...rest, mappings: Array(number).fill(mappings[0]) })),
  );
  expect(() => readMappings(files)).toThrow(`cannot use the mappings ${files.join(", ")}: more than one for XBucket.`);
});
