import { registerFunction } from "../rig/function.ts";
import { freePort } from "../rig/process.ts";
import type { Rig } from "../rig/rig.ts";
import { GROUP, pluralOf, VERSION } from "./definitions.ts";

/** A kind of XR whose function cannot be reached: for two minutes Crossplane has nothing to say of such an XR. */
export async function unreachedOf({ kubectl }: Rig, kind: string): Promise<readonly object[]> {
  const name = "function-out-of-reach";
  await registerFunction(kubectl, await freePort(), name);
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
  return [
    {
      apiVersion: "apiextensions.crossplane.io/v1",
      kind: "CompositeResourceDefinition",
      metadata: { name: `${pluralOf(kind)}.${GROUP}` },
      spec: {
        group: GROUP,
        names: { kind, plural: pluralOf(kind) },
        versions: [{ name: "v1alpha1", served: true, referenceable: true, schema }],
      },
    },
    {
      apiVersion: "apiextensions.crossplane.io/v1",
      kind: "Composition",
      metadata: { name: `${kind.toLowerCase()}-unreached` },
      spec: {
        compositeTypeRef: { apiVersion: VERSION, kind },
        mode: "Pipeline",
        pipeline: [{ step: "never", functionRef: { name } }],
      },
    },
  ];
}
