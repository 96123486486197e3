import { type Document, stringAt } from "../model/document.ts";
import { toApiGroup, withoutScope } from "./api-group.ts";

/** What a managed resource is, whichever the scope of its kind: `Distribution` of `cloudfront.aws.upbound.io`. */
export interface ManagedKind {
  /** Without the `.m` of namespaced managed resources. */
  readonly group: string;
  readonly kind: string;
}

export const managedKindOf = (resource: Document): ManagedKind => ({
  group: withoutScope(toApiGroup(stringAt(resource, ["apiVersion"]))),
  kind: stringAt(resource, ["kind"]) ?? "",
});

/**
 * Tells a managed resource by the fields that its CRD fills in (Crossplane's API conventions). A nested XR may have such
 * fields too, but then it has a Composition as well.
 */
export function isManaged(observed: Document): boolean {
  const has = (field: string): boolean => observed.at(["spec", field]) !== undefined;
  const isComposite = has("crossplane") || has("compositionRef") || has("compositionRevisionRef");
  return (has("providerConfigRef") || has("managementPolicies")) && !isComposite;
}
