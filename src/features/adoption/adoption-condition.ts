import { COMPOSITE_LABEL, COMPOSITION_RESOURCE_NAME, readLabel } from "../../crossplane/metadata.ts";
import { formatReference } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/restore.ts";
import { groupBy } from "../../model/collections.ts";
import { brief, listSome, MAX_NAMES, type Result, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withCondition, withResults } from "../../model/draft.ts";
import { type Reasons, type Remarks, sortByReason, withConditionAndEvent } from "../conditions.ts";
import type { Call } from "../feature.ts";
import type { AdoptionVerdict, Case } from "./adoption-verdict.ts";

const TYPE = "ResourcesAdopted";

/** Fatal stops the XR. */
const REASONS = {
  Duplicated: ["False", "Fatal"],
  Unproven: ["False", "Fatal"],
  Unadopted: ["False", "Fatal"],
  WaitingForComposite: ["False", "Fatal"],
  StaleController: ["False", "Fatal"],
  MissingAfterRestore: ["False", "Fatal"],
  RestoreInProgress: ["False", "Fatal"],
  RestoreNotConfirmed: ["False", "Warning"],
  ObservingRestored: ["False", "Normal"],
  StepNotLast: ["False", "Warning"],
  Adopting: ["False", "Normal"],
  WaitingForRequiredResources: ["Unknown", "Normal"],
  Released: ["True", "Warning"],
  ControlledByAnother: ["True", "Warning"],
  NoLongerDesired: ["True", "Normal"],
  Adopted: ["True", "Normal"],
} as const satisfies Reasons;

type AdoptionReason = keyof typeof REASONS;

/** One resource in the condition; the sentence says how to go on. */
export interface AdoptionRemark {
  readonly reason: AdoptionReason;
  readonly resource: string;
  readonly sentence: string;
}

const NO_LONGER_DESIRED = "no longer desired; Crossplane deletes it";

const REMARKS: Remarks<AdoptionVerdict, { found: Case; policy: Adoption; call: Call }, AdoptionReason> = {
  gone: () => undefined,
  marked: () => undefined,
  ours: (_, { found }) => (found.name === undefined ? undefined : ["NoLongerDesired", NO_LONGER_DESIRED]),
  unlooked: ({ waitingFor }) => [
    "Adopting",
    `kept until all of this XR's resources are looked at again, since the pipeline may depend on their status${
      waitingFor.length === 0 ? "" : `; not looked at yet: ${listSome(waitingFor, MAX_NAMES, brief)}`
    }`,
  ],
  unsettled: () => ["Adopting", "kept until it controls its own composed resources again"],
  unadopted: (_, { found, policy, call }) => {
    if (found.name === undefined) return ["RestoreInProgress", explainRestoreInProgress(found.resource, call)];
    return policy.onUnadopted === "Adopt"
      ? ["Adopting", "desired again until this XR controls it, so that Crossplane can delete it properly"]
      : ["Unadopted", "it has no controller; desire it again until this XR controls it, or set onUnadopted: Adopt"];
  },
  unproven: ({ because }, { policy, call: { composite } }) => {
    const unproven = `it has no controller, and nothing proves that this XR composed it: ${because}`;
    if (policy.onUnproven === "Release") return ["Released", `${unproven}; released, because onUnproven is Release`];
    const root = brief(readLabel(composite.document, COMPOSITE_LABEL) ?? composite.name);
    const otherwise = "if not, remove its reference from the XR";
    return ["Unproven", `${unproven}; if this XR did, set its label ${COMPOSITE_LABEL} to ${root}; ${otherwise}`];
  },
  unconfirmed: ({ root, because }) => [
    "WaitingForComposite",
    `it has no controller, and nothing confirms that this XR is nested below ${brief(root)}, as its label ` +
      `${COMPOSITE_LABEL} says: ${because}; XR ${brief(root)} has to adopt this XR first; if this XR is not ` +
      "nested, remove the label from it",
  ],
  stale: ({ controller }) => [
    "StaleController",
    `it is controlled by UID ${brief(controller.uid)}, which this XR had before it was restored; remove that owner ` +
      "reference from the resource, and this XR adopts it",
  ],
  missing: (_, { policy }) => {
    if (policy.onMissing === "Recreate") return undefined;
    const restore = "restore it too, or remove its reference from the XR, or set onMissing: Recreate";
    return ["MissingAfterRestore", `it does not exist, and the XR's references come from a backup; ${restore}`];
  },
  foreign: ({ controller: { kind, name } }) => [
    "ControlledByAnother",
    `controlled by ${brief(kind)} ${brief(name)}, so left unchanged`,
  ],
  pending: () => ["WaitingForRequiredResources", "waiting for Crossplane to look it up"],
};

