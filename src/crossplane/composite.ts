import { FunctionError } from "../errors.ts";
import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { once } from "../model/once.ts";
import { CLAIM_NAMESPACE_LABEL, COMPOSITE_LABEL, findController, readLabel } from "./metadata.ts";

/** The metadata of the XR, read once. */
export interface Composite {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined for a cluster-scoped XR. */
  readonly namespace: string | undefined;
  /** The claim that a legacy XR is bound to. A namespaced XR has none: its `spec.claimRef` is an ordinary field. */
  readonly claim: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined;
  /** True for an XR of v2, with Crossplane's own fields below `spec.crossplane`; false for an XR of v1, with them in `spec`. */
  readonly isModern: boolean;
  readonly document: Document;
}

const CLAIM_REF = ["spec", "claimRef"];
export const CLAIM_REF_NAMESPACE: FieldPath = [...CLAIM_REF, "namespace"];

/** Reads an XR's metadata. @throws {FunctionError} `InvalidInput` if the document is no XR, as in an Operation. */
export function toComposite(document: Document): Composite {
  const apiVersion = stringAt(document, ["apiVersion"]);
  const kind = stringAt(document, ["kind"]);
  const name = stringAt(document, ["metadata", "name"]);
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    throw new FunctionError(
      "InvalidInput",
      "cannot run without an XR: the request has no observed XR; use this function in a Composition, or in an Operation with spec.neverReconciled",
    );
  }
  const namespace = stringAt(document, ["metadata", "namespace"]);
  const claim = namespace === undefined ? readClaim(document, name) : undefined;
  return {
    apiVersion,
    kind,
    name,
    namespace,
    claim,
    // The XR of a claim has the claim's fields, and `spec.crossplane` may be one of them.
    isModern: namespace !== undefined || (claim === undefined && document.at(["spec", "crossplane"]) !== undefined),
    document,
  };
}

/**
 * Finds the namespace of the claim to which a cluster-scoped XR or composed resource belongs. Crossplane labels each
 * with that namespace. Only a claim's new XR may lack the label, and has `spec.claimRef` instead. Cached: a team may write
 * thousands of labels, and each copy asks.
 * Source: RenderComposedResourceMetadata and the claim's syncer, v1.20 to v2.4.
 */
export const claimNamespace = once(
  (resource: Document): string | undefined =>
    readLabel(resource, CLAIM_NAMESPACE_LABEL) ?? stringAt(resource, CLAIM_REF_NAMESPACE),
);

/** Finds the consumer's namespace: the XR's own or its claim's; undefined for a cluster-scoped XR without a claim. */
export const consumerNamespace = ({ namespace, document }: Composite): string | undefined =>
  namespace ?? claimNamespace(document);

/** Reads the claim from `spec.claimRef`; undefined for a nested XR: a Composition may set the field there, to any claim. */
function readClaim(document: Document, own: string): Composite["claim"] {
  const name = stringAt(document, [...CLAIM_REF, "name"]);
  const namespace = stringAt(document, CLAIM_REF_NAMESPACE);
  const isNested = (readLabel(document, COMPOSITE_LABEL) ?? own) !== own || findController(document) !== undefined;
  if (name === undefined || namespace === undefined || isNested || claimNamespace(document) !== namespace)
    return undefined;
  return { kind: stringAt(document, [...CLAIM_REF, "kind"]) ?? "Claim", name, namespace };
}
