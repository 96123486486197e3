import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, briefError, type Condition, sentencesForSome, shownCondition } from "../../model/condition.ts";
import { ALLOW_DELETE, TAKE_OWNERSHIP } from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";
import type { TagFault } from "./limits.ts";
import type { LeftAlone, Subject } from "./subject.ts";

const TYPE = "TagsOwned";

/** The most resources that a message names. */
const MAX_NAMES = 3;

/** One resource, and the state of its tags. */
export interface Tagged {
  readonly subject: Subject;
  readonly reason: TagReason;
  /** True if its provider may write it, with the tags that it has. */
  readonly isWritten: boolean;
}

/** A tag that its cloud would refuse, its field, and the cause. */
export interface Refusal extends TagFault {
  readonly resource: string;
  readonly path: string;
}

/** Faults in the input's values. */
export interface Faults {
  readonly refusals: readonly Refusal[];
  /** Fields of the XR or the environment that are not set. */
  readonly unset: readonly string[];
}

/** Reasons that concern no single resource. */
const OTHER_REASONS = ["InvalidTags", "FieldNotSet", "NothingToTag"] as const;

type TagsOwnedReason = TagReason["is"] | (typeof OTHER_REASONS)[number];

/** Tells whether nothing is left to do: this XR owns the resource, or observes what another XR owns. */
const isSettled = (tagged: Tagged): boolean => isOurs(tagged) || tagged.reason.is === "ObservedOnly";

/** Tells whether this XR owns the resource's tags. */
const isOurs = ({ reason }: Tagged): boolean =>
  reason.is === "Owned" || (reason.is === "ExistedBefore" && !reason.isObserved);

/**
 * Makes one condition for all resources: its reason is that of the first resource that is not owned; its message counts the tagged and
 * the ignored resources and names the others. Three reasons concern no single resource: InvalidTags and FieldNotSet, for entries of the
 * input that are ignored, and NothingToTag.
 */
export function toTagsCondition(tagged: readonly Tagged[], leftAlone: LeftAlone, faults: Faults): Condition {
  const { refusals, unset } = faults;
  const lacking = tagged.filter(({ reason }) => reason.is !== "Owned").toSorted((a, b) => rank(a) - rank(b));
  const shared = tagged.filter(({ reason }) => reason.is === "Owned" && reason.others.length > 0);
  const reason = findTagsReason(tagged, lacking, faults);
  const sentences = [
    ...summarize(tagged, leftAlone),
    ...refusals.map(explainRefusal),
    ...sentencesForSome(
      [...lacking, ...shared],
      MAX_NAMES,
      (tag) => `${tag.subject.resource}: ${explainTagReason(tag)}`,
    ),
    ...unset.map((field) => `${field} is not set, so its tag is left out`),
  ];
  return {
    type: TYPE,
    status: toTagsStatus(reason, tagged),
    reason,
    message: sentences.join("; "),
    target: "CompositeAndClaim",
  };
}

/** Ranks a resource: first what is left to do, then what another XR owns. */
const rank = (tagged: Tagged): number => Number(isSettled(tagged)) + Number(isOurs(tagged));

function findTagsReason(
  tagged: readonly Tagged[],
  lacking: readonly Tagged[],
  { refusals, unset }: Faults,
): TagsOwnedReason {
  const [first] = lacking;
  if (refusals.length > 0) return "InvalidTags";
  if (first !== undefined && !isSettled(first)) return first.reason.is;
  if (unset.length > 0) return "FieldNotSet";
  return first?.reason.is ?? (tagged.length > 0 ? "Owned" : "NothingToTag");
}

const SETTLED: ReadonlySet<string> = new Set(["Owned", "ObservedOnly", "ExistedBefore", "NothingToTag"]);

function toTagsStatus(reason: TagsOwnedReason, tagged: readonly Tagged[]): Condition["status"] {
  if (SETTLED.has(reason) && tagged.every(isSettled)) return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}

/** Counts: `3 tagged, 1 owned without tags (BucketPolicy), 1 not tagged, 2 without tags (AccessKey, Release), 1 ignored (cache)`. */
function summarize(tagged: readonly Tagged[], { untagged, excluded }: LeftAlone): readonly string[] {
  const owned = tagged.filter((one) => isOurs(one) || one.isWritten);
  const tagless = owned.flatMap(({ subject }) => (subject.tagField === undefined ? [subject.kind.kind] : []));
  const observed = tagged.filter(({ reason }) => reason.is === "ObservedOnly").length;
  const rest = tagged.length - owned.length - observed;
  const parts = [
    `${owned.length - tagless.length} tagged`,
    ...(tagless.length > 0 ? [`${tagless.length} owned without tags (${listKinds(tagless)})`] : []),
    ...(observed > 0 ? [`${observed} only observed`] : []),
    ...(rest > 0 ? [`${rest} not tagged`] : []),
    ...(untagged.length > 0 ? [`${untagged.length} without tags (${listKinds(untagged)})`] : []),
    ...(excluded.length > 0 ? [`${excluded.length} ignored (${listFirst(excluded)})`] : []),
  ];
  return [parts.join(", ")];
}

const listKinds = (kinds: readonly string[]): string => listFirst([...new Set(kinds)].sort());

