import { mayWrite } from "../../crossplane/management-policies.ts";
import { type Condition, type Result, withMessageCut } from "../../model/condition.ts";
import {
  type Draft,
  withCompositeUnready,
  withCondition,
  withContext,
  withObjects,
  withResources,
  withResults,
} from "../../model/draft.ts";
import { isObject, objectOf, toPlainText } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import { MOVED_AT } from "../../ownership/annotations.ts";
import { KnownContenders } from "../../ownership/find-contenders.ts";
import { explainTooEarly, withTold } from "../conditions.ts";
import type { Edits } from "../desired.ts";
import { type Call, type Feature, identifyStep } from "../feature.ts";
import { decideTags, findChanges, repeatTags } from "./add-preserve-remove.ts";
import { type Arbitration, arbitrate } from "./arbitrate.ts";
import { checkTags, type Refusal } from "./limits.ts";
import { giveBack, writeMarks } from "./marks.ts";
import { keepRenamed } from "./renamed.ts";
import { findSubjects, type Subject } from "./subject.ts";
import { fromTagMap, isSameTags, type TagMap, toTagMap } from "./tag-map.ts";
import { type Tagged, toTagsCondition } from "./tags-condition.ts";
import { resolveWanted, type WantedTags } from "./wanted.ts";

interface TagDecision extends Tagged {
  readonly arbitration: Arbitration;
  /** The tags to desire; undefined if they stay as earlier steps desire them. */
  readonly tags: TagMap | undefined;
}

/**
 * Sets the tags of composed resources. If several XRs declare the same cloud resource, only its owner writes it; the others observe
 * until they succeed it.
 */
export const tags: Feature = (call, before) => {
  const input = call.input.spec.tags;
  if (input === undefined) return before;

  const earlier = readEarlierSteps(call);
  const desired = findSubjects(input, call, before, earlier.decided);
  const { draft, renamed, leaving } = keepRenamed(desired.subjects, call, before);
  const found = renamed.size === 0 ? desired : findSubjects(input, call, draft, earlier.decided, renamed);
  const wanted = resolveWanted(input, found.subjects.length, call);
  const known = new KnownContenders(call.requirements, call.request.capabilities.has("RequiredSchemas"));
  const all = found.subjects.map((subject) => decide(subject, wanted, known));
  const gone = findGone(leaving, all);
  const decisions = all.filter(({ subject }) => !gone.has(subject.resource));
  const told = toTagsCondition(decisions, found, wanted.unset, explainTooEarly(call, draft));
  const withoutGone = withoutEdits(withObjects(draft, found.unmarked), gone);
  const withReadiness = decisions.some(isHeld) ? withCompositeUnready(withoutGone) : withoutGone;
  if (stops(decisions, wanted))
    return withResults(withCondition(withReadiness, told.condition), [toFatal(told.condition, decisions)]);

  const edits = decisions.flatMap((decision) => toTagEdits(decision, wanted));
  const written = withResources(withReadiness, edits);
  const repeated = repeatsEarlier(told.condition, earlier) ? earlier.said : undefined;
  const condition = { ...told.condition, ...repeated };
  const tagged = repeated ? withCondition(written, condition) : withTold(written, told, call);
  const noted = withDecided(tagged, decisions, condition, call);
  return { ...noted, audit: [...noted.audit, ...toAudit(decisions, wanted)] };
};

function decide(subject: Subject, wanted: WantedTags, known: KnownContenders): TagDecision {
  const arbitration = arbitrate(subject, wanted, known);
  const { reason, policies, annotations } = arbitration;
  const hasMoved = annotations[MOVED_AT] !== undefined;
  const isOurs = ["Owned", "ExistedBefore/kept", "WrittenByAnother"].includes(reason.is);
  const isTagged = (subject.tags?.isPending !== true && mayWrite(policies)) || isOurs;
  const decided = isTagged ? decideTags(subject, wanted) : undefined;
  const refusals = [...wanted.excess, ...(decided ? checkTags(decided, wanted.keys, subject) : [])];
  return { subject, reason, isTagged, hasMoved, arbitration, tags: decided, refusals };
}

/**
 * Context key: the decisions of each step with `tags`. The first step that selects a resource decides who owns its cloud resource. A later
 * step cannot tell the first step's marks from marks that a Composition has copied from an XR, and would remove both.
 */
const DECIDED = `${DOMAIN}/tags`;

/**
 * Reads what earlier steps have decided.
 *
 * - `decided`: the resources whose ownership they have decided. True if this step may change the resource's tags.
 * - `said`: status, reason and message of a condition: the first that is False, or else the first. Crossplane keeps only the last step's
 *   condition, so that step repeats it (`repeatsEarlier`).
 */
function readEarlierSteps({ request, input }: Call) {
  const context = request.context.at([DECIDED]);
  const steps = Object.entries(objectOf(context))
    .filter(([step]) => step !== identifyStep(input))
    .flatMap(([, step]) => (isObject(step) ? [step] : []));
  const decided = steps.flatMap(({ decided }) => Object.entries(objectOf(decided)));
  const { reason, message, isFault } = steps.find((step) => step["isFault"]) ?? steps[0] ?? {};
  const status: Condition["status"] = isFault === true ? "False" : "True";
  return {
    decided: new Map(decided.map(([resource, mayBeTagged]) => [resource, mayBeTagged === true])),
    said: reason ? { status, reason: toPlainText(reason), message: toPlainText(message) } : undefined,
  };
}

