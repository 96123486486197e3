import { describe, expect, test } from "vitest";
import { rescuePathsFor } from "../../../src/features/external-names/pin.ts";
import { parseInput } from "../../../src/input/parse.ts";
import { inputOf } from "../../../testing/builders/sharing.ts";

const policyOf = (externalNames: Parameters<typeof inputOf>[0]) => {
  const { externalNames: policy } = parseInput(inputOf({ externalNames })).spec;
  if (policy === undefined) throw new Error("cannot parse the policy");
  return policy;
};

const kindOf = (group: string, kind: string) => ({ apiVersion: `${group}/v1beta1`, group, kind, isNamespaced: false });

describe("the reported id is the external name", () => {
  test.each([
    ["ec2.aws.upbound.io", "VPC", true],
    ["ec2.aws.upbound.io", "SecurityGroupIngressRule", true],
    ["apigateway.aws.upbound.io", "RestAPI", true],
    ["compute.gcp.upbound.io", "InstanceTemplate", true],
    ["authorization.azure.upbound.io", "RoleAssignment", true],
    ["s3.aws.upbound.io", "Bucket", false],
    ["appsync.aws.upbound.io", "APIKey", false],
    ["bedrockagentcore.aws.upbound.io", "Gateway", false],
    ["compute.gcp.upbound.io", "Instance", false],
    ["web.azure.upbound.io", "LinuxWebApp", false],
    ["helm.crossplane.io", "Release", false],
  ])("of %s %s: %s", (group, kind, isRescued) => {
    const paths = rescuePathsFor(kindOf(group, kind), policyOf({}));
    expect(paths).toEqual(isRescued ? [["status", "atProvider", "id"]] : []);
  });

  test("unless the input says otherwise", () => {
    expect(rescuePathsFor(kindOf("ec2.aws.upbound.io", "VPC"), policyOf({ builtInRescue: false }))).toEqual([]);
  });
});
