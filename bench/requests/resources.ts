import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import type { Random } from "./random.ts";

/**
 * Managed resources of the shape and size that those of provider-upjet-aws have in a cluster: an RDS instance with everything that
 * its API reports, two managers' fields, Crossplane's annotations and the long one of `kubectl apply`.
 */

const TYPE = { apiVersion: "rds.aws.upbound.io/v1beta1", kind: "Instance" };
const OWNER = { apiVersion: "platform.example.org/v1alpha1", kind: "XNetworkAndData", name: "orders-x7k2p" };
const LABELS = {
  "crossplane.io/claim-name": "orders",
  "crossplane.io/claim-namespace": "team-a",
  "crossplane.io/composite": "orders-x7k2p",
};
const TIME = "2026-05-04T11:12:13Z";

/** The resource as a Composition desires it: 1 KB. */
export const desiredResource = (random: Random, name: string) => ({
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
  const status = { atProvider: atProvider(random), conditions: conditions(random) };
  const named = { "crossplane.io/composition-resource-name": name, "crossplane.io/external-name": `orders-${name}` };
  const annotations = {
    ...named,
    "crossplane.io/external-create-pending": TIME,
    "crossplane.io/external-create-succeeded": TIME,
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ ...TYPE, spec, metadata: { name } }),
  };
  return {
    ...TYPE,
    metadata: {
      name: `orders-x7k2p-${name}`,
      uid: random.uid(),
      resourceVersion: String(random.below(9_000_000)),
      generation: 1 + random.below(20),
      creationTimestamp: TIME,
      finalizers: ["finalizer.crossplane.io"],
      annotations,
      labels: LABELS,
      ownerReferences: [{ ...OWNER, uid: random.uid(), controller: true }],
      managedFields: [
        managed("apiextensions.crossplane.io/composed", { metadata: { annotations: named, labels: LABELS }, spec }),
        managed("crossplane-aws-provider", { status }),
      ],
    },
    spec: { ...spec, managementPolicies: ["*"], initProvider: {} },
    status,
  };
}

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
  tags: { "example.org/tier": random.word(), Name: `orders-${random.word()}`, "crossplane-kind": "instance" },
});

const atProvider = (random: Random): JsonObject => ({
  ...forProvider(random),
  id: `db-${random.hex(26).toUpperCase()}`,
  address: `orders.${random.hex(12)}.eu-central-1.rds.amazonaws.com`,
  arn: `arn:aws:rds:eu-central-1:123456789012:db:orders-${random.hex(12)}`,
  endpoint: `orders.${random.hex(12)}.eu-central-1.rds.amazonaws.com:5432`,
  autoMinorVersionUpgrade: true,
  availabilityZone: "eu-central-1b",
  maintenanceWindow: "sun:03:07-sun:03:37",
  optionGroupName: "default:postgres-16",
  parameterGroupName: "default.postgres16",
  port: 5432,
  replicas: [],
  resourceId: `db-${random.hex(26).toUpperCase()}`,
  status: "available",
  tagsAll: { "example.org/tier": random.word(), Name: `orders-${random.word()}` },
});

const conditions = (random: Random): readonly JsonObject[] =>
  ["Ready", "Synced", "LastAsyncOperation"].map((type) => ({
    type,
    status: "True",
    reason: random.word(),
    lastTransitionTime: TIME,
    observedGeneration: 3,
  }));

const managed = (manager: string, fields: JsonObject): JsonObject => ({
  manager,
  operation: "Apply",
  apiVersion: TYPE.apiVersion,
  fieldsType: "FieldsV1",
  fieldsV1: fieldsOf(fields),
  time: TIME,
});

/** The fields of an object as server-side apply records their owner: `f:` before every key, conditions by their type. */
function fieldsOf(value: JsonValue): JsonObject {
  if (Array.isArray(value)) {
    const items = value.filter(isObject).map((item) => [`k:{"type":"${String(item["type"])}"}`, fieldsOf(item)]);
    return Object.fromEntries(items);
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, fieldsOf(item)]))
    : {};
}
