import { COMPOSITE, COMPOSITION_RESOURCE_NAME } from "../../crossplane/metadata.ts";
import { formatReference, toReference } from "../../crossplane/references.ts";
import type { Adoption } from "../../input/adoption.ts";
import { type Condition, listSome, shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Call } from "../feature.ts";
import { type Case, type ObservedCase, type ReferencedCase, requireReference } from "./cases.ts";
import {
  ADOPTING,
  type AdoptionReason,
  explain,
  explainReleased,
  explainRestoreInProgress,
  NO_LONGER_DESIRED,
  OUTSIDE,
  REASONS,
  STEP_NOT_LAST,
  UNSETTLED,
} from "./reasons.ts";
import type { AdoptionVerdict } from "./verdict.ts";

const TYPE = "ResourcesAdopted";

/** The largest number of resources that a sentence names. */
const MAX_NAMES = 10;

/** One resource that the condition mentions, and the sentence for whoever has to act. */
export interface Remark {
  readonly reason: AdoptionReason;
  readonly resource: string;
  readonly sentence: string;
}

/** Describes the cases that the condition has to mention; those that need no action are left out. */
export function toRemarks(cases: readonly Case[], policy: Adoption, call: Call): readonly Remark[] {
  if (cases.length === 0) return [];
  const { document, name } = call.composite;
  const root = stringAt(document, COMPOSITE) ?? name;
  const remarks = cases.flatMap((found) =>
    found.is === "observed" ? remarkObserved(found, policy, root) : remarkReferenced(found, policy, root, call),
  );
  return markIfNotLast(remarks, call);
}

function remarkObserved({ name, resource, verdict }: ObservedCase, policy: Adoption, root: string): readonly Remark[] {
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
): readonly Remark[] {
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
 * Tells whether a resource is one that a namespaced XR cannot have composed: Crossplane finds cluster-scoped ones for it as well.
 * Whoever may write its references is told nothing of them.
 */
const isOutside = (found: Document | undefined, { composite: { namespace } }: Call): boolean =>
  found !== undefined && namespace !== undefined && stringAt(found, ["metadata", "namespace"]) !== namespace;

/** The composed resource name, if another resource is observed under it: Crossplane observes one for each name. */
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
): readonly Remark[] {
  if (verdict.is === "unproven" && policy.onUnproven === "Release") {
    return [{ reason: "Released", resource, sentence: explainReleased(verdict.because) }];
  }
  const reason = REASONS_BY_VERDICT[verdict.is];
  if (reason === undefined) return [];
  return [{ reason, resource, sentence: explain(verdict, root) }];
}

/**
 * Crossplane no longer observes in the next reconcile what it drops in this one. A resource that it still observes is desired
 * by a step after this one: then this step cannot tell what is no longer desired, and says so.
 */
function markIfNotLast(remarks: readonly Remark[], call: Call): readonly Remark[] {
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

/** One condition for all resources; those with the same sentence share it. */
export function toCondition(remarks: readonly Remark[]): Condition {
  const [first] = sortByReason(remarks);
  const reason = first?.reason ?? "Adopted";
  return {
    type: TYPE,
    status: STATUS[reason] ?? "False",
    reason,
    message: first === undefined ? undefined : toSentences(remarks).join("; "),
    target: "Composite",
  };
}

/** The status of each reason that is not False. */
const STATUS: Readonly<Partial<Record<AdoptionReason | "Adopted", Condition["status"]>>> = {
  Adopted: "True",
  Released: "True",
  ControlledByAnother: "True",
  NoLongerDesired: "True",
  WaitingForRequiredResources: "Unknown",
};

/** The message of the Fatal result, a line for each resource. */
export const toFatal = (remarks: readonly Remark[]): string =>
  [
    "cannot go on without losing resources that this XR refers to and does not control:",
    ...sortByReason(remarks).map(({ resource, sentence }) => `  ${resource}: ${sentence}`),
  ].join("\n");

/** Each sentence once, after the resources that it describes. */
export function toSentences(remarks: readonly Remark[]): readonly string[] {
  const bySentence = groupBy(sortByReason(remarks), ({ sentence }) => sentence);
  return [...bySentence].map(
    ([sentence, described]) => `${listSome(described, MAX_NAMES, ({ resource }) => resource)}: ${sentence}`,
  );
}

const sortByReason = (remarks: readonly Remark[]): readonly Remark[] =>
  remarks.toSorted((a, b) => REASONS.indexOf(a.reason) - REASONS.indexOf(b.reason));
