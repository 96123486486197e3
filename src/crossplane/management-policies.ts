import { type Document, stringAt } from "../model/document.ts";

export const MANAGEMENT_POLICIES = ["spec", "managementPolicies"];
export const DELETION_POLICY = ["spec", "deletionPolicy"];

export type Policies = readonly string[];

export const ALL_ACTIONS: Policies = ["*"];
export const OBSERVE: Policies = ["Observe"];
/** Means the same as OBSERVE to a provider. To the API server it is another spec, and so a new generation. */
export const OBSERVE_ANEW: Policies = ["Observe", "Observe"];

export function readPolicies(resource: Document): Policies | undefined {
  const policies = resource.at(MANAGEMENT_POLICIES);
  return Array.isArray(policies) ? policies.filter((policy) => typeof policy === "string") : undefined;
}

const has = (policies: Policies, ...actions: readonly string[]): boolean =>
  policies.some((policy) => policy === "*" || actions.includes(policy));

export const mayCreate = (policies: Policies): boolean => has(policies, "Create");

/** Removes Create, and Update and LateInitialize with it: providers accept few sets without Create. */
export const withoutCreate = (policies: Policies): Policies =>
  has(policies, "Delete") ? ["Observe", "Delete"] : OBSERVE;

export const mayWrite = (policies: Policies): boolean => has(policies, "Create", "Update");

/** Removes Delete. Providers accept the rest as well: defaultSupportedManagementPolicies in crossplane-runtime. */
export const withoutDelete = (policies: Policies): Policies =>
  policies.includes("*")
    ? ["Observe", "Create", "Update", "LateInitialize"]
    : policies.filter((policy) => policy !== "Delete");

/** Tells whether the provider deletes the cloud resource along with the managed resource. `deletionPolicy` counts only with `*`. Source: ShouldDelete in crossplane-runtime. */
export function mayDelete(resource: Document, policies: Policies = readPolicies(resource) ?? ALL_ACTIONS): boolean {
  return policies.includes("Delete") || (policies.includes("*") && stringAt(resource, DELETION_POLICY) !== "Orphan");
}

/** Tells whether the provider only observes: it neither writes nor deletes in the cloud. */
export const isObserver = (policies: Policies): boolean => !mayWrite(policies) && !has(policies, "Delete");

/** Tells whether the provider may create a cloud resource, but may not store the name that the cloud assigns (crossplane#5918). */
export const lacksLateInitialize = (policies: Policies): boolean =>
  has(policies, "Create") && !has(policies, "LateInitialize");
