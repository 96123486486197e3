import { API_VERSION, KIND } from "../../src/input/schema.ts";
import { FUNCTION } from "../rig/function.ts";
import { STATIC_FUNCTION } from "../rig/static-function.ts";
import { GROUP, VERSION } from "./definitions.ts";

/**
 * Two kinds of XR that compose the same: an Object of provider-kubernetes over the ConfigMap that `spec.resource` names.
 * ConfigMaps stand for what is in the cloud, and their labels for its tags. XUntamed sets its label itself; XTagged leaves
 * it to our step.
 */

export const CLOUD = "cloud";

const xrd = (kind: string, scope?: "Namespaced") => ({
  apiVersion: `apiextensions.crossplane.io/${scope === undefined ? "v1" : "v2"}`,
  kind: "CompositeResourceDefinition",
  metadata: { name: `${kind.toLowerCase()}s.${GROUP}` },
  spec: {
    ...(scope && { scope }),
    group: GROUP,
    names: { kind, plural: `${kind.toLowerCase()}s` },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        referenceable: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { team: { type: "string" }, resource: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
});

const clusterScoped = { apiVersion: "kubernetes.crossplane.io/v1alpha2", providerConfigRef: { name: "default" } };

const namespaced = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  providerConfigRef: { kind: "ClusterProviderConfig", name: "default" },
};

const object = (labels: object, { apiVersion, providerConfigRef }: typeof clusterScoped) => ({
  apiVersion,
  kind: "Object",
  spec: {
    watch: true,
    providerConfigRef,
    forProvider: {
      manifest: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace: CLOUD, name: "$(spec.resource)", ...labels },
      },
    },
  },
});

const composition = (kind: string, labels: object, steps: readonly object[], objects = clusterScoped) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name: kind.toLowerCase() },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind },
    mode: "Pipeline",
    pipeline: [
      {
        step: "compose",
        functionRef: { name: STATIC_FUNCTION },
        input: { apiVersion: "example.org/v1", kind: "Resources", resources: { object: object(labels, objects) } },
      },
      ...steps,
    ],
  },
});

const tag = {
  step: "tag",
  functionRef: { name: FUNCTION },
  input: {
    apiVersion: API_VERSION,
    kind: KIND,
    spec: { responseTTL: "2s", tags: { add: [{ key: "team", fromCompositeFieldPath: "spec.team" }] } },
  },
};

export const taggedDefinitions = [xrd("XUntamed"), xrd("XTagged")];

export const taggedCompositions = [
  composition("XUntamed", { labels: { team: "$(spec.team)" } }, []),
  composition("XTagged", {}, [tag]),
];

/** XUntamed's Composition, once our step is in it. */
export const tamedComposition = composition("XUntamed", {}, [tag]);

/** The same, namespaced, as Crossplane has it since v2. */
export const namespacedTagged = {
  definition: xrd("TeamBucket", "Namespaced"),
  composition: composition("TeamBucket", {}, [tag], namespaced),
  xrOf: (resource: string, team: string) => ({
    apiVersion: VERSION,
    kind: "TeamBucket",
    metadata: { namespace: `bucket-${team}`, name: resource },
    spec: { team, resource },
  }),
};

/** A kind for the programs that ask who owns what: suites run side by side, and must not see each other's. */
export const shelved = { definition: xrd("XShelf"), composition: composition("XShelf", {}, [tag]) };

/** An XR of a team, for the cloud resource of that name. */
export const xrOf = (kind: "XUntamed" | "XTagged" | "XShelf", resource: string, team: string) => ({
  apiVersion: VERSION,
  kind,
  metadata: { name: `${resource}-${team}` },
  spec: { team, resource },
});
