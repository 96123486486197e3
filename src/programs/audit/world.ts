import type { Composite } from "../../model/composite.ts";
import type { Document } from "../../model/document.ts";
import type { Reference } from "../../capabilities/adoption/references.ts";

/** What the cluster held when it was read: all that findings are made from. */
export interface World {
  /** All XRs, whole. */
  readonly composites: readonly Composite[];
  /** All that carries Crossplane's label, by key: metadata only. XRs are among them. */
  readonly labelled: ReadonlyMap<string, Document>;
  /** What references say, where it carries no label: metadata, or why there is none. */
  readonly referred: ReadonlyMap<string, Referred>;
  /** What could not be looked at, a line for each kind. */
  readonly notLookedAt: readonly string[];
  /** How many kinds were listed. */
  readonly kinds: number;
}

export type Referred =
  | { readonly is: "there"; readonly document: Document }
  | { readonly is: "missing" | "kindMissing" | "unknown" };

/** One key for one object, whichever version of its kind it is read in. */
export function keyOf({ apiVersion, kind, namespace = "", name }: Reference): string {
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  return [group, kind, namespace, name].join("/");
}
