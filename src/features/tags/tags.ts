import { mayWrite, readPolicies } from "../../crossplane/management-policies.ts";
import type { Condition, Result } from "../../model/condition.ts";
import {
  type Draft,
  type ResourceEdit,
  readyBefore,
  withAudit,
  withCompositeUnready,
  withCondition,
  withDocuments,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { KnownContenders } from "../../ownership/find-contenders.ts";
import type { Call, Feature } from "../feature.ts";
import { eventsFor } from "../reasons.ts";
import { decideTags, findChanges, withTags } from "./add-preserve-remove.ts";
import { type Arbitration, arbitrate, withOwnership } from "./arbitrate.ts";
import { isOurs, type Tagged, type TagReason, toTagsCondition } from "./condition.ts";
import { ALL, checkTags, findExcess, type Refusal } from "./limits.ts";
import { findSubjects, type Subject } from "./subject.ts";
import { isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import { resolveWanted, type WantedTags } from "./wanted.ts";

/** A decision on one resource. */
interface TagDecision extends Tagged {
  /** Undefined if only this XR can declare the cloud resource. */
  readonly arbitration: Arbitration | undefined;
  /** The tags that this XR decides; undefined if they stay as earlier steps desire them. */
  readonly tags: TagMap | undefined;
  /** True if the cloud would refuse the tags: they stay unchanged, and the resource is not created. */
  readonly isHeld?: boolean;
}

/**
 * Sets the tags of composed resources. If several XRs declare the same cloud resource, only its owner writes it; the others observe
 * until they succeed it.
 */
export const tags: Feature = (call, draft) => {
  const input = call.input.spec.tags;
  if (input === undefined) return draft;

  const found = findSubjects(call, draft);
  const { subjects, unmarked } = found;
  const asked = resolveWanted(input, call);
  const excess = findExcess(asked, subjects.length);
  const wanted = excess === undefined ? asked : { ...asked, add: [] };
  const known = new KnownContenders(call.requirements, call.request.capabilities.has("RequiredSchemas"));
  const decisions = subjects.map((subject) => decide(subject, wanted, known));
  const refusals = excess === undefined ? findRefusals(decisions, wanted) : [excess];
  const isStopped = stops(refusals, decisions, wanted);
  const applied = isStopped ? [] : holdRefused(decisions, refusals);
  const edits = applied.flatMap((decision) => toTagEdits(decision, wanted, draft));
  const condition = toTagsCondition(decisions, found, refusals, wanted.unset);
  const results = isStopped ? [toFatal(condition, refusals)] : toTagsResults(condition, decisions, call);
  const edited = withResources(withDocuments(draft, unmarked), edits);
  const audited = withAudit(withResults(withCondition(edited, condition), results), toAudit(applied, wanted));
  return refusals.length > 0 ? withCompositeUnready(audited) : audited;
};

function decide(subject: Subject, wanted: WantedTags, known: KnownContenders): TagDecision {
  const arbitration = arbitrate(subject, wanted, known);
  const waiting: TagReason = { is: "WaitingForRequiredResources" };
  const reason = arbitration?.reason ?? (subject.isPending ? waiting : { is: "Owned", others: [] });
  const isWritten = !subject.isPending && (arbitration === undefined || mayWrite(arbitration.policies));
  const tags = isWritten || isOurs(reason) ? decideTags(subject, wanted) : undefined;
  return { subject, reason, isWritten, arbitration, tags };
}

/**
 * Tells whether the Composition's own tags are refused, for which the XR stops. It does not while a managed resource is paused by its
 * policies: it could never be deleted. The number of tags is no literal of the Composition.
 */
const stops = (refusals: readonly Refusal[], decisions: readonly TagDecision[], { add }: WantedTags): boolean =>
  refusals.some(({ key }) => key !== undefined && add.every((tag) => tag.key !== key || tag.isLiteral)) &&
  !decisions.some(({ subject: { observed } }) => observed !== undefined && readPolicies(observed)?.length === 0);

/**
 * Keeps the tags of refused resources, and creates none. A team chooses these tags: with a Fatal result it could freeze its XR, and
 * with it copies whose grant is revoked.
 */
function holdRefused(decisions: readonly TagDecision[], refusals: readonly Refusal[]): readonly TagDecision[] {
  if (refusals.length === 0) return decisions;
  const refused = new Set(refusals.map(({ resource }) => resource));
  return decisions.map((decision) => {
    if (!refused.has(decision.subject.resource) && !refused.has(ALL)) return decision;
    const { desired, spec } = decision.subject.tagSources;
    return { ...decision, isHeld: true, tags: isSameTags(desired, spec) ? undefined : spec };
  });
}

/** Makes the edit of a resource, if it changes. */
function toTagEdits(
  decision: TagDecision,
  wanted: WantedTags,
  draft: Draft,
): readonly (readonly [string, ResourceEdit])[] {
  const { subject, arbitration, reason, isHeld = false } = decision;
  const { resource, observed } = subject;
  if (reason.is === "Withheld" || (isHeld && observed === undefined)) return [[resource, { is: "removed" }]];
  const tags = decision.tags ?? (isHeld ? undefined : repeatTags(decision));
  if (arbitration === undefined && tags === undefined) return [];
  const tagged = tags === undefined ? subject.desired : withTags(subject, tags);
  const document = arbitration === undefined ? tagged : withOwnership(tagged, subject, arbitration, wanted);
  return [[resource, { is: "set", document, ready: arbitration?.ready ?? readyBefore(draft, resource) }]];
}

/** Repeats the owner's tags, if the kind cannot observe only. */
const repeatTags = ({ reason, subject: { tagField } }: TagDecision): TagMap | undefined =>
  reason.is === "CannotObserve" && tagField !== undefined
    ? toTagMap(reason.owner.document.at(tagField.path))
    : undefined;

/** Finds the tags that the clouds would refuse. */
function findRefusals(decisions: readonly TagDecision[], { add }: WantedTags): readonly Refusal[] {
  const ours = [...new Set(add.map(({ key }) => key))].sort();
  return decisions.flatMap(({ tags: decided, subject }) => (decided ? checkTags(decided, ours, subject) : []));
}

const toFatal = ({ reason }: Condition, refusals: readonly Refusal[]): Result => ({
  severity: "Fatal",
  message: ["cannot tag the composed resources:", ...refusals.map(({ message }) => `  ${message}`)].join("\n"),
  reason,
  target: "Composite",
});

/** Makes events, or a Fatal result for a conflict with `onConflict: Fail`. */
function toTagsResults(condition: Condition, decisions: readonly TagDecision[], call: Call): readonly Result[] {
  const { message = "", reason } = condition;
  if (decisions.some((decision) => decision.reason.is === "Conflict")) {
    return [{ severity: "Fatal", message, reason, target: "CompositeAndClaim" }];
  }
  return eventsFor(condition, condition.status === "True" || reason === "Arbitrating" ? "Normal" : "Warning", call);
}

/** Lists the changed tags for the log; none while an answer is pending, because another call of the same reconcile follows. */
function toAudit(decisions: readonly TagDecision[], wanted: WantedTags) {
  const isPending = decisions.some(({ reason }) => reason.is === "WaitingForRequiredResources");
  return decisions.flatMap(({ subject, tags: decided, isHeld = false }) =>
    isPending || isHeld || decided === undefined ? [] : findChanges(subject, decided, wanted),
  );
}
