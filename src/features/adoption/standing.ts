import { COMPOSITE_LABEL } from "./proof.ts";
import type { Verdict } from "./verdict.ts";

/** What stops the XR. */
const BLOCKING_REASONS = [
  "Unproven",
  "Unadopted",
  "WaitingForComposite",
  "StaleController",
  "MissingAfterRestore",
  "JustRestored",
] as const;

/** What is done about a resource, in the order in which it matters: the first one's is the reason of the condition. */
export const REASONS = [
  ...BLOCKING_REASONS,
  "NotLast",
  "Adopting",
  "WaitingForRequiredResources",
  "Released",
  "ControlledByAnother",
  "LeftOut",
] as const;

export type Reason = (typeof REASONS)[number];

export const BLOCKING: ReadonlySet<Reason> = new Set(BLOCKING_REASONS);

/** One resource that needs a word, and the sentence for whoever has to mend it. */
export interface Standing {
  readonly reason: Reason;
  readonly resource: string;
  readonly sentence: string;
}

/** What is wrong with a resource that stops the XR, and how to go on. */
export function explain(verdict: Verdict, root: string): string {
  switch (verdict.is) {
    case "unadopted":
      return "nobody controls it; desire it again until this XR does, or set onUnadopted: Adopt";
    case "unproven":
      return (
        `nobody controls it, and this XR need not have composed it: ${verdict.because}; if this XR did, set the label ` +
        `${COMPOSITE_LABEL} of it to ${root}, if not, remove its reference from the XR`
      );
    case "untold":
      return (
        `nobody controls it, nor this XR, whose label ${COMPOSITE_LABEL} names ${verdict.root}: that XR has to adopt this ` +
        "one first; if this one is not nested, remove the label from it"
      );
    case "stale":
      return (
        `it is controlled by UID ${verdict.controller.uid}, which this XR had before it was restored; remove the owner ` +
        "reference from it, and this XR adopts it"
      );
    case "missing":
      return (
        "it is not there, and the XR's references come from a backup; restore it too, or remove its reference from the " +
        "XR, or set onMissing: Recreate"
      );
    case "foreign":
      return `left to ${verdict.controller.kind} ${verdict.controller.name}, which controls it`;
    case "pending":
      return "waiting for Crossplane to look it up";
    case "ours":
    case "unsettled":
    case "gone":
      return "";
  }
}

/** For a reference whose resource nobody controls, and which is not observed although it is there. */
export const explainJustRestored = (composedName: string | undefined): string =>
  composedName === undefined
    ? "it came back in this very moment; the next reconcile sees it"
    : `another resource that the XR refers to is composed as ${composedName} too; remove one of the references from the XR`;

export const ADOPTING = "taken back, so that Crossplane can delete it properly";
export const UNSETTLED = "kept until it has taken back what it composed itself";
export const LEFT_OUT = "not desired any more; Crossplane deletes it";
export const NOT_LAST =
  "not desired by the steps before this one, and yet the XR still refers to it; this step has to be the last of the pipeline";

export const released = (because: string): string =>
  `nobody controls it, and this XR need not have composed it: ${because}; released, as onUnproven says`;
