import type { JsonObject } from "../../src/model/json.ts";
import { DOMAIN } from "../../src/model/names.ts";
import { hashExternalName } from "../../src/ownership/identity.ts";

/** A Bucket as the function registers one. */
export interface Registered {
  /** Its external name. */
  readonly bucket: string;
  /** `Kind.group/namespace/name`. */
  readonly owner: string;
  readonly role?: "Owner" | "Observer";
  readonly region?: string;
  readonly providerConfig?: string;
  readonly since?: string;
  /** The owner of the bucket, as an observer's annotation names it. */
  readonly ownedBy?: string;
  readonly isDeleting?: boolean;
  readonly group?: string;
}

export const PLATFORM = "XBucket.platform.example.org";

/** The owner of what tests register, unless they say otherwise. */
export const OWNER = `${PLATFORM}/team-a/orders`;

/** Builds the managed resource, which has the name of the bucket and its owner: `orders-team-a-orders`. */
export function registered({
  bucket,
  owner,
  role = "Owner",
  region = "eu-west-1",
  providerConfig = "default",
  since = "2026-03-01T10:00:00Z",
  ownedBy,
  isDeleting = false,
  group = "s3.aws.upbound.io",
}: Registered): JsonObject {
  const managementPolicies = role === "Owner" ? ["*"] : ["Observe"];
  const path = owner.split("/").slice(1);
  const name = [bucket, ...path].join("-");
  const [ownerName = "", namespace] = path.toReversed();
  const marker = role === "Owner" ? `${owner}#bucket` : ownedBy && `${ownedBy}#bucket`;
  return {
    apiVersion: `${group}/v1beta1`,
    kind: "Bucket",
    metadata: {
      name,
      ...(group.includes(".m.") && { namespace: namespace ?? "default" }),
      uid: `uid-${name}`,
      creationTimestamp: since,
      ...(isDeleting && { deletionTimestamp: since }),
      labels: {
        "crossplane.io/composite": `${ownerName}-x`,
        ...(namespace && { "crossplane.io/claim-name": ownerName, "crossplane.io/claim-namespace": namespace }),
        [`${DOMAIN}/identity`]: `id-${bucket}-${region}-${providerConfig}`,
        [`${DOMAIN}/external-name`]: hashExternalName("s3.aws.upbound.io", "Bucket", [bucket]),
      },
      annotations: {
        "crossplane.io/composition-resource-name": "bucket",
        "crossplane.io/external-name": bucket,
        [`${DOMAIN}/owner`]: owner,
        ...(marker && { [`${DOMAIN}/tags-owner`]: marker }),
      },
    },
    spec: { forProvider: { region }, providerConfigRef: { name: providerConfig }, managementPolicies },
    status: { atProvider: { arn: `arn:aws:s3:::${bucket}` } },
  };
}
