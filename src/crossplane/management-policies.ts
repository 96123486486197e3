import { type Document, stringAt } from "../model/document.ts";

/** The fields that say what a provider may do with a cloud resource. */
export const MANAGEMENT_POLICIES = ["spec", "managementPolicies"];
export const DELETION_POLICY = ["spec", "deletionPolicy"];

export type Policies = readonly string[];

/** The policies of a managed resource that sets none. */
export const EVERYTHING: Policies = ["*"];
export const OBSERVE: Policies = ["Observe"];
/** The provider does not even look, and says so in the condition Synced. */
export const NOTHING: Policies = [];

/** The managementPolicies that the resource sets or shows; undefined where it has none. */
export function readPolicies(resource: Document): Policies | undefined {
  const policies = resource.at(MANAGEMENT_POLICIES);
  return Array.isArray(policies) ? policies.filter((policy) => typeof policy === "string") : undefined;
}

const has = (policies: Policies, ...actions: readonly string[]): boolean =>
  policies.some((policy) => policy === "*" || actions.includes(policy));

/** Tells whether the provider may change the cloud resource, its tags among the rest. */
export const mayWrite = (policies: Policies): boolean => has(policies, "Create", "Update");

/**
 * The policies without Delete. Providers accept certain sets only, and what remains of each of these is accepted too. Source:
 * crossplane-runtime pkg/reconciler/managed, defaultSupportedManagementPolicies.
 */
export const withoutDelete = (policies: Policies): Policies =>
  policies.includes("*")
    ? ["Observe", "Create", "Update", "LateInitialize"]
    : policies.filter((policy) => policy !== "Delete");

/**
 * Tells whether the cloud resource goes when the managed resource does. managementPolicies without Delete win over
 * `deletionPolicy: Delete`, and with an explicit Delete over `deletionPolicy: Orphan`. Source: crossplane-runtime
 * pkg/reconciler/managed/policies.go, ShouldDelete.
 */
export function mayDelete(resource: Document, policies: Policies = readPolicies(resource) ?? EVERYTHING): boolean {
  return policies.includes("Delete") || (policies.includes("*") && stringAt(resource, DELETION_POLICY) !== "Orphan");
}

/** Tells whether the provider writes nothing to the cloud, and deletes nothing from it. */
export const isObserver = (policies: Policies): boolean => !mayWrite(policies) && !has(policies, "Delete");

/** Tells whether the provider may create a cloud resource and then not store the name that the cloud gave it (crossplane#5918). */
export const lacksLateInitialize = (policies: Policies): boolean =>
  has(policies, "Create") && !has(policies, "LateInitialize");
