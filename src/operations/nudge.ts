import { qualifiedName, readAnnotation } from "../crossplane/metadata.ts";
import { shownCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { type Draft, withObject } from "../model/draft.ts";
import { hashText } from "../model/hash.ts";
import { DOMAIN } from "../model/names.ts";
import { DEFINITION, type Definition } from "./definition.ts";

/** Annotation of an XRD: a hash of the XRs for which it was nudged. */
export const NUDGED_FOR = `${DOMAIN}/nudged-for`;

/** The state of an XRD's XRs: all reconciled, never reconciled, or still not reconciled after a nudge. */
export type ReconcileVerdict =
  | { readonly is: "Reconciled" }
  | { readonly is: "NeverReconciled"; readonly composites: readonly string[]; readonly nudgedFor: string }
  | { readonly is: "StillNotReconciled"; readonly composites: readonly string[] };

/**
 * Finds the XRs that Crossplane has never reconciled. Every completed reconcile sets the condition `Synced`, so an XR without it was
 * just created, its function does not answer, or the watch of its kind has ended (crossplane#5400).
 *
 * An XR that was just created counts too, because a function has no clock; nudging its XRD is harmless. The nudge's value is a hash
 * of the XRs' UIDs, so an XRD is nudged once for the same XRs. If that did not help, an operator has to look.
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

/** Nudges XRDs by an annotation; server-side apply leaves the rest of the XRD unchanged. */
export function withNudges(draft: Draft, judged: readonly JudgedDefinition[]): Draft {
  return judged.reduce((nudging, { definition: { name }, verdict }) => {
    if (verdict.is !== "NeverReconciled") return nudging;
    const metadata = { name, annotations: { [NUDGED_FOR]: verdict.nudgedFor } };
    return withObject(nudging, `nudge/${name}`, { ...DEFINITION, metadata });
  }, draft);
}

export interface JudgedDefinition {
  readonly definition: Definition;
  readonly verdict: ReconcileVerdict;
}