/** Describes the cases for the condition, without those that need no action. */
export function toAdoptionRemarks(cases: readonly Case[], policy: Adoption, call: Call): readonly AdoptionRemark[] {
  const remarks = cases.flatMap((found): readonly AdoptionRemark[] => {
    const { name, reference, resource, verdict } = found;
    const remark = REMARKS[verdict.is](verdict as never, { found, policy, call });
    if (remark === undefined) return [];
    const [reason, sentence] = remark;
    const text = formatReference(reference);
    if (name !== undefined) return [{ reason, resource: `${name} (${text})`, sentence }];
    const isHidden = verdict.is !== "unadopted" && isOutside(resource, call);
    return [{ reason, resource: text, sentence: isHidden ? OUTSIDE : sentence }];
  });
  return markIfNotLast(remarks, call);
}

/** Describes the names in the Composition for which this XR composed several resources. */
export const remarkDuplicates = ({ duplicates = new Map() }: Call): readonly AdoptionRemark[] =>
  [...duplicates].map(([, duplicate]) => ({ reason: "Duplicated", ...duplicate }));

/** Explains a reference whose resource exists without a controller and is not observed. Crossplane observes one resource per name. */
function explainRestoreInProgress(resource: Document | undefined, { request }: Call): string {
  const name = resource && stringAt(resource, COMPOSITION_RESOURCE_NAME);
  return name !== undefined && request.observed.resources.has(name)
    ? `the XR refers to another resource that is composed as ${name}; remove one of the two references from the XR`
    : "it was restored during this reconcile; the next reconcile observes it";
}

const OUTSIDE = "it is not in the XR's namespace, so this XR did not compose it; remove its reference from the XR";

/**
 * Tells whether a namespaced XR cannot have composed the resource, which is outside its namespace. Crossplane looks up cluster-scoped
 * resources for it as well; the condition must not reveal them to a user who may write the XR's references.
 */
const isOutside = (found: Document | undefined, { composite: { namespace } }: Call): boolean =>
  found !== undefined && namespace !== undefined && stringAt(found, ["metadata", "namespace"]) !== namespace;

const STEP_NOT_LAST =
  "not desired by the steps before this one, but the XR still refers to it; move this step to the end of the pipeline";

/**
 * Marks resources that a later step desires. Crossplane does not observe a dropped resource in the next reconcile; if it does, a
 * later step desires the resource, and this step cannot tell which resources are no longer desired.
 */
function markIfNotLast(remarks: readonly AdoptionRemark[], call: Call): readonly AdoptionRemark[] {
  const dropped = remarks.filter(({ reason }) => reason === "NoLongerDesired");
  const [list] = toSentences(dropped).map((sentence) => sentence.slice(0, -NO_LONGER_DESIRED.length));
  const shown = list && shownCondition(call.composite.document, TYPE)?.message;
  if (![NO_LONGER_DESIRED, STEP_NOT_LAST].some((sentence) => shown?.includes(`${list}${sentence}`))) return remarks;
  return remarks.map((remark) =>
    remark.reason === "NoLongerDesired" ? { ...remark, reason: "StepNotLast", sentence: STEP_NOT_LAST } : remark,
  );
}

/**
 * Adds one condition for all resources, with one sentence for those that share it; and its event, or a Fatal result once all cases are
 * known: that ends the reconcile, so it names all resources at once, each on a line.
 */
export function withAdoptionCondition(draft: Draft, remarks: readonly AdoptionRemark[], call: Call): Draft {
  const sorted = sortByReason(remarks, REASONS);
  const reason = sorted[0]?.reason ?? "Adopted";
  const [status, severity] = REASONS[reason];
  const message = toSentences(sorted).join("; ") || undefined;
  const condition = { type: TYPE, status, reason, message, target: "Composite" } as const;
  if (severity !== "Fatal") return withConditionAndEvent(draft, condition, severity, call);
  const fatal = sorted.filter((remark) => REASONS[remark.reason][1] === "Fatal");
  const lines = [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...fatal.map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ];
  const result: Result = { severity, message: lines.join("\n"), reason, target: "Composite" };
  const isPending = remarks.some((remark) => remark.reason === "WaitingForRequiredResources");
  return withResults(withCondition(draft, condition), isPending ? [] : [result]);
}

/** Lists each sentence once, after the resources that it describes. */
export function toSentences(remarks: readonly AdoptionRemark[]): readonly string[] {
  const bySentence = groupBy(remarks, ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}
