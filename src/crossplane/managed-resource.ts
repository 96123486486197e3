import { type Document, stringAt } from "../model/document.ts";
import { isNamespacedGroup, toApiGroup, withoutScope } from "./api-group.ts";

/** The kind of a managed resource: `Distribution` of `cloudfront.aws.upbound.io`. */
export interface ManagedKind {
  readonly apiVersion: string;
  /** Without the `.m` of namespaced managed resources: both kinds stand for the same cloud resources. */
  readonly group: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

export const readManagedKind = (resource: Document): ManagedKind =>
  toManagedKind(stringAt(resource, ["apiVersion"]) ?? "", stringAt(resource, ["kind"]) ?? "");

export function toManagedKind(apiVersion: string, kind: string): ManagedKind {
  const group = toApiGroup(apiVersion);
  return { apiVersion, group: withoutScope(group), kind, isNamespaced: isNamespacedGroup(group) };
}

/**
 * Tells a managed resource by the fields that its CRD fills in (Crossplane's API conventions). A nested XR may have such
 * fields too, but then it has a Composition as well.
 */
export function isManaged(observed: Document): boolean {
  const has = (field: string): boolean => observed.at(["spec", field]) !== undefined;
  const isComposite = has("crossplane") || has("compositionRef") || has("compositionRevisionRef");
  return (has("providerConfigRef") || has("managementPolicies")) && !isComposite;
}

/**
 * The ProviderConfig of a managed resource: its name, and its namespace where it is a namespaced ProviderConfig. What
 * cluster-scoped managed resources call ProviderConfig, namespaced ones call ClusterProviderConfig.
 */
export function readProviderConfig(
  desired: Document,
  observed: Document | undefined,
  { isNamespaced }: Pick<ManagedKind, "isNamespaced">,
): readonly string[] {
  const name = stringAt(desired, ["spec", "providerConfigRef", "name"]) ?? "default";
  if (!isNamespaced || stringAt(desired, ["spec", "providerConfigRef", "kind"]) !== "ProviderConfig") return [name];
  const namespace = observed && stringAt(observed, ["metadata", "namespace"]);
  return [name, namespace ?? ""];
}
