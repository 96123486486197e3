import { COMPOSITE_LABEL, COMPOSITION_RESOURCE_NAME, type Controller } from "../../crossplane/metadata.ts";
import { formatReference } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/restore.ts";
import { groupBy } from "../../model/collections.ts";
import { brief, listSome, MAX_NAMES, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withCondition } from "../../model/draft.ts";
import { faults, fine, notes, type ReasonOf, stops, tell, toTold, unknown, waits, withTold } from "../conditions.ts";
import type { Call } from "../feature.ts";
import { type Case, hasReferencesOfBackup, isUnsettled } from "./adoption-verdict.ts";

const TYPE = "ResourcesAdopted";

const NO_LONGER_DESIRED = "no longer desired; Crossplane deletes it";

const FORGET = "remove the resource from the XR's resourceRefs";

const STEP_NOT_LAST =
  "not desired by the steps before this one, but the XR still refers to it; move this step to the end of the pipeline";

type Because = { readonly because: string };
type Said = { readonly sentence: string };

const REASONS = {
  ...stops({
    Duplicated: ({ sentence }: Said) => sentence,
    Unproven: ({ because, remedy }: Because & { readonly remedy: string }) =>
      `${explainUnproven(because)}. If this XR did, ${remedy}. If not, ${FORGET}`,
    Unadopted: () =>
      "it has no controller, and no step desires it. To keep it, put it back into the Composition. To have this XR adopt it and Crossplane " +
      "delete it, set adoption.onUnadopted: Adopt",
    KindChanged: () =>
      "it has no controller, and the Composition has another kind under its name, so Crossplane would forget it. Delete it; if its cloud " +
      "resource has to stay, such as for the resource of the other kind, first set deletionPolicy: Orphan on it, or managementPolicies without " +
      `Delete. Then ${FORGET}`,
    WaitingForComposite: ({ root, because }: Because & { readonly root: string }) =>
      `it has no controller. The label ${COMPOSITE_LABEL} of this XR says that this XR is nested in XR ${brief(root)}, so the XRs above have ` +
      `to adopt this XR first: ${because}. If this XR is not nested, remove that label from this XR`,
    StaleController: ({ controller }: { readonly controller: Controller }) =>
      `it is controlled by UID ${brief(controller.uid)}, which this XR had before it was restored. Remove that owner ` +
      "reference from the resource: then this XR adopts the resource",
    MissingAfterRestore: () =>
      `it does not exist, and the XR's resourceRefs come from a backup. Restore the resource, too. If it cannot be restored, ${FORGET}, or ` +
      "set adoption.onMissing: Recreate: then Crossplane creates it anew if a step desires it",
    // `rival`: the name in the Composition, if another resource is observed under the same name.
    RestoreInProgress: ({ rival }: { readonly rival: string | undefined }) =>
      rival === undefined
        ? "it was restored during this reconcile; the next reconcile observes it"
        : `the XR's resourceRefs have two resources for ${brief(rival)}, this one and the observed one: remove the wrong one from resourceRefs`,
  }),
  ...faults({ RestoreNotConfirmed: ({ sentence }: Said) => sentence }),
  ...waits({ ObservingRestored: ({ sentence }: Said) => sentence }),
  ...faults({ StepNotLast: () => STEP_NOT_LAST }),
  ...waits({ Adopting: ({ kept }: { readonly kept: string }) => kept }),
  ...unknown({ WaitingForRequiredResources: () => "waiting for Crossplane to look it up" }),
  ...notes({
    Released: ({ because }: Because) =>
      `${explainUnproven(because)}. By onUnproven: Release it is left to Crossplane: v2.3 and earlier delete it, v2.4 drops the reference to it`,
    ControlledByAnother: ({ controller: { kind, name } }: { readonly controller: Controller }) =>
      `controlled by ${brief(kind)} ${brief(name)}, so left unchanged`,
  }),
  ...fine({ NoLongerDesired: () => NO_LONGER_DESIRED, Adopted: () => "" }),
};

const explainUnproven = (because: string): string =>
  `it has no controller, and nothing proves that this XR composed it: ${because}`;

const KIND = { type: TYPE, target: "Composite", reasons: REASONS, otherwise: "Adopted" } as const;

type Reason = ReasonOf<typeof REASONS>;

/** One resource in the condition; the sentence says what a person or Crossplane has to do. */
export interface AdoptionRemark extends Said {
  readonly is: keyof typeof REASONS;
  readonly resource: string;
}

/** Finds the reason that a case gives the condition; undefined for a case that needs no action. */
function toReason({ name, resource, verdict }: Case, policy: Adoption, call: Call): Reason | undefined {
  switch (verdict.is) {
    case "gone":
    case "marked":
      return undefined;
    case "ours":
      return name === undefined ? undefined : { is: "NoLongerDesired" };
    case "unlooked":
      return { is: "Adopting", kept: explainUnlooked(verdict.waitingFor) };
    case "unsettled":
      return {
        is: "Adopting",
        kept: "kept until this nested XR controls all of its composed resources again, and none of them only observes: see its conditions",
      };
    case "unadopted":
      if (name === undefined) return { is: "RestoreInProgress", rival: findRival(resource, call) };
      return policy.onUnadopted === "Block"
        ? { is: "Unadopted" }
        : {
            is: "Adopting",
            kept: "desired again until this XR controls it, so that Crossplane can delete it properly",
          };
    case "changed":
      return { is: "KindChanged" };
    case "unproven":
      return { ...verdict, is: policy.onUnproven === "Release" ? "Released" : "Unproven" };
    case "unconfirmed":
      return { ...verdict, is: "WaitingForComposite" };
    case "stale":
      return { ...verdict, is: "StaleController" };
    case "missing":
      return policy.onMissing === "Recreate" ? undefined : { is: "MissingAfterRestore" };
    case "foreign":
      return { ...verdict, is: "ControlledByAnother" };
    case "pending":
      return { is: "WaitingForRequiredResources" };
  }
}