const listFirst = (names: readonly string[]): string =>
  names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(", ")}, …` : names.join(", ");

export const explainRefusal = ({ resource, path, message }: Refusal): string => `${resource}: ${path}: ${message}`;

/** The state of one resource's tags; the names are the reasons of condition TagsOwned. */
export type TagReason =
  /** `others` observe it. */
  | { readonly is: "Owned"; readonly others: readonly Contender[] }
  | { readonly is: "WaitingForRequiredResources" }
  | { readonly is: "WaitingForReferences" }
  /** `owner`: the owner of what our provider has not found yet, if another XR is. */
  | { readonly is: "WaitingForProvider"; readonly owner?: Contender }
  /** `isObserved`: the provider does not report who else writes it, so this XR does not. */
  | { readonly is: "ExistedBefore"; readonly isObserved: boolean }
  | { readonly is: "Arbitrating" | "BeingDeleted" | "FieldNotSet" }
  | { readonly is: "ObservedOnly" | "Withheld" | "CannotObserve" | "Conflict"; readonly owner: Contender }
  | { readonly is: "WaitingForOwner"; readonly owner: Contender; readonly isNext: boolean }
  | { readonly is: "OwnedByAnotherCluster"; readonly cluster: string };

/** Our managed resource, for sentences about it. */
type Own = Pick<Subject, "kind" | "observed">;

/** Explains a reason: who owns the cloud resource, since when, and how to move ownership here. */
function explainTagReason(tagged: Tagged): string {
  const { reason, subject: own } = tagged;
  switch (reason.is) {
    case "Owned":
      return `shared with ${listFirst(reason.others.map(({ owner, name }) => brief(owner || name)))}`;
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up other managed resources for the same ${own.kind.kind}`;
    case "ExistedBefore":
      return explainExisting(reason, own);
    case "WaitingForProvider":
      return explainUnseen(tagged, reason.owner);
    case "WaitingForReferences":
      return `only observed until its provider has resolved the references that tell which ${own.kind.kind} it is${explainSynced(own)}`;
    case "BeingDeleted":
      return "its managed resource is being deleted";
    case "FieldNotSet":
      return "unchanged until owner.cluster, the name of this control plane, is set";
    case "Arbitrating":
      return `${explainState(tagged)} until the next reconcile shows that no other XR owns it`;
    case "ObservedOnly":
      return `${ownership(reason.owner, own)}, so this XR only observes it; ${explainTakeOver(own)}`;
    case "Withheld":
      return `${ownership(reason.owner, own)}, so this XR does not create it`;
    case "Conflict":
      return `cannot go on: ${ownership(reason.owner, own)}, and onConflict is Fail; ${explainTakeOver(own)}`;
    case "CannotObserve":
      return `${ownership(reason.owner, own)}; a ${own.kind.kind} has no managementPolicies, so this XR repeats the owner's tags and does not delete the cloud resource when it is deleted`;
    case "WaitingForOwner":
      return explainWaiting(reason, own);
    case "OwnedByAnotherCluster":
      return `control plane ${brief(reason.cluster)} owns it according to its tags, so this XR only observes it; that control plane may delete it, since it does not know this XR; ${explainTakeOver(own)}`;
  }
}

/** One that existed before this step keeps its tags and its policies, except Delete. */
const explainState = ({ isWritten }: Tagged): string =>
  isWritten ? "managed and tagged as before, without Delete," : "only observed";

function explainUnseen(tagged: Tagged, owner: Contender | undefined): string {
  const { subject: own } = tagged;
  if (owner === undefined) return `${explainState(tagged)} until its provider has looked for it${explainSynced(own)}`;
  const found = `and the provider of this XR has not found it yet${explainSynced(own)}`;
  return `${ownership(owner, own)}, ${found}; ${explainTakeOver(own)}`;
}

function explainWaiting({ owner, isNext }: Extract<TagReason, { is: "WaitingForOwner" }>, own: Own): string {
  if (!isNext) return `${ownership(owner, own)}, and has not listed this XR as a successor yet`;
  return owner.isDeleting
    ? `waiting until ${describeContender(owner, own)} and the cloud resource are deleted`
    : `waiting for ${describeContender(owner, own)} to stop writing it; if that XR is paused, unpause it, or pause its ${own.kind.kind} as well`;
}

function explainExisting({ isObserved }: Extract<TagReason, { is: "ExistedBefore" }>, own: Own): string {
  if (!isObserved) return `existed before this XR, so it is not deleted with it; ${allowDelete(own)}`;
  const unknown = "its provider does not report who else writes it";
  return `existed before this XR, and ${unknown}, so this XR only observes it; ${explainTakeOver(own)}; ${allowDelete(own)}`;
}

const ownership = (owner: Contender, own: Own): string => `${describeContender(owner, own)} owns it`;

function describeContender({ owner, name, createdAt }: Contender, { kind }: Own): string {
  const since = createdAt === "" ? "" : ` of ${createdAt}`;
  return `${owner === "" ? "another managed resource" : brief(owner)} (${kind.kind} ${brief(name)}${since})`;
}

/** Quotes the provider's reason why it could not look. */
function explainSynced({ observed }: Own): string {
  const message = observed && shownCondition(observed, "Synced")?.message;
  return message ? ` (it says: ${briefError(message)})` : "";
}

const allowDelete = (own: Own): string =>
  `to delete it with this XR: ${annotate(own.kind, own.observed)} ${ALLOW_DELETE}=true`;

const explainTakeOver = (own: Own): string =>
  `to move ownership here: ${annotate(own.kind, own.observed)} --overwrite ${TAKE_OWNERSHIP}="$(date -u +%FT%TZ)"`;
