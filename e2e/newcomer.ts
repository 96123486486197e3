import type { Rig } from "./rig/rig.ts";
import { compose, compositionOf, definitionOf, GROUP, pluralOf, VERSION } from "./scenarios/definitions.ts";

/** A kind of XR as a newcomer writes one: no manifest of the quick start has it. */

const KIND = "Kennel";

/** An Object of provider-kubernetes with a ConfigMap. */
const dog = {
  apiVersion: "kubernetes.m.crossplane.io/v1alpha1",
  kind: "Object",
  spec: {
    providerConfigRef: { kind: "ClusterProviderConfig", name: "default" },
    forProvider: { manifest: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name: "rex" } } },
  },
};

/** @throws {Error} where the XRD is not Established, or an XR of it not Ready. */
export async function useOwnKind({ kubectl }: Pick<Rig, "kubectl">): Promise<void> {
  const name = `${pluralOf(KIND)}.${GROUP}`;
  await kubectl.apply(definitionOf({ kind: KIND, scope: "Namespaced" }));
  await kubectl.established(`xrd/${name}`);
  const metadata = { namespace: "default", name: "rex" };
  await kubectl.apply(compositionOf(KIND, [compose({ dog })]), { apiVersion: VERSION, kind: KIND, metadata, spec: {} });
  await kubectl.waitFor("Ready", `${name}/rex`);
}
