import { createHash } from "node:crypto";
import { shownCondition } from "../model/condition.ts";
import { type Document, stringAt } from "../model/document.ts";
import { DOMAIN } from "../model/names.ts";
import type { Definition } from "./definition.ts";

/** On an XRD: for which XRs it was nudged. */
export const NUDGED_FOR = `${DOMAIN}/nudged-for`;

/** What is the case with the XRs of one XRD. */
export type Verdict =
  | { readonly is: "Reconciled" }
  | { readonly is: "NeverReconciled"; readonly composites: readonly string[]; readonly nudgedFor: string }
  | { readonly is: "NudgedInVain"; readonly composites: readonly string[] };

/**
 * Which XRs Crossplane has never reconciled. It says how a reconcile ended in the condition `Synced`, so an XR that has none
 * was never reconciled to an end: it was created a moment ago, its function does not answer, or the watch of its kind has
 * ended (crossplane#5400).
 *
 * There is no clock here, so one that was created a moment ago counts, too: to nudge its XRD is harmless. The value of the
 * nudge is made from the UIDs of the XRs. The same XRs are nudged for once; where that did not help, nothing else that we
 * could do would, and somebody has to look.
 */
export function judge({ document }: Definition, composites: readonly Document[]): Verdict {
  const never = composites.filter((composite) => shownCondition(composite, "Synced") === undefined);
  if (never.length === 0) return { is: "Reconciled" };
  const nudgedFor = hashOf(never);
  const names = never.map(nameOf).sort();
  return stringAt(document, ["metadata", "annotations", NUDGED_FOR]) === nudgedFor
    ? { is: "NudgedInVain", composites: names }
    : { is: "NeverReconciled", composites: names, nudgedFor };
}

function hashOf(composites: readonly Document[]): string {
  const uids = composites.map((composite) => stringAt(composite, ["metadata", "uid"]) ?? nameOf(composite)).sort();
  return createHash("sha256").update(uids.join()).digest("hex").slice(0, 16);
}

/** `namespace/name`, or the name of a cluster-scoped XR. */
const nameOf = (composite: Document): string =>
  ["namespace", "name"].flatMap((key) => stringAt(composite, ["metadata", key]) ?? []).join("/");
