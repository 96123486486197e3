import type { Document } from "./document.ts";

/** The resources that Crossplane is to find. Without a namespace, labels match in all namespaces. */
export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

/** A resource that Crossplane is asked for, and the name under which the answer comes. */
export interface Requirement {
  readonly name: string;
  readonly selector: ResourceSelector;
}

/** A kind whose OpenAPI schema Crossplane is asked for. */
export interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A schema that Crossplane is asked for, and the name under which the answer comes. */
export interface SchemaRequirement extends SchemaSelector {
  readonly name: string;
}

/** The kind's OpenAPI v3 schema; "unknown" where Crossplane has none. */
export type SchemaAnswer =
  | { readonly is: "pending" | "unknown" }
  | { readonly is: "resolved"; readonly schema: Document };

/**
 * Crossplane's answer to a requirement. Pending is not empty: on the first call of a reconcile nothing has been looked up, and
 * a function that takes that for an empty answer drops what it had composed before.
 */
export type Answer = { readonly is: "pending" } | { readonly is: "resolved"; readonly items: readonly Document[] };
