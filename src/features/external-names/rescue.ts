import type { ExternalNames, RescueRule } from "../../input/external-names.ts";
import { type Document, stringAt } from "../../model/document.ts";

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

/** What a managed resource is, whichever the scope of its kind: `Distribution` of `cloudfront.aws.upbound.io`. */
export interface Kind {
  readonly apiGroup: string;
  readonly kind: string;
}

/** The kind, without the version and without the `.m.` of namespaced managed resources. */
export function kindOf(resource: Document): Kind {
  const [group = ""] = (stringAt(resource, ["apiVersion"]) ?? "").split("/");
  return { apiGroup: group.replace(".m.", "."), kind: stringAt(resource, ["kind"]) ?? "" };
}

/** Where the name of such a resource is found when its annotation is lost; nothing for kinds that no rule is about. */
export function rescuePathsOf({ apiGroup, kind }: Kind, policy: ExternalNames): readonly RescueRule["fromFieldPath"][] {
  const paths = policy.rescue
    .filter((rule) => rule.kind === kind && rule.apiGroup.replace(".m.", ".") === apiGroup)
    .map(({ fromFieldPath }) => fromFieldPath);
  const isBuiltIn = policy.builtInRescue && Object.hasOwn(builtInKinds, apiGroup);
  return isBuiltIn && builtInKinds[apiGroup]?.includes(kind) ? [...paths, ID] : paths;
}
