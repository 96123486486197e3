import { COMPOSITE_LABEL } from "../../crossplane/metadata.ts";
import { brief } from "../../model/condition.ts";
import type { AdoptionVerdict } from "./verdict.ts";

const BLOCKING_REASONS = [
  "Duplicated",
  "Unproven",
  "Unadopted",
  "WaitingForComposite",
  "StaleController",
  "MissingAfterRestore",
  "RestoreInProgress",
] as const;

/** Reasons of condition ResourcesAdopted, by priority: the first one becomes the condition's. */
export const ADOPTION_REASONS = [
  ...BLOCKING_REASONS,
  "RestoreNotConfirmed",
  "ObservingRestored",
  "StepNotLast",
  "Adopting",
  "WaitingForRequiredResources",
  "Released",
  "ControlledByAnother",
  "NoLongerDesired",
] as const;

export type AdoptionReason = (typeof ADOPTION_REASONS)[number];

export const BLOCKING: ReadonlySet<AdoptionReason> = new Set(BLOCKING_REASONS);

/** Explains a verdict: the problem with the resource, and how to go on. */
export function explainVerdict(verdict: AdoptionVerdict, root: string): string {
  switch (verdict.is) {
    case "unadopted":
      return "it has no controller; desire it again until this XR controls it, or set onUnadopted: Adopt";
    case "unproven":
      return (
        `it has no controller, and nothing proves that this XR composed it: ${verdict.because}; if this XR did, set its label ` +
        `${COMPOSITE_LABEL} to ${brief(root)}; if not, remove its reference from the XR`
      );
    case "unconfirmed":
      return (
        `it has no controller, and nothing confirms that this XR is nested below ${brief(verdict.root)}, as its label ` +
        `${COMPOSITE_LABEL} says: ${verdict.because}; XR ${brief(verdict.root)} has to adopt this XR first; if this XR is not ` +
        "nested, remove the label from it"
      );
    case "stale":
      return (
        `it is controlled by UID ${brief(verdict.controller.uid)}, which this XR had before it was restored; remove that owner ` +
        "reference from the resource, and this XR adopts it"
      );
    case "missing":
      return (
        "it does not exist, and the XR's references come from a backup; restore it too, or remove its reference from the " +
        "XR, or set onMissing: Recreate"
      );
    case "foreign":
      return `controlled by ${brief(verdict.controller.kind)} ${brief(verdict.controller.name)}, so left unchanged`;
    case "pending":
      return "waiting for Crossplane to look it up";
    case "ours":
    case "unsettled":
    case "gone":
      return "";
  }
}

/** Explains a reference whose resource exists without a controller and is not observed. */
export const explainRestoreInProgress = (composedName: string | undefined): string =>
  composedName === undefined
    ? "it was restored during this reconcile; the next reconcile observes it"
    : `the XR refers to another resource that is composed as ${composedName}; remove one of the two references from the XR`;

export const ADOPTING = "desired again until this XR controls it, so that Crossplane can delete it properly";
export const UNSETTLED = "kept until it controls its own composed resources again";
export const OUTSIDE =
  "it is not in the XR's namespace, so this XR did not compose it; remove its reference from the XR";
export const NO_LONGER_DESIRED = "no longer desired; Crossplane deletes it";
export const STEP_NOT_LAST =
  "not desired by the steps before this one, but the XR still refers to it; move this step to the end of the pipeline";

export const explainReleased = (because: string): string =>
  `it has no controller, and nothing proves that this XR composed it: ${because}; released, because onUnproven is Release`;
