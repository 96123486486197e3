import { describe, expect, test } from "vitest";
import { parseFieldPath, withValueAt } from "../../src/model/field-path.ts";
import { identityOf, named, resource } from "./identity-of.ts";

/** Fields that identify some of the kinds. */
const parents = "vpcId subnetId connectionId staticIpName operatingSystem networkInterfaceId webAclArn".split(" ");

/** A managed resource of which all other identifying fields are set. */
function declare(group: string, kind: string, field: string, value: string) {
  const forProvider = { region: "r", ...Object.fromEntries(parents.map((parent) => [parent, "p"])) };
  const object = resource(`${group}/v1beta1`, kind, named("x"), forProvider);
  return withValueAt(object, parseFieldPath(`spec.forProvider.${field}`), value);
}

describe("a field that its provider updates in place, or of which the cloud resource has one, is no identity", () => {
  test.each<[group: string, kind: string, field: string]>([
    ["apigatewayv2.aws.upbound.io", "Stage", "deploymentId"],
    ["apigatewayv2.aws.upbound.io", "Route", "authorizerId"],
    ["apigatewayv2.aws.upbound.io", "Route", "target"],
    ["cloudwatchevents.aws.upbound.io", "APIDestination", "connectionArn"],
    ["cloudwatchlogs.aws.upbound.io", "Destination", "targetArn"],
    ["ec2.aws.upbound.io", "EIP", "instance"],
    ["ec2.aws.upbound.io", "RouteTableAssociation", "routeTableId"],
    ["iam.aws.upbound.io", "UserGroupMembership", "groups"],
    ["iot.aws.upbound.io", "Authorizer", "authorizerFunctionArn"],
    ["pipes.aws.upbound.io", "Pipe", "enrichment"],
    ["pipes.aws.upbound.io", "Pipe", "target"],
    ["sagemaker.aws.upbound.io", "Endpoint", "endpointConfigName"],
    ["sagemaker.aws.upbound.io", "NotebookInstance", "defaultCodeRepository"],
    ["sesv2.aws.upbound.io", "EmailIdentity", "configurationSetName"],
    ["wafv2.aws.upbound.io", "WebACLRuleGroupAssociation", "managedRuleGroup.version"],
    ["logging.gcp.upbound.io", "Metric", "bucketName"],
    ["streamanalytics.azure.upbound.io", "OutputBlob", "storageAccountName"],
    ["streamanalytics.azure.upbound.io", "OutputBlob", "storageContainerName"],
    ["appsync.aws.upbound.io", "Function", "dataSource"],
    ["route53resolver.aws.upbound.io", "Rule", "resolverEndpointId"],
    ["ec2.aws.upbound.io", "VPCDHCPOptionsAssociation", "dhcpOptionsId"],
    ["directconnect.aws.upbound.io", "ConnectionAssociation", "lagId"],
    ["lightsail.aws.upbound.io", "StaticIPAttachment", "instanceName"],
    ["ssm.aws.upbound.io", "DefaultPatchBaseline", "baselineId"],
    ["network.azure.upbound.io", "SubnetNATGatewayAssociation", "natGatewayId"],
    ["network.azure.upbound.io", "SubnetRouteTableAssociation", "routeTableId"],
    ["network.azure.upbound.io", "NetworkInterfaceSecurityGroupAssociation", "networkSecurityGroupId"],
    ["apigateway.aws.crossplane.io", "Stage", "deploymentId"],
    ["ecs.aws.crossplane.io", "Service", "taskDefinition"],
  ])("%s %s: %s", (group, kind, field) => {
    const [one, other] = ["1", "2"].map((value) => identityOf(declare(group, kind, field, value)));
    expect(one?.identity).toBeDefined();
    expect(other).toEqual(one);
  });
});
