import { UPJET_GROUP } from "../rig/upjet-provider.ts";
import * as definitions from "./definitions.ts";
import { compose, definitionOf, ours, VERSION } from "./definitions.ts";

/**
 * XRs that compose a Cluster of the upjet provider, without LateInitialize: the provider creates it asynchronously, and the
 * cloud makes up its identifier. Each is in a region that has the XR's name.
 */

export const MANAGED = `clusters.${UPJET_GROUP}`;

export const composite = definitionOf({ kind: "XCluster" });

const managed = {
  apiVersion: `${UPJET_GROUP}/v1alpha1`,
  kind: "Cluster",
  spec: {
    forProvider: { region: "$(metadata.name)" },
    managementPolicies: ["Observe", "Create", "Update", "Delete"],
    providerConfigRef: { name: "default" },
  },
};

/** Our step, after what composes. */
const names = ours("names", {
  externalNames: {
    rescue: [{ apiGroup: UPJET_GROUP, kind: "Cluster" }],
  },
});

export const compositionOf = (name: string, { isGuarded }: { readonly isGuarded: boolean }) =>
  definitions.compositionOf("XCluster", [compose({ cluster: managed }), ...(isGuarded ? [names] : [])], { name });

/** An XR, whose Composition has its name unless it is said. */
export const xrOf = (name: string, composition = name) => ({
  apiVersion: VERSION,
  kind: "XCluster",
  metadata: { name },
  spec: { compositionRef: { name: composition } },
});
