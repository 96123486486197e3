import { API_VERSION, KIND } from "../../src/input/schema.ts";
import { FUNCTION } from "../rig/function.ts";
import { STATIC_FUNCTION } from "../rig/static-function.ts";
import { GROUP, VERSION } from "./definitions.ts";

/** A managed resource of an asynchronous provider, without LateInitialize, and XRs that compose one. */

export const MANAGED = "clusters.async.example.org";

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: MANAGED },
  spec: {
    group: "async.example.org",
    names: { kind: "Cluster", listKind: "ClusterList", plural: "clusters", singular: "cluster" },
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

export const composite = {
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "CompositeResourceDefinition",
  metadata: { name: `xclusters.${GROUP}` },
  spec: {
    group: GROUP,
    names: { kind: "XCluster", plural: "xclusters" },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        referenceable: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object" },
              status: { type: "object", properties: { externalNames: open } },
            },
          },
        },
      },
    ],
  },
};

const managed = {
  apiVersion: "async.example.org/v1",
  kind: "Cluster",
  spec: {
    forProvider: { region: "eu" },
    managementPolicies: ["Observe", "Create", "Update", "Delete"],
    providerConfigRef: { name: "default" },
  },
};

const input = {
  apiVersion: API_VERSION,
  kind: KIND,
  spec: {
    responseTTL: "2s",
    externalNames: {
      rescue: [{ apiGroup: "async.example.org", kind: "Cluster" }],
      ledger: { toCompositeFieldPath: "status.externalNames" },
    },
  },
};

export const compositionOf = (name: string, steps: readonly object[]) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind: "XCluster" },
    mode: "Pipeline",
    pipeline: [
      {
        step: "compose",
        functionRef: { name: STATIC_FUNCTION },
        input: { apiVersion: "example.org/v1", kind: "Resources", resources: { cluster: managed } },
      },
      ...steps,
    ],
  },
});

export const xrOf = (name: string) => ({
  apiVersion: VERSION,
  kind: "XCluster",
  metadata: { name },
  spec: { compositionRef: { name } },
});

/** Our step, after what composes. */
export const names = { step: "names", functionRef: { name: FUNCTION }, input };
