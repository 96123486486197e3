import { autoReady, compose, compositionOf, definitionOf, ours, VERSION } from "./definitions.ts";

/**
 * Two kinds of XR that compose the same: an Object of provider-kubernetes over the ConfigMap that `spec.resource` names.
 * ConfigMaps stand for what is in the cloud, and their labels for its tags. XUntamed sets its label itself; XTagged leaves
 * it to our step.
 */

export const CLOUD = "cloud";

const spec = { team: { type: "string" }, resource: { type: "string" } };

const clusterScoped = { apiVersion: "kubernetes.crossplane.io/v1alpha2", providerConfigRef: { name: "default" } };

const namespaced = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  providerConfigRef: { kind: "ClusterProviderConfig", name: "default" },
};

/** A step that composes the ConfigMap's Object. */
export const object = (labels: object, { apiVersion, providerConfigRef } = clusterScoped) =>
  compose({
    object: {
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
    },
  });

const tag = ours("tag", { tags: { add: [{ key: "team", value: { fromCompositeFieldPath: "spec.team" } }] } });

export const taggedDefinitions = ["XUntamed", "XTagged"].map((kind) => definitionOf({ kind, spec }));

export const untamedComposition = compositionOf("XUntamed", [object({ labels: { team: "$(spec.team)" } }), autoReady]);
export const taggedComposition = compositionOf("XTagged", [object({}), tag, autoReady]);

/** XUntamed's Composition, once our step is in it. */
export const tamedComposition = compositionOf("XUntamed", [object({}), tag, autoReady]);

/** The same, namespaced, as Crossplane has it since v2. */
export const namespacedTagged = {
  definition: definitionOf({ kind: "TeamBucket", scope: "Namespaced", spec }),
  composition: compositionOf("TeamBucket", [object({}, namespaced), tag, autoReady]),
  xrOf: (resource: string, team: string) => ({
    apiVersion: VERSION,
    kind: "TeamBucket",
    metadata: { namespace: `bucket-${team}`, name: resource },
    spec: { team, resource },
  }),
};

/** A kind for the programs that ask who owns what: suites run side by side, and must not see each other's. */
export const shelved = {
  definition: definitionOf({ kind: "XShelf", spec }),
  composition: compositionOf("XShelf", [object({}), tag]),
};

/** An XR of a team, for the cloud resource of that name. */
export const xrOf = (kind: "XUntamed" | "XTagged" | "XShelf", resource: string, team: string) => ({
  apiVersion: VERSION,
  kind,
  metadata: { name: `${resource}-${team}` },
  spec: { team, resource },
});
