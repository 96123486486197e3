import { API_VERSION, KIND } from "../../src/input/schema.ts";
import { NAMESPACE } from "../rig/crossplane.ts";
import { FUNCTION } from "../rig/function.ts";
import type { Kubectl } from "../rig/kubectl.ts";

/** What platform teams install: kinds, and Compositions of one step of ours. */

export const GROUP = "platform.example.org";
export const VERSION = `${GROUP}/v1alpha1`;

/** Called every other second, so that scenarios need not wait for Crossplane's minute. */
const responseTTL = "2s";

/** A kind of XR. Of the scopes, only `Legacy` is known to Crossplane v1: cluster-scoped, with a claim kind if it is named. */
export interface Kind {
  readonly kind: string;
  readonly scope: "Legacy" | "Cluster" | "Namespaced";
  readonly claim?: string;
  /** The spec of our step's input. */
  readonly input: object;
  /** The Function that answers; the rig's own where it is not said. */
  readonly functionName?: string;
}

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;

const definitionOf = ({ kind, scope, claim }: Kind) => ({
  apiVersion: `apiextensions.crossplane.io/${scope === "Legacy" ? "v1" : "v2"}`,
  kind: "CompositeResourceDefinition",
  metadata: { name: `${pluralOf(kind)}.${GROUP}` },
  spec: {
    ...(scope !== "Legacy" && { scope }),
    group: GROUP,
    names: { kind, plural: pluralOf(kind) },
    ...(claim !== undefined && { claimNames: { kind: claim, plural: pluralOf(claim) } }),
    versions: [{ name: "v1alpha1", served: true, referenceable: true, schema: { openAPIV3Schema: schema } }],
  },
});

const schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { parameters: open } },
    status: { type: "object", properties: { endpoint: { type: "string" }, database: open } },
  },
};

/** Connection details reach a claim by way of a Secret of its XR, which lies where Crossplane does. */
const compositionOf = ({ kind, claim, input, functionName = FUNCTION }: Kind) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name: kind.toLowerCase() },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind },
    mode: "Pipeline",
    ...(claim !== undefined && { writeConnectionSecretsToNamespace: NAMESPACE }),
    pipeline: [
      {
        step: "share",
        functionRef: { name: functionName },
        input: { apiVersion: API_VERSION, kind: KIND, spec: { responseTTL, ...input } },
      },
    ],
  },
});

/** Installs kinds and their Compositions, and waits until they can be used. */
export async function install(kubectl: Kubectl, kinds: readonly Kind[]): Promise<void> {
  await kubectl.apply(...kinds.map(definitionOf));
  for (const kind of kinds) {
    const condition = kind.claim === undefined ? "Established" : "Offered";
    const name = definitionOf(kind).metadata.name;
    await kubectl.run("wait", `--for=condition=${condition}`, `xrd/${name}`, "--timeout=60s");
  }
  await kubectl.apply(...kinds.map(compositionOf));
}
