import type { Tags } from "../../input/tags.ts";
import { brief, type Condition, type Result } from "../../model/condition.ts";
import {
  type Draft,
  type ResourceEdit,
  type TagChange,
  withAudit,
  withCompositeUnready,
  withCondition,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Ready } from "../../model/resource.ts";
import { KnownContenders } from "../../ownership/find-contenders.ts";
import { formatOwner } from "../../ownership/owner.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { type Arbitration, arbitrate } from "./arbitrate.ts";
import { findChanges } from "./audit.ts";
import { explainRefusal, type Faults, type Refusal, type Tagged, toCondition } from "./condition.ts";
import { decideTags, readTags, withOwnership, withTags } from "./desire.ts";
import { checkTags } from "./limits.ts";
import type { TagSources } from "./merge.ts";
import type { Settlement } from "./settle.ts";
import { findSubjects, type Subject } from "./subject.ts";
import { isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import { toWanted, type Wanted } from "./wanted.ts";

/** A decision on one resource. */
interface Decision extends Tagged {
  readonly subject: Subject;
  readonly sources: TagSources;
  /** Undefined where only this XR can name the cloud resource. */
  readonly arbitration: Arbitration | undefined;
  /** Undefined where the tags stay as the steps before us want them. */
  readonly tags: TagMap | undefined;
  /** True if its tags stay as they are, and it is not created, because a cloud would refuse them. */
  readonly isHeld?: boolean;
}

/**
 * Sets the tags of composed resources. Where several XRs declare one cloud resource, only one of them writes it; the others
 * observe until its owner leaves it to them.
 */
export const tags: Feature = (call, draft) => {
  const input = call.input.spec.tags;
  if (input === undefined) return draft;

  const { subjects, leftAlone } = findSubjects(call, draft);
  const asked = toWanted(input, call);
  const excess = findExcess(asked, subjects);
  const wanted = excess === undefined ? asked : { ...asked, add: [] };
  const known = new KnownContenders(call.requirements);
  const owner = formatOwner(call.composite);
  const decisions = subjects.map((subject) => decide(subject, wanted, input, known, owner));
  const refusals = excess === undefined ? findRefusals(decisions, wanted) : [excess];
  const faults = { refusals, unset: wanted.unset, excessive: wanted.excessive };
  const condition = toCondition(decisions, leftAlone, faults);
  const applied = refusals.some((refusal) => isLiteral(refusal, wanted)) ? [] : holdRefused(decisions, refusals);
  const edits = applied.flatMap((decision) => toEdits(decision, wanted, owner, draft));
  const edited = withResources(draft, edits);
  const said = withResults(withCondition(edited, condition), toResults(condition, decisions, faults, wanted, call));
  const audited = withAudit(said, toAudit(applied, wanted, owner));
  return refusals.length > 0 ? withCompositeUnready(audited) : audited;
};

/** Tells whether the Composition itself says what a cloud would refuse. How many tags there are nobody says alone. */
const isLiteral = ({ key }: Refusal, { add }: Wanted): boolean =>
  key !== undefined && add.every((tag) => tag.key !== key || tag.isLiteral);

/**
 * Leaves the tags of refused resources as they are, and creates none. A team chooses these tags: a Fatal result would let it freeze
 * its XR, and with it the copies whose grant has been taken back.
 */
function holdRefused(decisions: readonly Decision[], refusals: readonly Refusal[]): readonly Decision[] {
  if (refusals.length === 0) return decisions;
  const refused = new Set(refusals.map(({ resource }) => resource));
  return decisions.map((decision) => {
    if (!refused.has(decision.resource) && !refused.has(ALL)) return decision;
    const { desired, spec } = decision.sources;
    return { ...decision, isHeld: true, tags: isSameTags(desired, spec) ? undefined : spec };
  });
}

/** Stands for every resource in a refusal. */
const ALL = "all resources";

/** The number of tags that may be set on one resource, where most clouds take 50, and in one answer. */
const MAX_TAGS_OF_ONE = 500;
const MAX_TAGS = 50_000;

/** Refuses a map of the XR that is too large: it is set on every resource, so its cost grows with the product of the two. */
function findExcess({ add }: Wanted, subjects: readonly Subject[]): Refusal | undefined {
  if (add.length <= MAX_TAGS_OF_ONE && add.length * subjects.length <= MAX_TAGS) return undefined;
  const message =
    `${add.length} on each of ${subjects.length} resources; ` +
    `at most ${MAX_TAGS_OF_ONE} can be set on one, and ${MAX_TAGS} at once`;
  return { resource: ALL, path: "tags", key: undefined, message };
}

function decide(subject: Subject, wanted: Wanted, rules: Tags, known: KnownContenders, owner: string): Decision {
  const arbitration = arbitrate(subject, wanted, rules.owner, known, owner);
  const { settlement } = arbitration ?? {};
  const isTagged = !subject.isPending && (settlement?.isTagged ?? true);
  const { tagField } = subject;
  const repeated = settlement?.repeats && tagField && toTagMap(settlement.repeats.document.at(tagField.path));
  const isOwned = settlement === undefined && !subject.isPending;
  const sources = readTags(subject);
  return {
    subject,
    sources,
    resource: subject.resource,
    own: { kind: subject.kind, document: subject.observed },
    hasTags: tagField !== undefined,
    reason: settlement?.reason ?? { is: isOwned ? "Owned" : "WaitingForRequiredResources" },
    arbitration,
    tags: isTagged ? decideTags(subject, sources, wanted) : repeated,
  };
}

/** One edit, or none where a resource is as it should be. */
function toEdits(
  { subject, sources, arbitration, tags: decided, resource, isHeld = false }: Decision,
  { cluster }: Wanted,
  owner: string,
  draft: Draft,
): readonly (readonly [string, ResourceEdit])[] {
  const isWithheld = isHeld && subject.observed === undefined;
  if (isWithheld || arbitration?.settlement.is === "leave") return [[resource, { is: "removed" }]];
  if (arbitration === undefined && decided === undefined) return [];

  const tagged = decided === undefined ? subject.desired : withTags(subject, sources, decided);
  const edit = draft.resources.get(resource);
  const ready = edit?.is === "set" ? edit.ready : undefined;
  if (arbitration === undefined) return [[resource, { is: "set", document: tagged, ready }]];

  const document = withOwnership(tagged, arbitration, { owner, cluster });
  return [[resource, { is: "set", document, ready: toReady(arbitration.settlement, ready) }]];
}

/** An XR must not count on a cloud resource that may be deleted before its owner knows of the XR. */
function toReady({ isSettled, isReady }: Settlement, ready: Ready | undefined): Ready | undefined {
  if (!isSettled) return "False";
  return isReady ? "True" : ready;
}

/** The tags that this XR decides; undefined where it only repeats the owner's. */
const ownTags = ({ tags: decided, arbitration }: Decision): TagMap | undefined =>
  arbitration?.settlement.repeats === undefined ? decided : undefined;

function findRefusals(decisions: readonly Decision[], wanted: Wanted): readonly Refusal[] {
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

/** Literal tags that would be refused, and a conflict where the input says Fail, freeze the XR: nothing is applied or deleted. */
function toResults(
  condition: Condition,
  decisions: readonly Decision[],
  { refusals }: Faults,
  wanted: Wanted,
  call: Call,
): readonly Result[] {
  if (refusals.some((refusal) => isLiteral(refusal, wanted))) {
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

/** The changed tags for the log; none while an answer is pending, because another call of the same reconcile follows. */
function toAudit(decisions: readonly Decision[], wanted: Wanted, owner: string): readonly TagChange[] {
  if (decisions.some(({ reason }) => reason.is === "WaitingForRequiredResources")) return [];
  return decisions.flatMap((decision) => {
    const decided = decision.isHeld === true ? undefined : ownTags(decision);
    return decided === undefined ? [] : findChanges(decision.resource, decision.sources, decided, wanted, owner);
  });
}