/** Adds what later steps read: this step's condition, the resources that other XRs can declare, and whether later steps may tag them. */
function withDecided(draft: Draft, decisions: readonly TagDecision[], said: Condition, call: Call): Draft {
  const shareable = decisions.filter(({ arbitration }) => arbitration.isShareable);
  if (shareable.length === 0) return draft;
  const decided = Object.fromEntries(shareable.map(({ subject, isTagged }) => [subject.resource, isTagged]));
  const { status, reason, message = "" } = withMessageCut(said);
  const before = call.request.context.at([DECIDED]);
  const step = { decided, isFault: status === "False", reason, message };
  return withContext(draft, [[DECIDED, { ...objectOf(before), [identifyStep(call.input)]: step }]]);
}

/** Tells whether to repeat an earlier step's condition in place of one that is no fault: the earlier one is a fault, or tells more. */
const repeatsEarlier = ({ status, reason }: Condition, { said }: ReturnType<typeof readEarlierSteps>): boolean =>
  said !== undefined &&
  status === "True" &&
  (said.status === "False" || reason === "NothingToTag" || (reason === "Owned" && said.reason !== "Owned"));

/** Finds the owners of `leaving` (renamed.ts) that may go now, with their cloud resources, since no other XR needs these. */
function findGone(leaving: ReadonlySet<string>, decisions: readonly TagDecision[]): ReadonlySet<string> {
  const isAwaited = ({ reason }: TagDecision): boolean =>
    ["WaitingForRequiredResources", "WrittenByAnother"].includes(reason.is) ||
    (reason.is === "Owned" && reason.others.length > 0);
  const awaited = new Set(decisions.filter(isAwaited).map(({ subject }) => subject.resource));
  return new Set([...leaving].filter((name) => !awaited.has(name)));
}

/** Removes the edits of resources, so that Crossplane deletes those that no step desires. */
function withoutEdits(draft: Draft, names: ReadonlySet<string>): Draft {
  if (names.size === 0) return draft; // nearly always
  return { ...draft, resources: new Map([...draft.resources].filter(([name]) => !names.has(name))) };
}

/** Tells whether the resource keeps its tags, or is not created, since the cloud would refuse the new tags. */
const isHeld = ({ refusals }: TagDecision): boolean => refusals.length > 0;

/**
 * Tells whether the XR stops with a Fatal result, because a literal tag of the Composition is refused. A refused number of tags, or a tag
 * from a field, does not stop it: a team may write the field, and could freeze its XR, and so keep copies whose grant is revoked.
 */
function stops(decisions: readonly TagDecision[], { add }: WantedTags): boolean {
  const isLiteral = ({ key }: Refusal): boolean =>
    key !== undefined && add.every((tag) => tag.key !== key || tag.isLiteral);
  return decisions.some(({ refusals }) => refusals.some(isLiteral));
}

const toFatal = ({ reason }: Condition, decisions: readonly TagDecision[]): Result => {
  const faults = decisions.flatMap(({ refusals }) => refusals.map(({ message }) => `  ${message}`));
  return {
    severity: "Fatal",
    message: ["cannot tag the composed resources:", ...faults].join("\n"),
    reason,
    target: "Composite",
  };
};

function toTagEdits(decision: TagDecision, wanted: WantedTags): Edits {
  const { subject, reason, arbitration } = decision;
  const { resource, observed, desired, tags: found } = subject;
  if (reason.is === "Withheld" || (isHeld(decision) && observed === undefined)) return [[resource, { is: "removed" }]];
  const written = isHeld(decision)
    ? keepTags(subject)
    : (decision.tags ?? repeatTheirs(decision) ?? leaveTags(decision));
  const edits = found && written ? [{ path: found.path, value: fromTagMap(written, found.like) }] : [];
  if (arbitration.isShareable) {
    const object = writeMarks(edits, subject, arbitration, wanted);
    return [[resource, { is: "set", object, ready: arbitration.ready }]];
  }
  const all = [...edits, ...giveBack(subject)];
  return all.length === 0 ? [] : [[resource, { is: "set", object: desired.with(all) }]];
}

/** Keeps the tags of a managed resource as observed; undefined if earlier steps desire the same, or the kind has no tags. */
const keepTags = ({ tags: found }: Subject): TagMap | undefined =>
  found === undefined || isSameTags(found.desired, found.spec) ? undefined : found.spec;

/**
 * Leaves a managed resource that no longer writes the tags that it has; undefined if it has none. Where its provider has filled in the map
 * as well, server-side apply would leave null in place of the last tag, and the API server refuses that.
 */
function leaveTags({ subject, reason, arbitration }: TagDecision): TagMap | undefined {
  const { tags: found } = subject;
  const isWriting = mayWrite(arbitration.policies) || reason.is === "CannotObserve";
  if (found === undefined || found.desired.size > 0 || isWriting) return undefined;
  const left = repeatTags(found.spec, subject);
  return left.size > 0 ? left : undefined;
}

/** Repeats the tags of another owner, or of another control plane, if the kind cannot only observe; otherwise undefined. */
function repeatTheirs({ reason, subject }: TagDecision): TagMap | undefined {
  const { tags: found, ownership } = subject;
  if (found === undefined) return undefined;
  if (reason.is === "OwnedByAnotherCluster" && !ownership().hasManagementPolicies)
    return repeatTags(found.cloud(), subject);
  const theirs = reason.is === "CannotObserve" ? toTagMap(reason.owner.document.at(found.path)) : undefined;
  return theirs && repeatTags(theirs, subject);
}

/** Lists the changed tags for the log; none while an answer is pending, because another call of the same reconcile follows. */
const toAudit = (decisions: readonly TagDecision[], wanted: WantedTags) =>
  decisions.some(({ reason }) => reason.is === "WaitingForRequiredResources")
    ? []
    : decisions.flatMap((one) => (isHeld(one) || !one.tags ? [] : findChanges(one.subject, one.tags, wanted)));
