import { type Document, stringAt } from "../../model/document.ts";

export const MANAGEMENT_POLICIES = ["spec", "managementPolicies"];
export const DELETION_POLICY = ["spec", "deletionPolicy"];

export type Policies = readonly string[];

/** What a managed resource may do where nothing is said. */
export const EVERYTHING: Policies = ["*"];
export const OBSERVE: Policies = ["Observe"];

/** The managementPolicies that the resource sets or shows; undefined where it has none. */
export function policiesOf(resource: Document): Policies | undefined {
  const policies = resource.at(MANAGEMENT_POLICIES);
  return Array.isArray(policies) ? policies.filter((policy) => typeof policy === "string") : undefined;
}

const has = (policies: Policies, ...actions: readonly string[]): boolean =>
  policies.some((policy) => policy === "*" || actions.includes(policy));

export const mayWrite = (policies: Policies): boolean => has(policies, "Create", "Update");

/**
 * The same without Delete. Providers take only certain sets; what remains of any of them is one, too. Source:
 * crossplane-runtime pkg/reconciler/managed, defaultSupportedManagementPolicies.
 */
export const withoutDelete = (policies: Policies): Policies =>
  policies.includes("*")
    ? ["Observe", "Create", "Update", "LateInitialize"]
    : policies.filter((policy) => policy !== "Delete");

/**
 * Whether the cloud resource goes when the managed resource does. managementPolicies without Delete win over
 * `deletionPolicy: Delete`, and with an explicit Delete over `deletionPolicy: Orphan`. Source: crossplane-runtime
 * pkg/reconciler/managed/policies.go, ShouldDelete.
 */
export function mayDelete(resource: Document): boolean {
  const policies = policiesOf(resource) ?? EVERYTHING;
  return policies.includes("Delete") || (policies.includes("*") && stringAt(resource, DELETION_POLICY) !== "Orphan");
}
