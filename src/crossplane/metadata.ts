import { type Document, stringAt } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";

export const annotationPath = (key: string): FieldPath => ["metadata", "annotations", key];
export const labelPath = (key: string): FieldPath => ["metadata", "labels", key];

/** The annotation that holds the cloud's name of a managed resource. */
export const EXTERNAL_NAME = annotationPath("crossplane.io/external-name");

/** The annotation that holds a composed resource's name in its Composition. */
export const COMPOSITION_RESOURCE_NAME = annotationPath("crossplane.io/composition-resource-name");

/** The label by which the resources of a tree of XRs, nested XRs among them, name the XR at the root. */
export const COMPOSITE_LABEL = "crossplane.io/composite";
export const COMPOSITE = labelPath(COMPOSITE_LABEL);

/** The labels by which an XR and what it composes name the claim. */
export const CLAIM_NAME_LABEL = "crossplane.io/claim-name";
export const CLAIM_NAMESPACE_LABEL = "crossplane.io/claim-namespace";
export const CLAIM_NAME = labelPath(CLAIM_NAME_LABEL);
export const CLAIM_NAMESPACE = labelPath(CLAIM_NAMESPACE_LABEL);

/** The non-empty annotation of that key. */
export const readAnnotation = (resource: Document, key: string): string | undefined =>
  stringAt(resource, annotationPath(key));

/** The non-empty label of that key. */
export const readLabel = (resource: Document, key: string): string | undefined => stringAt(resource, labelPath(key));

/** Tells whether Crossplane or the provider leaves the resource alone. Source: crossplane-runtime pkg/meta, IsPaused. */
export const isPaused = (resource: Document): boolean => readAnnotation(resource, "crossplane.io/paused") === "true";

export const isBeingDeleted = (resource: Document): boolean =>
  stringAt(resource, ["metadata", "deletionTimestamp"]) !== undefined;

/** `namespace/name`, or the name of a cluster-scoped resource. */
export function qualifiedName(resource: Document): string {
  const namespace = stringAt(resource, ["metadata", "namespace"]);
  const name = stringAt(resource, ["metadata", "name"]) ?? "";
  return namespace === undefined ? name : `${namespace}/${name}`;
}
