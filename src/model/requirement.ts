import type { Document } from "./document.ts";

/** What Crossplane is asked to find. Without a namespace, labels match in all namespaces. */
export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly match: { readonly name: string } | { readonly labels: Readonly<Record<string, string>> };
}

/**
 * What Crossplane answered. Pending is not empty: on the first call of a reconcile nothing has been looked up, and
 * who takes that for "there is none" drops what it had composed before.
 */
export type Answer = { readonly is: "pending" } | { readonly is: "resolved"; readonly items: readonly Document[] };
