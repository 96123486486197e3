import { readPolicies } from "../../crossplane/management-policies.ts";
import type { Tags } from "../../input/tags.ts";
import { brief, type Condition, type Result } from "../../model/condition.ts";
import {
  type Draft,
  type ResourceEdit,
  readyBefore,
  type TagChange,
  withAudit,
  withCompositeUnready,
  withCondition,
  withDocuments,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Ready } from "../../model/request.ts";
import { formatOwner } from "../../ownership/annotations.ts";
import { KnownContenders } from "../../ownership/find-contenders.ts";
import type { Call, Feature } from "../feature.ts";
import { eventsFor } from "../transition-events.ts";
import { decideTags, withTags } from "./add-preserve-remove.ts";
import { type Arbitration, arbitrate, withOwnership } from "./arbitrate.ts";
import { findChanges } from "./audit.ts";
import { explainRefusal, type Faults, type Refusal, type Tagged, toTagsCondition } from "./condition.ts";
import { checkTags } from "./limits.ts";
import type { Settlement } from "./settle.ts";
import { findSubjects, type Subject } from "./subject.ts";
import { isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import { resolveWanted, type WantedTags } from "./wanted.ts";

/** A decision on one resource. */
interface TagDecision extends Tagged {
  /** Undefined if only this XR can declare the cloud resource. */
  readonly arbitration: Arbitration | undefined;
  /** Undefined if the tags stay as earlier steps desire them. */
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

  const { subjects, leftAlone, unmarked } = findSubjects(call, draft);
  const asked = resolveWanted(input, call);
  const excess = findExcess(asked, subjects);
  const wanted = excess === undefined ? asked : { ...asked, add: [] };
  const known = new KnownContenders(call.requirements, call.request.capabilities.has("RequiredSchemas"));
  const owner = formatOwner(call.composite);
  const decisions = subjects.map((subject) => decide(subject, wanted, input, known, owner));
  const refusals = excess === undefined ? findRefusals(decisions, wanted) : [excess];
  const faults = { refusals, unset: wanted.unset };
  const condition = toTagsCondition(decisions, leftAlone, faults);
  const isStopped = isRefused(decisions, refusals, wanted);
  const applied = isStopped ? [] : holdRefused(decisions, refusals);
  const edits = applied.flatMap((decision) => toTagEdits(decision, wanted, owner, input.owner, draft));
  const edited = withResources(withDocuments(draft, unmarked), edits);
  const said = withResults(withCondition(edited, condition), toTagsResults(condition, decisions, faults, wanted, call));
  const audited = withAudit(said, toAudit(applied, wanted, owner));
  return refusals.length > 0 ? withCompositeUnready(audited) : audited;
};

/**
 * Tells whether the Composition's own tags are refused, for which the XR stops. It does not while a managed resource is paused by its
 * policies: it could never be deleted.
 */
const isRefused = (decisions: readonly TagDecision[], refusals: readonly Refusal[], wanted: WantedTags): boolean =>
  refusals.some((refusal) => isLiteral(refusal, wanted)) &&
  !decisions.some(({ subject: { observed } }) => observed !== undefined && readPolicies(observed)?.length === 0);

/** Tells whether the refused tag is a literal of the Composition. The number of tags never is. */
const isLiteral = ({ key }: Refusal, { add }: WantedTags): boolean =>
  key !== undefined && add.every((tag) => tag.key !== key || tag.isLiteral);

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

/** The name for all resources in a refusal. */
const ALL = "all resources";

/** The most tags that are set on one resource (most clouds take 50), and in one response. */
const MAX_TAGS_OF_ONE = 500;
const MAX_TAGS = 50_000;

/** Refuses too large a map of tags: it is set on every resource, so the cost is their product. */
function findExcess({ add }: WantedTags, subjects: readonly Subject[]): Refusal | undefined {
  if (add.length <= MAX_TAGS_OF_ONE && add.length * subjects.length <= MAX_TAGS) return undefined;
  const message =
    `${add.length} on each of ${subjects.length} resources; ` +
    `at most ${MAX_TAGS_OF_ONE} on one resource and ${MAX_TAGS} in all are set`;
  return { resource: ALL, path: "tags", key: undefined, message };
}

function decide(subject: Subject, wanted: WantedTags, rules: Tags, known: KnownContenders, owner: string): TagDecision {
  const arbitration = arbitrate(subject, wanted, rules.owner, known, owner);
  const { settlement } = arbitration ?? {};
  const isTagged = !subject.isPending && (settlement?.isTagged ?? true);
  const { tagField } = subject;
  const repeated = settlement?.repeats && tagField && toTagMap(settlement.repeats.document.at(tagField.path));
  const isOwned = settlement === undefined && !subject.isPending;
  return {
    subject,
    isWritten: isTagged,
    reason: settlement?.reason ?? (isOwned ? { is: "Owned", others: [] } : { is: "WaitingForRequiredResources" }),
    arbitration,
    tags: isTagged ? decideTags(subject, wanted) : repeated,
  };
}

/** Makes the edit of a resource, if it changes. */
function toTagEdits(
  { subject, arbitration, tags: decided, isHeld = false }: TagDecision,
  { cluster }: WantedTags,
  owner: string,
  rules: Tags["owner"],
  draft: Draft,
): readonly (readonly [string, ResourceEdit])[] {
  const { resource } = subject;
  const isWithheld = isHeld && subject.observed === undefined;
  if (isWithheld || arbitration?.settlement.is === "leave") return [[resource, { is: "removed" }]];
  if (arbitration === undefined && decided === undefined) return [];

  const tagged = decided === undefined ? subject.desired : withTags(subject, decided);
  const ready = readyBefore(draft, resource);
  if (arbitration === undefined) return [[resource, { is: "set", document: tagged, ready }]];

  const document = withOwnership(tagged, arbitration, { owner, cluster }, rules);
  return [[resource, { is: "set", document, ready: toReady(arbitration.settlement, ready) }]];
}

/** Decides readiness: an XR must not depend on a cloud resource that may be deleted before the owner lists the XR as a successor. */
function toReady({ isSettled, isReady }: Settlement, ready: Ready | undefined): Ready | undefined {
  if (!isSettled) return "False";
  return isReady ? "True" : ready;
}

/** Returns the tags that this XR decides; undefined if it only repeats the owner's. */
const ownTags = ({ tags: decided, arbitration }: TagDecision): TagMap | undefined =>
  arbitration?.settlement.repeats === undefined ? decided : undefined;

function findRefusals(decisions: readonly TagDecision[], wanted: WantedTags): readonly Refusal[] {
  const ours = [...new Set(wanted.add.map(({ key }) => key))].sort();
  return decisions.flatMap((decision) => {
    const { resource, tagField, cloud } = decision.subject;
    const decided = ownTags(decision);
    if (decided === undefined || cloud === undefined || tagField === undefined) return [];
    return checkTags(decided, ours, cloud).map(({ key, message }) => ({
      resource,
      path: formatFieldPath(key === undefined ? tagField.path : [...tagField.path, brief(key)]),
      key,
      message,
    }));
  });
}

/** Makes events, or a Fatal result for refused literal tags and for a conflict with `onConflict: Fail`. */
function toTagsResults(
  condition: Condition,
  decisions: readonly TagDecision[],
  { refusals }: Faults,
  wanted: WantedTags,
  call: Call,
): readonly Result[] {
  if (isRefused(decisions, refusals, wanted)) {
    const message = ["cannot tag the composed resources:", ...refusals.map((fault) => `  ${explainRefusal(fault)}`)];
    return [{ severity: "Fatal", message: message.join("\n"), reason: condition.reason, target: "Composite" }];
  }
  if (decisions.some(({ reason }) => reason.is === "Conflict")) {
    const { message = "", reason } = condition;
    return [{ severity: "Fatal", message, reason, target: "CompositeAndClaim" }];
  }
  const isFine = condition.status === "True" || condition.reason === "Arbitrating";
  return eventsFor(condition, isFine ? "Normal" : "Warning", call);
}

/** Lists the changed tags for the log; none while an answer is pending, because another call of the same reconcile follows. */
function toAudit(decisions: readonly TagDecision[], wanted: WantedTags, owner: string): readonly TagChange[] {
  if (decisions.some(({ reason }) => reason.is === "WaitingForRequiredResources")) return [];
  return decisions.flatMap((decision) => {
    const decided = decision.isHeld === true ? undefined : ownTags(decision);
    return decided === undefined ? [] : findChanges(decision.subject, decided, wanted, owner);
  });
}
