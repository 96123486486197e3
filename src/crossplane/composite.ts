import { FunctionError } from "../errors.ts";
import { type Document, stringAt } from "../model/document.ts";
import { parseFieldPath } from "../model/field-path.ts";
import { CLAIM_NAMESPACE_LABEL, readLabel } from "./metadata.ts";

/** The metadata of the XR, read once. */
export interface Composite {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Undefined for a cluster-scoped XR. */
  readonly namespace: string | undefined;
  /** The claim that a legacy XR is bound to. A namespaced XR has none: there `spec.claimRef` is a field like any other. */
  readonly claim: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined;
  /** True if it follows Crossplane v2's schema, which keeps Crossplane's own fields below `spec.crossplane`. */
  readonly isModern: boolean;
  readonly document: Document;
}

const API_VERSION = parseFieldPath("apiVersion");
const KIND = parseFieldPath("kind");
const NAME = parseFieldPath("metadata.name");
const NAMESPACE = parseFieldPath("metadata.namespace");
const CROSSPLANE = parseFieldPath("spec.crossplane");
const CLAIM_KIND = parseFieldPath("spec.claimRef.kind");
const CLAIM_NAME = parseFieldPath("spec.claimRef.name");
const CLAIM_NAMESPACE = parseFieldPath("spec.claimRef.namespace");

/** @throws {FunctionError} `InvalidInput` where there is no XR, as in an Operation. */
export function toComposite(document: Document): Composite {
  const apiVersion = stringAt(document, API_VERSION);
  const kind = stringAt(document, KIND);
  const name = stringAt(document, NAME);
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    throw new FunctionError(
      "InvalidInput",
      "cannot run without an XR: the request observes none; use it in a Composition, or in an Operation with spec.neverReconciled",
    );
  }
  const namespace = stringAt(document, NAMESPACE);
  const claim = namespace === undefined ? readClaim(document) : undefined;
  return {
    apiVersion,
    kind,
    name,
    namespace,
    claim,
    // Only legacy XRs have claims, whose other fields are copied to them: `spec.crossplane`, too, where the XRD lets it.
    isModern: namespace !== undefined || (claim === undefined && document.at(CROSSPLANE) !== undefined),
    document,
  };
}

/**
 * Finds the namespace of the claim that a cluster-scoped resource was made for. Crossplane sets the label on the XR of a claim and on
 * all that is composed below it, nested XRs included, over what a Composition desires (RenderComposedResourceMetadata in
 * composition_render.go and the claim's syncer, v1.20 to v2.4). A resource that Crossplane has not labelled yet may have a claim.
 */
export const claimNamespace = (resource: Document): string | undefined =>
  readLabel(resource, CLAIM_NAMESPACE_LABEL) ?? stringAt(resource, CLAIM_NAMESPACE);

/**
 * Finds the namespace of the team that asks: the XR's own, or that of the claim at the root of the tree that the XR is nested in.
 * Undefined for a cluster-scoped XR without a claim, which is the platform's.
 */
export const consumerNamespace = ({ namespace, document }: Composite): string | undefined =>
  namespace ?? claimNamespace(document);

function readClaim(document: Document): Composite["claim"] {
  const name = stringAt(document, CLAIM_NAME);
  const namespace = stringAt(document, CLAIM_NAMESPACE);
  if (name === undefined || namespace === undefined) return undefined;
  return { kind: stringAt(document, CLAIM_KIND) ?? "Claim", name, namespace };
}
