import { describe, expect, test } from "vitest";
import { parents } from "../scripts/facts/corrections.ts";
import type { Kind, Schema } from "../scripts/facts/crd.ts";
import type { ExternalName } from "../scripts/facts/custom-names.ts";
import { toIdentity } from "../scripts/facts/identity.ts";
import { listTables } from "../scripts/facts/list-tables.ts";
import { assertReferences } from "../scripts/facts/references.ts";
import { formatFieldPath } from "../src/model/field-path.ts";

const text = (description = ""): Schema => ({ type: "string", description });

const kindOf = (group: string, kind: string, properties: Readonly<Record<string, Schema>>): readonly Kind[] => [
  { group, kind, isNamespaced: false, versions: new Map([["v1beta1", { properties }]]) },
];

const named = (from: ExternalName["from"], ...parameters: readonly string[]): ExternalName => ({
  from,
  isId: from === "provider" && parameters.length === 0,
  parameters,
});

describe("what identifies a kind", () => {
  const properties = {
    region: text(),
    apiId: text(),
    apiIdRef: text("Reference to a API in apigatewayv2 to populate apiId."),
    targetArn: text(),
    targetArnRef: text("Reference to a Queue in sqs to populate targetArn."),
  };
  test.each<[reason: string, kind: string, name: ExternalName | undefined, fields: readonly string[]]>([
    ["a name that is its ID: nothing beside it", "Pipe", named("metadata"), []],
    ["an ID that the cloud makes up: nothing beside it", "Pipe", named("provider"), []],
    ["an ID template: its arguments without places", "Pipe", named("metadata", "api_id", "region"), ["apiId"]],
    ["an ID of arguments only", "Pipe", named("parameters", "api_id", "target_arn"), ["apiId", "targetArn"]],
    ["a name below a parent that the ID does not say: the curated one", "Stage", named("metadata"), ["apiId"]],
    ["a kind without a configuration: the curated parents", "Stage", undefined, ["apiId"]],
  ])("%s", (_, kind, name, fields) => {
    const versions = kindOf("apigatewayv2.aws.upbound.io", kind, properties);
    expect(toIdentity(versions, name, { domain: "aws.upbound.io", fields: ["region"] }).fields).toEqual(fields);
  });

  test("stops where the template has an argument that no field is called like, and no parents are named", () => {
    const versions = kindOf("pipes.aws.upbound.io", "Pipe", properties);
    const places = { domain: "aws.upbound.io", fields: [] };
    expect(() => toIdentity(versions, named("metadata", "api_name"), places)).toThrow("cannot find all of api_name");
  });
});

test("of every kind whose ID the cloud makes up or the tables do not know, no field counts but curated parents", () => {
  const domains = ["aws.upbound.io", "aws.crossplane.io", "azure.upbound.io", "gcp.upbound.io"];
  const kinds = listTables().flatMap(({ entries }, index) =>
    [...entries].map(([entry, facts]) => ({ entry, facts, curated: parents[domains[index] ?? ""] })),
  );
  const alone = kinds.filter(({ facts }) => facts.named === "unknown" || (facts.named === "cloud" && facts.isId));
  expect(alone.length).toBeGreaterThan(800);
  for (const { entry, facts, curated } of alone) {
    const [service, kind] = entry.split(":");
    expect(facts.fields.map(formatFieldPath), entry).toEqual(curated?.get(`${kind}.${service}`) ?? []);
  }
});

test.each<[name: string, isFound: boolean]>([
  ["principalArnRef", true],
  ["principalArnSelector", true],
  ["principalArnFromRoleRef", true],
  ["roleRef", false],
])("a reference to an identifying field that is called %s: found %s", (name, isFound) => {
  const properties = { principalArn: text(), [name]: text("Reference to a Role in iam to populate principalArn.") };
  const check = (): void => assertReferences(kindOf("eks.aws.upbound.io", "AccessEntry", properties), ["principalArn"]);
  if (isFound) expect(check).not.toThrow();
  else expect(check).toThrow("cannot find roleRef of AccessEntry");
});
