import { COMPOSITE_LABEL_PATH, COMPOSITION_RESOURCE_NAME } from "../../crossplane/metadata.ts";
import { formatReference, toReference } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/adoption.ts";
import { groupBy } from "../../model/collections.ts";
import { type Condition, listSome, MAX_NAMES, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import type { Call } from "../feature.ts";
import { DUPLICATED, formatDuplicates } from "../predecessors.ts";
import { type Case, type ObservedCase, type ReferencedCase, requireReference } from "./cases.ts";
import {
  ADOPTING,
  ADOPTION_REASONS,
  type AdoptionReason,
  explainReleased,
  explainRestoreInProgress,
  explainVerdict,
  NO_LONGER_DESIRED,
  OUTSIDE,
  STEP_NOT_LAST,
  UNSETTLED,
} from "./reasons.ts";
import type { AdoptionVerdict } from "./verdict.ts";

const TYPE = "ResourcesAdopted";

/** One resource in the condition, and a sentence that says how to go on. */
export interface AdoptionRemark {
  readonly reason: AdoptionReason;
  readonly resource: string;
  readonly sentence: string;
}

/** Describes the cases for the condition, without those that need no action. */
export function toAdoptionRemarks(cases: readonly Case[], policy: Adoption, call: Call): readonly AdoptionRemark[] {
  if (cases.length === 0) return [];
  const { document, name } = call.composite;
  const root = stringAt(document, COMPOSITE_LABEL_PATH) ?? name;
  const remarks = cases.flatMap((found) =>
    found.is === "observed" ? remarkObserved(found, policy, root) : remarkReferenced(found, policy, root, call),
  );
  return markIfNotLast(remarks, call);
}

/** Describes the names in the Composition for which this XR composed several resources. */
export const remarkDuplicates = ({ duplicates = new Map() }: Call): readonly AdoptionRemark[] =>
  [...duplicates].map(([name, all]) => ({
    reason: "Duplicated",
    resource: `${name} (${formatDuplicates(all)})`,
    sentence: DUPLICATED,
  }));

function remarkObserved(
  { name, resource, verdict }: ObservedCase,
  policy: Adoption,
  root: string,
): readonly AdoptionRemark[] {
  const described = `${name} (${formatReference(toReference(resource))})`;
  if (verdict.is === "unsettled") return [{ reason: "Adopting", resource: described, sentence: UNSETTLED }];
  if (verdict.is === "ours") return [{ reason: "NoLongerDesired", resource: described, sentence: NO_LONGER_DESIRED }];
  if (verdict.is === "unadopted" && policy.onUnadopted === "Adopt") {
    return [{ reason: "Adopting", resource: described, sentence: ADOPTING }];
  }
  return remarkUncontrolled(verdict, described, policy, root);
}

function remarkReferenced(
  { reference, verdict }: ReferencedCase,
  policy: Adoption,
  root: string,
  call: Call,
): readonly AdoptionRemark[] {
  const resource = formatReference(reference);
  const answer = call.request.required(requireReference(reference).name);
  const [found] = answer.is === "resolved" ? answer.items : [];
  if (verdict.is === "unadopted") {
    const sentence = explainRestoreInProgress(findRival(found, call));
    return [{ reason: "RestoreInProgress", resource, sentence }];
  }
  if (verdict.is === "missing" && policy.onMissing === "Recreate") return [];
  const remarks = remarkUncontrolled(verdict, resource, policy, root);
  return isOutside(found, call) ? remarks.map((remark) => ({ ...remark, sentence: OUTSIDE })) : remarks;
}

/**
 * Tells whether a namespaced XR cannot have composed the resource, which is outside its namespace. Crossplane looks up cluster-scoped
 * resources for it as well; the condition must not reveal them to a user who may write the XR's references.
 */
const isOutside = (found: Document | undefined, { composite: { namespace } }: Call): boolean =>
  found !== undefined && namespace !== undefined && stringAt(found, ["metadata", "namespace"]) !== namespace;

/** Finds the resource's name in the Composition if another resource is observed under it: Crossplane observes one per name. */
function findRival(resource: Document | undefined, { request }: Call): string | undefined {
  const name = resource && stringAt(resource, COMPOSITION_RESOURCE_NAME);
  return name !== undefined && request.observed.resources.has(name) ? name : undefined;
}

const REASONS_BY_VERDICT: Readonly<Partial<Record<AdoptionVerdict["is"], AdoptionReason>>> = {
  unadopted: "Unadopted",
  unproven: "Unproven",
  unconfirmed: "WaitingForComposite",
  stale: "StaleController",
  missing: "MissingAfterRestore",
  foreign: "ControlledByAnother",
  pending: "WaitingForRequiredResources",
};

function remarkUncontrolled(
  verdict: AdoptionVerdict,
  resource: string,
  policy: Adoption,
  root: string,
): readonly AdoptionRemark[] {
  if (verdict.is === "unproven" && policy.onUnproven === "Release") {
    return [{ reason: "Released", resource, sentence: explainReleased(verdict.because) }];
  }
  const reason = REASONS_BY_VERDICT[verdict.is];
  if (reason === undefined) return [];
  return [{ reason, resource, sentence: explainVerdict(verdict, root) }];
}

/**
 * Marks resources that a later step desires. Crossplane does not observe a dropped resource in the next reconcile; if it does, a
 * later step desires the resource, and this step cannot tell which resources are no longer desired.
 */
function markIfNotLast(remarks: readonly AdoptionRemark[], call: Call): readonly AdoptionRemark[] {
  const shown = shownCondition(call.composite.document, TYPE)?.message;
  const dropped = remarks.filter(({ reason }) => reason === "NoLongerDesired");
  const [list] = toSentences(dropped).map((sentence) => sentence.slice(0, -NO_LONGER_DESIRED.length));
  const isStill =
    list !== undefined && [NO_LONGER_DESIRED, STEP_NOT_LAST].some((sentence) => shown?.includes(`${list}${sentence}`));
  if (!isStill) return remarks;
  return remarks.map((remark) =>
    remark.reason === "NoLongerDesired" ? { ...remark, reason: "StepNotLast", sentence: STEP_NOT_LAST } : remark,
  );
}

/** Makes one condition for all resources, with one sentence for those that share it. */
export function toAdoptionCondition(remarks: readonly AdoptionRemark[]): Condition {
  const [first] = sortByReason(remarks);
  const reason = first?.reason ?? "Adopted";
  return {
    type: TYPE,
    status: STATUS_BY_REASON[reason] ?? "False",
    reason,
    message: first === undefined ? undefined : toSentences(remarks).join("; "),
    target: "Composite",
  };
}

const STATUS_BY_REASON: Readonly<Partial<Record<AdoptionReason | "Adopted", Condition["status"]>>> = {
  Adopted: "True",
  Released: "True",
  ControlledByAnother: "True",
  NoLongerDesired: "True",
  WaitingForRequiredResources: "Unknown",
};

/** Makes the message of the Fatal result, with a line for each resource. */
export const toFatal = (remarks: readonly AdoptionRemark[]): string =>
  [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...sortByReason(remarks).map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ].join("\n");

/** Lists each sentence once, after the resources that it describes. */
export function toSentences(remarks: readonly AdoptionRemark[]): readonly string[] {
  const bySentence = groupBy(sortByReason(remarks), ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}

const sortByReason = (remarks: readonly AdoptionRemark[]): readonly AdoptionRemark[] =>
  remarks.toSorted((a, b) => ADOPTION_REASONS.indexOf(a.reason) - ADOPTION_REASONS.indexOf(b.reason));
