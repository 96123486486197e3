import type { JsonObject } from "../src/model/json.ts";
import type { Random } from "./random.ts";

/**
 * Managed resources of the shape and size that those of provider-upjet-aws have in a cluster: an RDS instance with everything that
 * its API reports, two managers' fields, Crossplane's annotations and the long one of `kubectl apply`.
 */

/** The resource as a Composition desires it: 1 KB. */
export const desiredResource = (random: Random, name: string): JsonObject => ({
  ...TYPE,
  metadata: {
    annotations: { "crossplane.io/external-name": `orders-${name}`, "example.org/owner": random.word() },
    labels: { "example.org/tier": random.word(), "example.org/environment": "production" },
  },
  spec: { deletionPolicy: "Delete", forProvider: forProvider(random), providerConfigRef: { name: "default" } },
});

/** The resource as Crossplane observes it: 5 KB. */
export function observedResource(random: Random, name: string): JsonObject {
  const { spec } = desiredResource(random, name);
  const desiredSpec = spec as JsonObject;
  return {
    ...TYPE,
    metadata: {
      name: `orders-x7k2p-${name}`,
      uid: random.uid(),
      resourceVersion: String(random.below(9_000_000)),
      generation: 1 + random.below(20),
      creationTimestamp: "2026-05-04T11:12:13Z",
      finalizers: ["finalizer.managedresource.crossplane.io"],
      annotations: annotationsOf(name, desiredSpec),
      labels: {
        "crossplane.io/claim-name": "orders",
        "crossplane.io/claim-namespace": "team-a",
        "crossplane.io/composite": "orders-x7k2p",
      },
      ownerReferences: [{ ...OWNER, uid: random.uid(), controller: true, blockOwnerDeletion: true }],
      managedFields: readManagedFields(desiredSpec, random),
    },
    spec: { ...desiredSpec, managementPolicies: ["*"], initProvider: {} },
    status: { atProvider: atProvider(random), conditions: conditions(random) },
  };
}

const TYPE = { apiVersion: "rds.aws.upbound.io/v1beta1", kind: "Instance" };
const OWNER = { apiVersion: "platform.example.org/v1alpha1", kind: "XNetworkAndData", name: "orders-x7k2p" };

const annotationsOf = (name: string, spec: JsonObject): JsonObject => ({
  "crossplane.io/composition-resource-name": name,
  "crossplane.io/external-name": `orders-${name}`,
  "crossplane.io/external-create-pending": "2026-05-04T11:12:14Z",
  "crossplane.io/external-create-succeeded": "2026-05-04T11:12:19Z",
  "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ ...TYPE, spec, metadata: { name } }),
});

const readManagedFields = (spec: JsonObject, random: Random): readonly JsonObject[] => [
  managedFields("apiextensions.crossplane.io/composed", "Apply", {
    "f:metadata": METADATA_FIELDS,
    "f:spec": fieldsOf(spec),
  }),
  managedFields("crossplane-aws-provider", "Update", {
    "f:status": { "f:atProvider": fieldsOf(forProvider(random)), "f:conditions": CONDITION_FIELDS },
  }),
];

const forProvider = (random: Random): JsonObject => ({
  region: "eu-central-1",
  engine: "postgres",
  engineVersion: "16.3",
  instanceClass: `db.r6g.${random.below(2) === 0 ? "large" : "xlarge"}`,
  allocatedStorage: 100 + random.below(900),
  storageEncrypted: true,
  multiAz: random.below(2) === 0,
  dbName: random.word(),
  username: "app",
  vpcSecurityGroupIds: [`sg-${random.hex(17)}`, `sg-${random.hex(17)}`],
  backupRetentionPeriod: 7,
  tags: {
    "example.org/tier": random.word(),
    Name: `orders-${random.word()}`,
    "crossplane-kind": "instance.rds.aws.upbound.io",
  },
});

const atProvider = (random: Random): JsonObject => ({
  ...forProvider(random),
  id: `db-${random.hex(26).toUpperCase()}`,
  address: `orders.${random.hex(12)}.eu-central-1.rds.amazonaws.com`,
  arn: `arn:aws:rds:eu-central-1:123456789012:db:orders-${random.hex(8)}`,
  endpoint: `orders.${random.hex(12)}.eu-central-1.rds.amazonaws.com:5432`,
  autoMinorVersionUpgrade: true,
  availabilityZone: "eu-central-1b",
  caCertIdentifier: "rds-ca-rsa2048-g1",
  hostedZoneId: random.hex(14).toUpperCase(),
  latestRestorableTime: "2026-11-21T09:55:00Z",
  maintenanceWindow: "sun:03:07-sun:03:37",
  maxAllocatedStorage: 0,
  optionGroupName: "default:postgres-16",
  parameterGroupName: "default.postgres16",
  performanceInsightsEnabled: false,
  port: 5432,
  replicas: [],
  resourceId: `db-${random.hex(26).toUpperCase()}`,
  status: "available",
  tagsAll: { "example.org/tier": random.word(), Name: `orders-${random.word()}` },
});

const METADATA_FIELDS: JsonObject = {
  "f:annotations": { "f:crossplane.io/composition-resource-name": {}, "f:crossplane.io/external-name": {} },
  "f:labels": {
    "f:crossplane.io/claim-name": {},
    "f:crossplane.io/claim-namespace": {},
    "f:crossplane.io/composite": {},
  },
  "f:ownerReferences": { 'k:{"uid":"0e3b7a4c-6c22-4a8b-9f5e-3d1d2f6f0f11"}': {} },
};

const CONDITION_FIELDS: JsonObject = Object.fromEntries(
  ["Ready", "Synced", "LastAsyncOperation"].map((type) => [
    `k:{"type":"${type}"}`,
    { ".": {}, "f:lastTransitionTime": {}, "f:reason": {}, "f:status": {}, "f:type": {} },
  ]),
);

const managedFields = (manager: string, operation: string, fieldsV1: JsonObject): JsonObject => ({
  manager,
  operation,
  apiVersion: "rds.aws.upbound.io/v1beta1",
  fieldsType: "FieldsV1",
  fieldsV1,
  time: "2026-05-04T11:22:33Z",
});

/** The fields of an object as server-side apply records their owner: with `f:` before every key. */
const fieldsOf = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      `f:${key}`,
      typeof value === "object" && value !== null && !Array.isArray(value) ? fieldsOf(value as JsonObject) : {},
    ]),
  );

const conditions = (random: Random): JsonObject[] =>
  ["Ready", "Synced", "LastAsyncOperation"].map((type) => ({
    type,
    status: "True",
    reason: random.word(),
    lastTransitionTime: "2026-05-04T11:22:33Z",
    observedGeneration: 3,
  }));
