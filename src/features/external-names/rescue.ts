import { withoutScope } from "../../crossplane/api-group.ts";
import type { ManagedKind } from "../../crossplane/managed-resource.ts";
import type { ExternalNames } from "../../input/external-names.ts";
import type { FieldPath } from "../../model/field-path.ts";

/**
 * Kinds of provider-upjet-aws that the cloud names (`config.IdentifierFromProvider` in its config/externalname.go, so that
 * `status.atProvider.id` is the external name) and that take a while to create: the provider works on them
 * asynchronously, and stores the name later than the resource is there. Documented in docs/external-names.md.
 */
export const builtInKinds: Readonly<Record<string, readonly string[]>> = {
  "acm.aws.upbound.io": ["Certificate"],
  "apigateway.aws.upbound.io": ["RestAPI"],
  "cloudfront.aws.upbound.io": ["Distribution"],
  "directconnect.aws.upbound.io": ["Connection"],
  "ds.aws.upbound.io": ["Directory"],
  "ec2.aws.upbound.io": [
    "CustomerGateway",
    "EBSVolume",
    "EIP",
    "Instance",
    "InternetGateway",
    "NATGateway",
    "NetworkInterface",
    "RouteTable",
    "SecurityGroup",
    "Subnet",
    "TransitGateway",
    "TransitGatewayVPCAttachment",
    "VPC",
    "VPCEndpoint",
    "VPCPeeringConnection",
    "VPNConnection",
    "VPNGateway",
  ],
  "efs.aws.upbound.io": ["FileSystem"],
  "elbv2.aws.upbound.io": ["LB"],
  "fsx.aws.upbound.io": ["LustreFileSystem", "WindowsFileSystem"],
  "globalaccelerator.aws.upbound.io": ["Accelerator"],
  "kafka.aws.upbound.io": ["Cluster"],
  "kms.aws.upbound.io": ["Key"],
  "mq.aws.upbound.io": ["Broker"],
  "networkfirewall.aws.upbound.io": ["Firewall"],
  "route53.aws.upbound.io": ["Zone"],
  "secretsmanager.aws.upbound.io": ["Secret"],
};

const ID = ["status", "atProvider", "id"];

/** The paths that hold the external name of such a resource when its annotation is lost; none where no rule covers the kind. */
export function rescuePathsFor({ group, kind }: ManagedKind, policy: ExternalNames): readonly FieldPath[] {
  const paths = policy.rescue
    .filter((rule) => rule.kind === kind && withoutScope(rule.apiGroup) === group)
    .map(({ fromFieldPath }) => fromFieldPath);
  const isBuiltIn = policy.builtInRescue && Object.hasOwn(builtInKinds, group);
  return isBuiltIn && builtInKinds[group]?.includes(kind) ? [...paths, ID] : paths;
}
