import type { JsonObject } from "../../src/model/json.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { type CloudResource, type Moto, REGION } from "../rig/moto.ts";
import { at } from "../rig/objects.ts";
import { AUTO_READY } from "../rig/other-function.ts";
import type { Rig } from "../rig/rig.ts";
import { compose, compositionOf, definitionOf, GROUP, ours, pluralOf, VERSION } from "./definitions.ts";

/** XRs for cloud resources of AWS. Their spec says which one, and the tag `team` that it is to have. */

const providerConfigRef = { name: "default" };
const metadata = { annotations: { "crossplane.io/external-name": "$(spec.resource)" } };
const TEAM = [{ key: "team", value: "$(spec.team)" }];

/** A bucket keeps its tags one level further down. Its provider sends the ACL at each poll, and moto takes none that is empty. */
export const bucket = (isTagged: boolean) => ({
  apiVersion: "s3.aws.crossplane.io/v1beta1",
  kind: "Bucket",
  metadata,
  spec: {
    providerConfigRef,
    forProvider: { acl: "private", locationConstraint: REGION, ...(isTagged && { tagging: { tagSet: TEAM } }) },
  },
});

const STATEMENT = {
  Effect: "Allow",
  Principal: { AWS: "arn:aws:iam::123456789012:root" },
  Action: "s3:GetObject",
  Resource: "arn:aws:s3:::policed/*",
};

/** A policy whose bucket its provider finds by a reference. */
export const bucketPolicy = {
  apiVersion: "s3.aws.crossplane.io/v1alpha3",
  kind: "BucketPolicy",
  metadata: { annotations: { "crossplane.io/external-name": "$(spec.bucket)" } },
  spec: {
    providerConfigRef,
    forProvider: {
      region: REGION,
      bucketNameRef: { name: "$(spec.bucket)" },
      rawPolicy: JSON.stringify({ Version: "2012-10-17", Statement: [STATEMENT] }),
    },
  },
};

const parameterGroup = (isTagged: boolean) => ({
  apiVersion: "rds.aws.crossplane.io/v1alpha1",
  kind: "DBParameterGroup",
  metadata,
  spec: {
    providerConfigRef,
    forProvider: {
      region: REGION,
      description: "shared",
      dbParameterGroupFamily: "mysql8.0",
      ...(isTagged && { tags: TEAM }),
    },
  },
});

const table = (isTagged: boolean) => ({
  apiVersion: "dynamodb.aws.crossplane.io/v1alpha1",
  kind: "Table",
  metadata,
  spec: {
    providerConfigRef,
    forProvider: {
      region: REGION,
      billingMode: "PAY_PER_REQUEST",
      attributeDefinitions: [{ attributeName: "id", attributeType: "S" }],
      keySchema: [{ attributeName: "id", keyType: "HASH" }],
      ...(isTagged && { tags: TEAM }),
    },
  },
});

const manifests = { s3: bucket, rds: parameterGroup, dynamodb: table };

/** A kind of XR, by what its Composition does beside composing. */
export interface AwsKind {
  readonly kind: string;
  readonly service: CloudResource["service"];
  /** `none`: sets the tag itself, without our step. */
  readonly step: "none" | "Observe" | "Fail";
}

const tag = (onConflict: "Observe" | "Fail") =>
  ours("tag", {
    tags: { add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }], owner: { onConflict } },
  });

/** As users have it: function-auto-ready comes last. */
export function compositionFor({ kind, service, step }: AwsKind): object {
  const composed = compose({ cloud: manifests[service](step === "none") });
  const ready = { step: "ready", functionRef: { name: AUTO_READY } };
  return compositionOf(kind, step === "none" ? [composed, ready] : [composed, tag(step), ready]);
}

export async function installAwsKinds({ kubectl }: Pick<Rig, "kubectl">, kinds: readonly AwsKind[]): Promise<void> {
  const spec = { team: { type: "string" }, resource: { type: "string" } };
  await kubectl.apply(...kinds.map(({ kind }) => definitionOf({ kind, spec })));
  await kubectl.established(...kinds.map(({ kind }) => `xrd/${pluralOf(kind)}.${GROUP}`));
  await kubectl.apply(...kinds.map(compositionFor));
}

/** An XR of a team, named after both. */
export const awsXr = ({ kind }: AwsKind, resource: string, team: string) => ({
  apiVersion: VERSION,
  kind,
  metadata: { name: `${resource}-${team}` },
  spec: { team, resource },
});

/** The managed resources of each service, as kubectl names them. */
export const MANAGED = {
  s3: "buckets.s3.aws.crossplane.io",
  rds: "dbparametergroups.rds.aws.crossplane.io",
  dynamodb: "tables.dynamodb.aws.crossplane.io",
} as const satisfies Record<CloudResource["service"], string>;

/** The managed resource that an XR composes. */
export async function managedOf(
  { kubectl }: { readonly kubectl: Kubectl },
  service: CloudResource["service"],
  xr: string,
): Promise<JsonObject | undefined> {
  const all = await kubectl.list(MANAGED[service]);
  return all.find((managed) => at(managed, "metadata.labels[crossplane.io/composite]") === xr);
}

/** @throws {Error} where the cloud is not AWS. */
export function motoOf({ moto }: Rig): Moto {
  if (moto === undefined) throw new Error("cannot find moto: the suite lacks cloud: AWS");
  return moto;
}
