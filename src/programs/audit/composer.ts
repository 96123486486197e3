import { COMPOSITE_LABEL, proofOf } from "../../features/adoption/proof.ts";
import type { Composite } from "../../model/composite.ts";
import { type Document, stringAt } from "../../model/document.ts";

/** Which XR composed a resource that no XR refers to, as far as the resource shows it. */
export type Composer =
  | { readonly is: "none" }
  | { readonly is: "one"; readonly composite: Composite }
  | { readonly is: "several"; readonly composites: readonly Composite[] };

/** Crossplane puts it on all that it composes; what copies labels (an Endpoints object does its Service's) does not copy it. */
export const COMPOSITION_RESOURCE_NAME = ["metadata", "annotations", "crossplane.io/composition-resource-name"];

/**
 * By the rules that adoption has for proof: the label, the claim's labels, and Crossplane's field manager where managed
 * fields are there. What a namespaced XR composes lies in its own namespace.
 */
export function composerOf(document: Document, composites: readonly Composite[]): Composer {
  if (stringAt(document, COMPOSITION_RESOURCE_NAME) === undefined) return { is: "none" };
  const namespace = stringAt(document, ["metadata", "namespace"]);
  const [only, ...others] = composites
    .filter((composite) => composite.namespace === undefined || composite.namespace === namespace)
    .filter((composite) => isRootedIn(document, composite) && proofOf(document, composite).is !== "unproven");
  if (only === undefined) return { is: "none" };
  return others.length === 0 ? { is: "one", composite: only } : { is: "several", composites: [only, ...others] };
}

/** Cheaper than the proof, and true of few XRs. */
const isRootedIn = (document: Document, composite: Composite): boolean =>
  stringAt(document, LABEL) === (stringAt(composite.document, LABEL) ?? composite.name);

const LABEL = ["metadata", "labels", COMPOSITE_LABEL];
