import type { Rig } from "./rig/rig.ts";

/** A kind of XR as a newcomer writes one, in an API group that no manifest of this repository has. */

const [GROUP, KIND, PLURAL] = ["pets.example.com", "Kennel", "kennels"];

const definition = {
  apiVersion: "apiextensions.crossplane.io/v2",
  kind: "CompositeResourceDefinition",
  metadata: { name: `${PLURAL}.${GROUP}` },
  spec: {
    scope: "Namespaced",
    group: GROUP,
    names: { kind: KIND, plural: PLURAL },
    versions: [{ name: "v1", served: true, referenceable: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const composition = {
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name: PLURAL },
  spec: {
    compositeTypeRef: { apiVersion: `${GROUP}/v1`, kind: KIND },
    mode: "Pipeline",
    pipeline: [
      {
        step: "compose",
        functionRef: { name: "function-patch-and-transform" },
        input: {
          apiVersion: "pt.fn.crossplane.io/v1beta1",
          kind: "Resources",
          resources: [
            {
              name: "dog",
              base: { apiVersion: "v1", kind: "ConfigMap", data: { says: "woof" } },
              readinessChecks: [{ type: "None" }],
            },
          ],
        },
      },
    ],
  },
};

/** @throws {Error} where the XRD is not Established, or an XR of it not Ready. */
export async function useOwnKind({ kubectl }: Pick<Rig, "kubectl">): Promise<void> {
  await kubectl.apply(definition);
  await kubectl.established(`xrd/${definition.metadata.name}`);
  await kubectl.apply(composition, {
    apiVersion: `${GROUP}/v1`,
    kind: KIND,
    metadata: { namespace: "default", name: "rex" },
    spec: {},
  });
  await kubectl.waitFor("Ready", `${PLURAL}.${GROUP}/rex`);
}
