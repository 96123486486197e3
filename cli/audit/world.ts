import { toApiGroup } from "../../src/crossplane/api-group.ts";
import type { Composite } from "../../src/crossplane/composite.ts";
import type { Reference } from "../../src/crossplane/references.ts";
import type { Document } from "../../src/model/document.ts";

/** The cluster's state when it was read; findings are made from nothing else. */
export interface World {
  /** All XRs, whole. */
  readonly composites: readonly Composite[];
  /** Metadata of everything with Crossplane's label, XRs included, by key. */
  readonly labelled: ReadonlyMap<string, Document>;
  /** Metadata of managed resources without this function's label, of kinds that have some with it. */
  readonly unregistered: readonly Document[];
  /** Metadata of unlabelled objects that XRs refer to, or why there is none. */
  readonly referred: ReadonlyMap<string, Referred>;
  /** The kinds that could not be looked at, and why. */
  readonly notLookedAt: readonly NotLookedAt[];
  /** The number of kinds that were listed. */
  readonly kinds: number;
}

interface NotLookedAt {
  readonly message: string;
  /** True if the kind may be composed: managed resources, XRs, and kinds that some XR refers to. */
  readonly isComposed: boolean;
}

export type Referred =
  | { readonly is: "there"; readonly document: Document }
  | { readonly is: "missing" | "kindMissing" | "unknown" };

/** The key of an object, the same in all versions of its kind. */
export function toKey({ apiVersion, kind, namespace = "", name }: Reference): string {
  return [toApiGroup(apiVersion), kind, namespace, name].join("/");
}