const explainUnlooked = (waitingFor: readonly string[]): string =>
  "kept until providers have looked at all of this XR's resources again, since the pipeline may depend on their status" +
  (waitingFor.length === 0 ? "" : `; not looked at yet: ${listSome(waitingFor, MAX_NAMES, brief)}`);

/** Finds an unobserved resource's name in the Composition; undefined unless another resource is observed under this name. */
function findRival(resource: Document | undefined, { request }: Call): string | undefined {
  const name = resource && stringAt(resource, COMPOSITION_RESOURCE_NAME);
  return name !== undefined && request.observed.resources.has(name) ? name : undefined;
}

/** Describes the cases for the condition, without those that need no action. */
export function toAdoptionRemarks(cases: readonly Case[], policy: Adoption, call: Call): readonly AdoptionRemark[] {
  const remarks = cases.flatMap((found): readonly AdoptionRemark[] => {
    const { name, reference, resource, verdict } = found;
    const reason = toReason(found, policy, call);
    if (reason === undefined) return [];
    const [{ is }, sentence, text] = [reason, tell(REASONS, reason), formatReference(reference)];
    if (name !== undefined) return [{ is, resource: `${brief(name)} (${text})`, sentence }];
    const isHidden = verdict.is !== "unadopted" && isOutside(resource, call);
    return [{ is, resource: text, sentence: isHidden ? OUTSIDE : sentence }];
  });
  return markIfNotLast(remarks, call);
}

/** Tells whether the XR has said `Adopted` since a restore. Then composed resources need not be read. */
export const hasAdopted = (composite: Document): boolean =>
  !hasReferencesOfBackup(composite) && shownCondition(composite, TYPE)?.reason === "Adopted";

/** Describes desired nested XRs that are unsettled since a restore: while this XR's condition names one, the XRs above keep this XR. */
export function remarkNested({ composite: { document }, request }: Call): readonly AdoptionRemark[] {
  const { observed, desired } = request;
  if (hasAdopted(document)) return [];
  const nested = [...observed.resources].filter(
    ([name, { document: resource }]) => desired.resources.has(name) && isUnsettled(resource),
  );
  return nested.map(([name]) => ({ is: "Adopting", resource: brief(name), sentence: NESTED }));
}

const NESTED =
  "this nested XR does not control all of its composed resources again, or only observes some of them: see its conditions";

const OUTSIDE = "it is not in the XR's namespace, so this XR did not compose it; remove it from the XR's resourceRefs";

/**
 * Tells whether a resource is outside the namespace of a namespaced XR, which cannot have composed it. A user who may write the XR's
 * references must learn nothing of such a resource; Crossplane looks up cluster-scoped resources, too.
 */
const isOutside = (found: Document | undefined, { composite: { namespace } }: Call): boolean =>
  found !== undefined && namespace !== undefined && stringAt(found, ["metadata", "namespace"]) !== namespace;

/**
 * Gives resources the reason `StepNotLast` in place of `NoLongerDesired` if a later step desires them. That is so if the XR's condition has
 * called them no longer desired before, and they still exist: otherwise Crossplane would have deleted them.
 */
function markIfNotLast(remarks: readonly AdoptionRemark[], call: Call): readonly AdoptionRemark[] {
  const toLater = (remark: AdoptionRemark): AdoptionRemark =>
    remark.is === "NoLongerDesired" ? { ...remark, is: "StepNotLast", sentence: STEP_NOT_LAST } : remark;
  const dropped = remarks.filter(({ is }) => is === "NoLongerDesired");
  const shown = shownCondition(call.composite.document, TYPE)?.message ?? "";
  const isShown = [...toSentences(dropped), ...toSentences(dropped.map(toLater))].some((said) => shown.includes(said));
  return isShown ? remarks.map(toLater) : remarks;
}

/** Adds one condition for all resources, and an event or a Fatal result; no Fatal result before Crossplane has looked up all of them. */
export function withAdoptionCondition(draft: Draft, remarks: readonly AdoptionRemark[], call: Call): Draft {
  const told = toTold(KIND, remarks, toSentences);
  const isPending = remarks.some(({ is }) => is === "WaitingForRequiredResources");
  if (told.severity === "Fatal" && isPending) return withCondition(draft, told.condition);
  const fatal = told.sorted.filter(({ is }) => REASONS[is].severity === "Fatal");
  const lines = [
    "cannot go on without losing resources that this XR refers to, or composing some of them a second time:",
    ...fatal.map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ];
  return withTold(draft, told, call, lines.join("\n"));
}

/** Writes each sentence once, after its resources: `a, b: SENTENCE`. */
function toSentences(remarks: readonly AdoptionRemark[]): readonly string[] {
  const bySentence = groupBy(remarks, ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}
