import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readMappings } from "../../../cli/files.ts";
import { findDeclarations } from "../../../cli/lookup/declarations.ts";
import { parseMapping } from "../../../cli/lookup/mapping.ts";
import { temporaryFolder } from "../../../testing/tools/temporary-folder.ts";

const file = (resources: unknown, more: object = {}) => ({
  apiVersion: "shared-infrastructure.fn.crossplane.io/v1beta1",
  kind: "IdentityMapping",
  mappings: [{ apiGroup: "platform.example.org", kind: "Bucket", resources, ...more }],
});

const bucket = (fields: object) => ({ apiGroup: "s3.aws.m.upbound.io", kind: "Bucket", ...fields });
const named = (externalName: object | string) => bucket({ externalName });
const object = (fields: object) => ({ apiGroup: "kubernetes.crossplane.io", kind: "Object", ...fields });

const manifest = {
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: { fromFieldPath: "metadata.namespace" },
  name: "{metadata.name}-{spec.shard}",
};

const claim = {
  apiVersion: "platform.example.org/v1",
  kind: "Bucket",
  metadata: { namespace: "team-a", name: "orders" },
  spec: { name: "orders-data", shard: 7, isPublic: true, region: "eu-west-1" },
};

describe("what a claim stands for", () => {
  const NAME = ["metadata", "name"];
  test.each([
    { reason: "a literal", resource: named("shared"), names: ["shared"], path: ["kind"] },
    {
      reason: "a field",
      resource: named({ fromFieldPath: "spec.name" }),
      names: ["orders-data"],
      path: ["spec", "name"],
    },
    { reason: "a number", resource: named({ fromFieldPath: "spec.shard" }), names: ["7"], path: ["spec", "shard"] },
    {
      reason: "a boolean in a template",
      resource: named("{spec.isPublic}-x"),
      names: ["true-x"],
      path: ["spec", "isPublic"],
    },
    {
      reason: "an Object's manifest",
      resource: object({ manifest }),
      names: ["v1", "ConfigMap", "team-a", "orders-7"],
      path: NAME,
    },
    {
      reason: "that of an Object without a namespace",
      resource: object({ manifest: { ...manifest, namespace: undefined } }),
      names: ["v1", "ConfigMap", "", "orders-7"],
      path: NAME,
    },
  ])("a mapping names a cloud resource by $reason", ({ resource, names, path }) => {
    const { declarations } = findDeclarations(claim, parseMapping(file([resource]), "m.yaml"));
    expect(declarations).toMatchObject([
      { query: { names }, path, owner: "Bucket.platform.example.org/team-a/orders" },
    ]);
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

test.each([
  { reason: "nothing", content: null, faults: ["input: not an object: null"] },
  {
    reason: "another kind",
    content: { ...file([named("a")]), kind: "Mapping" },
    faults: ['kind: not IdentityMapping: "Mapping"'],
  },
  { reason: "no resources", content: file([]), faults: ["mappings[0].resources: an empty list"] },
  {
    reason: "many at once",
    content: file([bucket({ externalName: { fromFieldPath: "b", value: "a" }, color: "red" }), bucket({})]),
    faults: [
      `${RESOURCE}.externalName.value: unknown field`,
      `${RESOURCE}.color: unknown field`,
      "mappings[0].resources[1]: exactly one of externalName, manifest; found none",
    ],
  },
  {
    reason: "a brace that is not closed",
    content: file([named("{logs")]),
    faults: [`${RESOURCE}.externalName: no template: "{logs" (for example {metadata.name}-logs)`],
  },
  {
    reason: "a template whose field is none",
    content: file([named("{spec..name}")]),
    faults: [`${RESOURCE}.externalName: not a field path: "spec..name", at position 4`],
  },
  {
    reason: "an Object by its external name",
    content: file([object({ externalName: "a" })]),
    faults: [`${RESOURCE}.externalName: not allowed for an Object: set manifest`],
  },
  {
    reason: "a Bucket by a manifest",
    content: file([bucket({ manifest })]),
    faults: [`${RESOURCE}.manifest: not allowed for a Bucket: set externalName`],
  },
  {
    reason: "a place that is none",
    content: file([object({ manifest, scope: { region: "x" } })]),
    faults: [`${RESOURCE}.scope.region: no location field of Object: it has none`],
  },
])("cannot use a mapping: $reason", ({ content, faults }) => {
  expect(() => parseMapping(content, "m.yaml")).toThrow(
    ["cannot use the mapping m.yaml:", ...faults.map((fault) => `  ${fault}`)].join("\n"),
  );
});

test.each([{ copies: [2] }, { copies: [1, 1] }])("one kind has one mapping, in files of $copies", ({ copies }) => {
  const folder = temporaryFolder();
  const files = copies.map((number, index) => {
    const path = join(folder, `${index}.yaml`);
    const { mappings, ...rest } = file([named("a")]);
    writeFileSync(path, JSON.stringify({ ...rest, mappings: Array(number).fill(mappings[0]) }));
    return path;
  });
  expect(() => readMappings(files)).toThrow(`cannot use the mappings ${files.join(", ")}: more than one for Bucket.`);
});
