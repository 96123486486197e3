import type { Composite } from "../../crossplane/composite.ts";
import { COMPOSITE, COMPOSITION_RESOURCE_NAME } from "../../crossplane/metadata.ts";
import { findProof, toPossibleComposer } from "../../crossplane/proof.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { groupBy } from "../../model/group-by.ts";

/** The XR that composed an orphan, as far as the orphan's metadata tells. */
export type Composer =
  | { readonly is: "none" }
  | { readonly is: "one"; readonly composite: Composite }
  | { readonly is: "several"; readonly composites: readonly Composite[] };

/** XRs by the root of their tree, which the label of all that they compose names: few are below one root. */
export type CompositesByRoot = ReadonlyMap<string | undefined, readonly Composite[]>;

export const groupByRoot = (composites: readonly Composite[]): CompositesByRoot =>
  groupBy(composites, ({ document, name }) => stringAt(document, COMPOSITE) ?? name);

/**
 * Finds the XR by adoption's rules of proof: the label, the claim's labels, and Crossplane's field manager if there are managed
 * fields. A namespaced XR composes in its own namespace only.
 */
export function findComposer(document: Document, byRoot: CompositesByRoot): Composer {
  // An Endpoints object copies its Service's labels, but not this annotation.
  if (stringAt(document, COMPOSITION_RESOURCE_NAME) === undefined) return { is: "none" };
  const namespace = stringAt(document, ["metadata", "namespace"]);
  const [only, ...others] = (byRoot.get(stringAt(document, COMPOSITE)) ?? [])
    .filter((composite) => composite.namespace === undefined || composite.namespace === namespace)
    .filter((composite) => findProof(document, toPossibleComposer(composite)).is !== "unproven");
  if (only === undefined) return { is: "none" };
  return others.length === 0 ? { is: "one", composite: only } : { is: "several", composites: [only, ...others] };
}
