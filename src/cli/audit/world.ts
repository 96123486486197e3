import { toApiGroup } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import type { Reference } from "../../crossplane/references.ts";
import type { Document } from "../../model/document.ts";

/** The cluster's state when it was read; findings are made from nothing else. */
export interface World {
  /** All XRs, whole. */
  readonly composites: readonly Composite[];
  /** All that carries Crossplane's label, by key: metadata only. XRs are among them. */
  readonly labelled: ReadonlyMap<string, Document>;
  /** Managed resources of the kinds that this function has registered some of, and that lack its label: metadata. */
  readonly unregistered: readonly Document[];
  /** Objects that XRs refer to and that carry no label: metadata, or why there is none. */
  readonly referred: ReadonlyMap<string, Referred>;
  /** The kinds that could not be looked at, and why. */
  readonly notLookedAt: readonly NotLookedAt[];
  /** The number of kinds that were listed. */
  readonly kinds: number;
}

interface NotLookedAt {
  readonly message: string;
  /** True where something of that kind may well be composed: it is a managed resource, an XR, or an XR refers to one. */
  readonly isComposed: boolean;
}

export type Referred =
  | { readonly is: "there"; readonly document: Document }
  | { readonly is: "missing" | "kindMissing" | "unknown" };

/** One key for one object, whichever version of its kind it is read in. */
export function toKey({ apiVersion, kind, namespace = "", name }: Reference): string {
  return [toApiGroup(apiVersion), kind, namespace, name].join("/");
}
