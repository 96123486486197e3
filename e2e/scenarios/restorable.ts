import { API_VERSION, KIND } from "../../src/input/schema.ts";
import { FUNCTION } from "../rig/function.ts";
import { STATIC_FUNCTION } from "../rig/static-function.ts";
import { GROUP, VERSION } from "./definitions.ts";

/**
 * What is backed up and restored: XRs that compose Buckets. A Bucket is cluster-scoped, as Crossplane v1 needs it, and
 * nobody reconciles it, so that all that becomes of it is Crossplane's doing.
 */

const CLOUD_GROUP = "cloud.example.org";

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

const bucketDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `buckets.${CLOUD_GROUP}` },
  spec: {
    group: CLOUD_GROUP,
    names: { kind: "Bucket", listKind: "BucketList", plural: "buckets", singular: "bucket" },
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: open, status: open } } },
      },
    ],
  },
};

export const bucket = { apiVersion: `${CLOUD_GROUP}/v1`, kind: "Bucket", spec: { region: "eu" } };
export const configMap = { apiVersion: "v1", kind: "ConfigMap", data: { region: "eu" } };

const versions = [
  {
    name: "v1alpha1",
    served: true,
    referenceable: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } },
  },
];

export const restorable = [
  bucketDefinition,
  {
    apiVersion: "apiextensions.crossplane.io/v1",
    kind: "CompositeResourceDefinition",
    metadata: { name: `xstores.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind: "XStore", plural: "xstores" },
      claimNames: { kind: "Store", plural: "stores" },
      versions,
    },
  },
];

/** A namespaced kind, which Crossplane has since v2. */
export const namespacedRestorable = {
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
  metadata: { name: `shelves.${GROUP}` },
  spec: { scope: "Namespaced", group: GROUP, names: { kind: "Shelf", plural: "shelves" }, versions },
};

export interface Composed {
  readonly kind?: "XStore" | "Shelf";
  /** What the steps before ours desire. */
  readonly resources: Readonly<Record<string, object>>;
  /** Whether our step comes after them. */
  readonly isGuarded: boolean;
  /** Whether there is a step whose function is not there. */
  readonly isBroken?: boolean;
}

export const compositionOf = (name: string, { kind = "XStore", resources, isGuarded, isBroken = false }: Composed) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind },
    mode: "Pipeline",
    pipeline: [
      {
        step: "compose",
        functionRef: { name: STATIC_FUNCTION },
        input: { apiVersion: "example.org/v1", kind: "Resources", resources },
      },
      ...(isBroken ? [{ step: "fail", functionRef: { name: "function-that-is-not-there" } }] : []),
      ...(isGuarded ? [guard] : []),
    ],
  },
});

const guard = {
  step: "adopt",
  functionRef: { name: FUNCTION },
  input: { apiVersion: API_VERSION, kind: KIND, spec: { responseTTL: "2s", adoption: {} } },
};

/** An XR, or a claim, whose Composition has its name. */
export const storeOf = (name: string, kind: "XStore" | "Store" = "XStore") => ({
  apiVersion: VERSION,
  kind,
  metadata: { name, ...(kind === "Store" && { namespace: "default" }) },
  spec: { compositionRef: { name } },
});

export const shelfOf = (name: string) => ({
  apiVersion: VERSION,
  kind: "Shelf",
  metadata: { name, namespace: "default" },
  spec: { crossplane: { compositionRef: { name } } },
});
