import { COMPOSITE_LABEL, COMPOSITION_RESOURCE_NAME, readLabel } from "../../crossplane/metadata.ts";
import { formatReference, toReference } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/adoption.ts";
import { groupBy } from "../../model/collections.ts";
import { brief, type Condition, listSome, MAX_NAMES, type Result, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Draft, withCondition, withResults } from "../../model/draft.ts";
import type { Call } from "../feature.ts";
import { DUPLICATED, formatDuplicates } from "../predecessors.ts";
import type { Remarks } from "../reasons.ts";
import { withConditionAndEvent } from "../transition-events.ts";
import type { Case } from "./cases.ts";
import type { AdoptionVerdict } from "./verdict.ts";

const TYPE = "ResourcesAdopted";

/** The reasons by priority, of which the first becomes the condition's, and the severity of its event; Fatal stops the XR. */
const SEVERITIES = {
  Duplicated: "Fatal",
  Unproven: "Fatal",
  Unadopted: "Fatal",
  WaitingForComposite: "Fatal",
  StaleController: "Fatal",
  MissingAfterRestore: "Fatal",
  RestoreInProgress: "Fatal",
  RestoreNotConfirmed: "Warning",
  ObservingRestored: "Normal",
  StepNotLast: "Warning",
  Adopting: "Normal",
  WaitingForRequiredResources: "Normal",
  Released: "Warning",
  ControlledByAnother: "Warning",
  NoLongerDesired: "Normal",
  Adopted: "Normal",
} as const satisfies Readonly<Record<string, Result["severity"]>>;

type AdoptionReason = keyof typeof SEVERITIES;

const STATUSES: Readonly<Partial<Record<AdoptionReason, Condition["status"]>>> = {
  WaitingForRequiredResources: "Unknown",
  Released: "True",
  ControlledByAnother: "True",
  NoLongerDesired: "True",
  Adopted: "True",
};

/** One resource in the condition; the sentence says how to go on. */
export interface AdoptionRemark {
  readonly reason: AdoptionReason;
  readonly resource: string;
  readonly sentence: string;
}

interface Facts {
  readonly found: Case;
  readonly policy: Adoption;
  readonly call: Call;
}

const NO_LONGER_DESIRED = "no longer desired; Crossplane deletes it";

const REMARKS: Remarks<AdoptionVerdict, Facts, AdoptionReason> = {
  gone: () => undefined,
  ours: (_, { found }) => (found.is === "observed" ? ["NoLongerDesired", NO_LONGER_DESIRED] : undefined),
  unsettled: () => ["Adopting", "kept until it controls its own composed resources again"],
  unadopted: (_, { found, policy, call }) => {
    if (found.is === "referenced")
      return ["RestoreInProgress", explainRestoreInProgress(findRival(found.resource, call))];
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
    const { verdict } = found;
    const remark = REMARKS[verdict.is](verdict as never, { found, policy, call });
    if (remark === undefined) return [];
    const [reason, sentence] = remark;
    if (found.is === "observed")
      return [{ reason, resource: `${found.name} (${formatReference(toReference(found.resource))})`, sentence }];
    const isHidden = verdict.is !== "unadopted" && isOutside(found.resource, call);
    return [{ reason, resource: formatReference(found.reference), sentence: isHidden ? OUTSIDE : sentence }];
  });
  return markIfNotLast(remarks, call);
}

/** Describes the names in the Composition for which this XR composed several resources. */
export const remarkDuplicates = ({ duplicates = new Map() }: Call): readonly AdoptionRemark[] =>
  [...duplicates].map(([name, all]) => ({
    reason: "Duplicated",
    resource: `${name} (${formatDuplicates(all)})`,
    sentence: DUPLICATED,
  }));

/** Explains a reference whose resource exists without a controller and is not observed. */
const explainRestoreInProgress = (rival: string | undefined): string =>
  rival === undefined
    ? "it was restored during this reconcile; the next reconcile observes it"
    : `the XR refers to another resource that is composed as ${rival}; remove one of the two references from the XR`;

/** Finds the resource's name in the Composition if another resource is observed under it: Crossplane observes one per name. */
function findRival(resource: Document | undefined, { request }: Call): string | undefined {
  const name = resource && stringAt(resource, COMPOSITION_RESOURCE_NAME);
  return name !== undefined && request.observed.resources.has(name) ? name : undefined;
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
 * known: that ends the reconcile, so it names all resources at once.
 */
export function withAdoptionCondition(
  draft: Draft,
  cases: readonly Case[],
  remarks: readonly AdoptionRemark[],
  call: Call,
): Draft {
  const reason = sortByReason(remarks)[0]?.reason ?? "Adopted";
  const message = remarks.length === 0 ? undefined : toSentences(remarks).join("; ");
  const status = STATUSES[reason] ?? "False";
  const condition: Condition = { type: TYPE, status, reason, message, target: "Composite" };
  const severity = SEVERITIES[reason];
  if (severity !== "Fatal") return withConditionAndEvent(draft, condition, severity, call);
  const isPending = cases.some(({ verdict }) => verdict.is === "pending");
  const fatal: Result = { severity, message: toFatal(remarks), reason, target: "Composite" };
  return withResults(withCondition(draft, condition), isPending ? [] : [fatal]);
}

/** Makes the message of the Fatal result, with a line for each resource. */
const toFatal = (remarks: readonly AdoptionRemark[]): string =>
  [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...sortByReason(remarks)
      .filter(({ reason }) => SEVERITIES[reason] === "Fatal")
      .map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ].join("\n");

/** Lists each sentence once, after the resources that it describes. */
export function toSentences(remarks: readonly AdoptionRemark[]): readonly string[] {
  const bySentence = groupBy(sortByReason(remarks), ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}

const PRIORITIES = Object.keys(SEVERITIES);

const sortByReason = (remarks: readonly AdoptionRemark[]): readonly AdoptionRemark[] =>
  remarks.toSorted((a, b) => PRIORITIES.indexOf(a.reason) - PRIORITIES.indexOf(b.reason));
