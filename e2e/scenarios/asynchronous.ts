import * as definitions from "./definitions.ts";
import { compose, definitionOf, managedKindOf, open, ours, VERSION } from "./definitions.ts";

/** A managed resource of an asynchronous provider, without LateInitialize, and XRs that compose one. */

const CLOUD_GROUP = "async.example.org";

export const MANAGED = `clusters.${CLOUD_GROUP}`;

export const definition = managedKindOf("Cluster", CLOUD_GROUP);

export const composite = definitionOf({ kind: "XCluster", status: { externalNames: open } });

const managed = {
  apiVersion: `${CLOUD_GROUP}/v1`,
  kind: "Cluster",
  spec: {
    forProvider: { region: "eu" },
    managementPolicies: ["Observe", "Create", "Update", "Delete"],
    providerConfigRef: { name: "default" },
  },
};

/** Our step, after what composes. */
const names = ours("names", {
  externalNames: {
    rescue: [{ apiGroup: CLOUD_GROUP, kind: "Cluster" }],
    ledger: { toCompositeFieldPath: "status.externalNames" },
  },
});

export const compositionOf = (name: string, { isGuarded }: { readonly isGuarded: boolean }) =>
  definitions.compositionOf("XCluster", [compose({ cluster: managed }), ...(isGuarded ? [names] : [])], { name });

export const xrOf = (name: string) => ({
  apiVersion: VERSION,
  kind: "XCluster",
  metadata: { name },
  spec: { compositionRef: { name } },
});
