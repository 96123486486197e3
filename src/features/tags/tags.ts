import type { Tags } from "../../input/tags.ts";
import type { Condition, Result } from "../../model/condition.ts";
import {
  type Draft,
  type ResourceEdit,
  type TagChange,
  withAudit,
  withCondition,
  withRequiredSchemas,
  withRequirements,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { formatFieldPath } from "../../model/field-path.ts";
import type { Ready } from "../../model/resource.ts";
import { ownerOf } from "../../ownership/owner.ts";
import { eventsFor } from "../events.ts";
import type { Call, Feature } from "../feature.ts";
import { type Arbitration, arbitrate } from "./arbitrate.ts";
import { findChanges } from "./audit.ts";
import { explainRefusal, type Faults, type Refusal, type Tagged, toCondition } from "./condition.ts";
import { decideTags, withOwnership, withTags } from "./desire.ts";
import { checkTags } from "./limits.ts";
import type { Settlement } from "./settle.ts";
import { findSubjects, type Subject } from "./subject.ts";
import { type TagMap, toTagMap } from "./tag-map.ts";
import { toWanted, type Wanted } from "./wanted.ts";

/** A decision on one resource. */
interface Decision extends Tagged {
  readonly subject: Subject;
  /** Undefined where only this XR can name the cloud resource. */
  readonly arbitration: Arbitration | undefined;
  /** Undefined where the tags stay as the steps before us want them. */
  readonly tags: TagMap | undefined;
}

/**
 * Sets the tags of composed resources. Where several XRs declare one cloud resource, only one of them writes it; the others
 * observe until its owner leaves it to them.
 */
export const tags: Feature = (call, draft) => {
  const input = call.input.spec.tags;
  if (input === undefined) return draft;

  const wanted = toWanted(input, call);
  const { subjects, schemas, leftAlone } = findSubjects(call, draft);
  const decisions = subjects.map((subject) => decide(subject, wanted, input, call));
  const faults = { refusals: findRefusals(decisions, wanted), unset: wanted.unset };
  const condition = toCondition(decisions, leftAlone, faults);
  const edits = decisions.flatMap((decision) => toEdits(decision, wanted, call, draft));
  const requirements = decisions.flatMap(({ arbitration }) => arbitration?.requirements ?? []);
  const asking = withRequiredSchemas(withRequirements(withResources(draft, edits), requirements), schemas);
  const said = withResults(withCondition(asking, condition), toResults(condition, decisions, faults, call));
  return withAudit(said, toAudit(decisions, wanted, call));
};

function decide(subject: Subject, wanted: Wanted, { owner }: Tags, call: Call): Decision {
  const arbitration = arbitrate(subject, wanted, owner, call);
  const { settlement } = arbitration ?? {};
  const isTagged = !subject.isPending && (settlement?.isTagged ?? true);
  const { tagField } = subject;
  const repeated = settlement?.repeats && tagField && toTagMap(settlement.repeats.document.at(tagField.path));
  const isOwned = settlement === undefined && !subject.isPending;
  return {
    subject,
    resource: subject.resource,
    own: { kind: subject.kind, document: subject.observed },
    hasTags: tagField !== undefined,
    reason: settlement?.reason ?? { is: isOwned ? "Owned" : "WaitingForRequiredResources" },
    arbitration,
    tags: isTagged ? decideTags(subject, wanted) : repeated,
  };
}

/** One edit, or none where a resource is as it should be. */
function toEdits(
  { subject, arbitration, tags: decided, resource }: Decision,
  { cluster }: Wanted,
  call: Call,
  draft: Draft,
): readonly (readonly [string, ResourceEdit])[] {
  if (arbitration?.settlement.is === "leave") return [[resource, { is: "removed" }]];
  if (arbitration === undefined && decided === undefined) return [];

  const before = subject.desired.toObject();
  const tagged = decided === undefined ? before : withTags(before, subject, decided);
  const edit = draft.resources.get(resource);
  const ready = edit?.is === "set" ? edit.ready : undefined;
  if (arbitration === undefined) return [[resource, { is: "set", object: tagged, ready }]];

  const object = withOwnership(tagged, arbitration, { owner: ownerOf(call.composite), cluster });
  return [[resource, { is: "set", object, ready: toReady(arbitration.settlement, ready) }]];
}

/** An XR must not count on a cloud resource that may be deleted before its owner knows of the XR. */
function toReady({ isSettled, isReady }: Settlement, ready: Ready | undefined): Ready | undefined {
  if (!isSettled) return "False";
  return isReady ? "True" : ready;
}

/** The tags that we decide, and not those that an owner's tags are repeated by. */
const ownTags = ({ tags: decided, arbitration }: Decision): TagMap | undefined =>
  arbitration?.settlement.repeats === undefined ? decided : undefined;

function findRefusals(decisions: readonly Decision[], wanted: Wanted): readonly Refusal[] {
  const ours = new Set(wanted.add.map(({ key }) => key));
  return decisions.flatMap((decision) => {
    const { resource, tagField, cloud } = decision.subject;
    const decided = ownTags(decision);
    if (decided === undefined || cloud === undefined || tagField === undefined) return [];
    return checkTags(decided, ours, cloud).map(({ key, message }) => ({
      resource,
      path: formatFieldPath(key === undefined ? tagField.path : [...tagField.path, key]),
      key,
      message,
    }));
  });
}

/** Tags that would be refused, and a conflict where the input says Fail, freeze the XR: nothing is applied or deleted. */
function toResults(
  condition: Condition,
  decisions: readonly Decision[],
  { refusals }: Faults,
  call: Call,
): readonly Result[] {
  if (refusals.length > 0) {
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
function toAudit(decisions: readonly Decision[], wanted: Wanted, { composite }: Call): readonly TagChange[] {
  if (decisions.some(({ reason }) => reason.is === "WaitingForRequiredResources")) return [];
  return decisions.flatMap((decision) => {
    const decided = ownTags(decision);
    return decided === undefined ? [] : findChanges(decision.subject, decided, wanted, ownerOf(composite));
  });
}
