import { qualifiedName, readAnnotation } from "../crossplane/metadata.ts";
import { shownCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { DOMAIN } from "../model/names.ts";
import type { Definition } from "./definition.ts";

/** The annotation of an XRD with a hash of the XRs for which it was nudged. */
export const NUDGED_FOR = `${DOMAIN}/nudged-for`;

/** The answer to whether Crossplane reconciles the XRs of one XRD. */
export type ReconcileVerdict =
  | { readonly is: "Reconciled" }
  | { readonly is: "NeverReconciled"; readonly composites: readonly string[]; readonly nudgedFor: string }
  | { readonly is: "StillNotReconciled"; readonly composites: readonly string[] };

/**
 * Finds the XRs that Crossplane has never reconciled. Each reconcile that ends sets the condition `Synced`, so an XR without it
 * was created a moment ago, its function does not answer, or the watch of its kind has ended (crossplane#5400).
 *
 * An XR that was created a moment ago counts too, because a function has no clock; nudging its XRD is harmless. The nudge's value
 * is a hash of the XRs' UIDs, so an XRD is nudged once for the same XRs. If that did not help, a person has to look.
 */
export function judgeReconciles({ document }: Definition, composites: readonly Document[]): ReconcileVerdict {
  const never = composites.filter((composite) => shownCondition(composite, "Synced") === undefined);
  if (never.length === 0) return { is: "Reconciled" };
  const nudgedFor = hashUids(never);
  const names = never.map(qualifiedName).sort();
  return readAnnotation(document, NUDGED_FOR) === nudgedFor
    ? { is: "StillNotReconciled", composites: names }
    : { is: "NeverReconciled", composites: names, nudgedFor };
}

function hashUids(composites: readonly Document[]): string {
  const uids = composites
    .map((composite) => stringAt(composite, ["metadata", "uid"]) ?? qualifiedName(composite))
    .sort();
  return hashText(uids.join(), 16);
}
