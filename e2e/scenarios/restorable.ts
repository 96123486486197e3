import { roleFor } from "../rig/crossplane-rights.ts";
import * as definitions from "./definitions.ts";
import { autoReady, compose, definitionOf, ours, readManagedKind, VERSION } from "./definitions.ts";

/**
 * XRs that compose Buckets, to be backed up and restored. A Bucket is cluster-scoped, as Crossplane v1 needs it, and has no
 * controller, so every change of it is Crossplane's.
 */

const CLOUD_GROUP = "cloud.example.org";

export const bucket = { apiVersion: `${CLOUD_GROUP}/v1`, kind: "Bucket", spec: { region: "eu" } };
export const configMap = { apiVersion: "v1", kind: "ConfigMap", data: { region: "eu" } };

export const restorable = [
  readManagedKind("Bucket", CLOUD_GROUP),
  roleFor("cloud", [CLOUD_GROUP]),
  definitionOf({ kind: "XStore", claim: "Store" }),
];

/** A namespaced kind, which Crossplane has since v2. */
export const namespacedRestorable = definitionOf({ kind: "Shelf", plural: "shelves", scope: "Namespaced" });

export interface Composed {
  readonly kind?: "XStore" | "Shelf";
  /** The resources that the steps before ours desire. */
  readonly resources: Readonly<Record<string, object>>;
  /** True if our step comes after them. */
  readonly isGuarded: boolean;
  /** True if one step names a function that does not exist. */
  readonly isBroken?: boolean;
}

const broken = { step: "fail", functionRef: { name: "function-that-is-not-there" } };

export const compositionOf = (name: string, { kind = "XStore", resources, isGuarded, isBroken = false }: Composed) => {
  const guards = [...(isBroken ? [broken] : []), ...(isGuarded ? [ours("adopt", { adoption: {} })] : [])];
  // function-patch-and-transform takes no empty list.
  const composing = Object.keys(resources).length === 0 ? [] : [compose(resources)];
  return definitions.compositionOf(kind, [...composing, autoReady, ...guards], { name });
};

/** An XR, or a claim, whose Composition has its name. */
export const storeOf = (name: string, kind: "XStore" | "Store" = "XStore") => ({
  apiVersion: VERSION,
  kind,
  metadata: { name, ...(kind === "Store" && { namespace: "default" }) },
  spec: { compositionRef: { name } },
});

export const shelfOf = (name: string) => ({
  apiVersion: VERSION,
  kind: "Shelf",
  metadata: { name, namespace: "default" },
  spec: { crossplane: { compositionRef: { name } } },
});
