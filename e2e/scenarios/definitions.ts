import { INPUT_API_VERSION, INPUT_KIND } from "../../src/input/schema.ts";
import { NAMESPACE } from "../rig/crossplane.ts";
import { FUNCTION } from "../rig/function.ts";
import type { Kubectl } from "../rig/kubectl.ts";
import { AUTO_READY, PATCH_AND_TRANSFORM } from "../rig/other-function.ts";

/** Kinds and Compositions, as platform teams install them. */

export const GROUP = "platform.example.org";
export const VERSION = `${GROUP}/v1alpha1`;

/** Called every other second, so that scenarios need not wait for Crossplane's minute. */
const responseTTL = "2s";

export const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const pluralOf = (kind: string): string => `${kind.toLowerCase()}s`;

/** A kind of XR. */
interface Definition {
  readonly kind: string;
  /** Its plural in lower case, where that is not the kind with an s. */
  readonly plural?: string;
  /** Of the scopes, only `Legacy` is known to Crossplane v1: cluster-scoped, with a claim kind if it is named. */
  readonly scope?: "Legacy" | "Cluster" | "Namespaced";
  readonly claim?: string | undefined;
  /** Schemas of the fields of its spec and its status. */
  readonly spec?: object;
  readonly status?: object;
}

export const definitionOf = ({ kind, plural = pluralOf(kind), scope = "Legacy", claim, spec, status }: Definition) => ({
  apiVersion: `apiextensions.crossplane.io/${scope === "Legacy" ? "v1" : "v2"}`,
  kind: "CompositeResourceDefinition",
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    ...(scope !== "Legacy" && { scope }),
    group: GROUP,
    names: { kind, plural },
    ...(claim !== undefined && { claimNames: { kind: claim, plural: pluralOf(claim) } }),
    versions: [
      {
        name: "v1alpha1",
        served: true,
        referenceable: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: fieldsOf(spec), status: fieldsOf(status) } } },
      },
    ],
  },
});

const fieldsOf = (properties: object = {}) => ({ type: "object", properties });

/** A managed resource's kind: cluster-scoped, as Crossplane v1 needs it. */
export const readManagedKind = (kind: string, group: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${pluralOf(kind)}.${group}` },
  spec: {
    group,
    names: { kind, listKind: `${kind}List`, plural: pluralOf(kind), singular: kind.toLowerCase() },
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
});

interface Step {
  readonly step: string;
  readonly functionRef: { readonly name: string };
  readonly input?: object;
}

/**
 * A step of the real function-patch-and-transform that desires these resources. `$(spec.team)` in a text is that field of the
 * XR: a patch puts it there.
 */
export const compose = (resources: Readonly<Record<string, object>>): Step => ({
  step: "compose",
  functionRef: { name: PATCH_AND_TRANSFORM },
  input: {
    apiVersion: "pt.fn.crossplane.io/v1beta1",
    kind: "Resources",
    resources: Object.entries(resources).map(([name, manifest]) => ({
      name,
      base: manifest,
      patches: patchesFor(manifest, ""),
    })),
  },
});

const FIELD = /\$\((?<path>[^)]+)\)/g;

/** A patch for each text in which a field of the XR is named. */
function patchesFor(value: unknown, path: string): readonly object[] {
  if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    return Object.entries(value).flatMap(([key, item]) =>
      patchesFor(item, isList || /[.[]/.test(key) ? `${path}[${key}]` : `${path}${path && "."}${key}`),
    );
  }
  const variables = [...String(value).matchAll(FIELD)].map(([, fromFieldPath]) => ({ fromFieldPath }));
  if (typeof value !== "string" || variables.length === 0) return [];
  const string = { fmt: value.replace(FIELD, "%v") };
  return [{ type: "CombineFromComposite", combine: { strategy: "string", string, variables }, toFieldPath: path }];
}

/** The real function-auto-ready. */
export const autoReady: Step = { step: "ready", functionRef: { name: AUTO_READY } };

/** Our step, with this spec as its input. */
export const ours = (step: string, spec: object, functionName = FUNCTION): Step => ({
  step,
  functionRef: { name: functionName },
  input: { apiVersion: INPUT_API_VERSION, kind: INPUT_KIND, spec: { responseTTL, ...spec } },
});

interface CompositionOptions {
  /** The kind in lower case, where it is not said. */
  readonly name?: string;
  /** True if the kind has a claim, which gets connection details through its XR's Secret. */
  readonly isClaimed?: boolean;
}

export const compositionOf = (
  kind: string,
  pipeline: readonly Step[],
  { name = kind.toLowerCase(), isClaimed = false }: CompositionOptions = {},
) => ({
  apiVersion: "apiextensions.crossplane.io/v1",
  kind: "Composition",
  metadata: { name },
  spec: {
    compositeTypeRef: { apiVersion: VERSION, kind },
    mode: "Pipeline",
    ...(isClaimed && { writeConnectionSecretsToNamespace: NAMESPACE }),
    pipeline,
  },
});

/** A kind of XR whose Composition has one step of ours, or two. */
export interface Kind extends Definition {
  readonly scope: "Legacy" | "Cluster" | "Namespaced";
  /** The spec of our step's input. */
  readonly input: object;
  /** That of a second step, if there is one. */
  readonly later?: object;
  /** The Function that answers; the rig's own where it is not said. */
  readonly functionName?: string;
}

const fields = { spec: { parameters: open }, status: { endpoint: { type: "string" }, database: open } };

/** A kind whose XRs look for one that is not there: they tell whether that function is called. */
export const seeker = (kind: string, functionName: string): Kind => ({
  kind,
  scope: "Legacy",
  functionName,
  input: { sharedResources: [{ name: "nobody", apiVersion: VERSION, kind, select: { name: "nobody" } }] },
});

/** Installs kinds and their Compositions, and waits until they can be used. */
export async function install(kubectl: Kubectl, kinds: readonly Kind[]): Promise<void> {
  for (const kind of kinds) await kubectl.apply(definitionOf({ ...fields, ...kind }));
  for (const { kind, claim } of kinds) {
    const condition = claim === undefined ? "Established" : "Offered";
    await kubectl.waitFor(condition, `xrd/${pluralOf(kind)}.${GROUP}`);
  }
  for (const { kind, claim, input, later, functionName } of kinds) {
    const pipeline = [ours("share", input, functionName), ...(later ? [ours("later", later, functionName)] : [])];
    await kubectl.apply(compositionOf(kind, pipeline, { isClaimed: claim !== undefined }));
  }
}
