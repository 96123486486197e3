import { type Condition, sentencesForSome } from "../../model/condition.ts";
import type { TagFault } from "./limits.ts";
import { explain, type Own, type TagReason } from "./reasons.ts";
import type { LeftAlone } from "./subject.ts";

const TYPE = "TagsOwned";

/** The largest number of resources that a message names. */
const MAX_NAMES = 3;

/** One resource, and the state of its tags. */
export interface Tagged {
  readonly resource: string;
  readonly own: Own;
  readonly reason: TagReason;
  /** False for a kind without tags, whose ownership is settled all the same. */
  readonly hasTags: boolean;
}

/** A tag that its cloud would refuse, the field where it would be written, and the cause. */
export interface Refusal extends TagFault {
  readonly resource: string;
  readonly path: string;
}

/** Faults of the input's values. */
export interface Faults {
  readonly refusals: readonly Refusal[];
  /** Fields of the XR or the environment that are not set. */
  readonly unset: readonly string[];
  /** Fields with more globs, or longer ones, than are tried. */
  readonly excessive: readonly string[];
}

/** Reasons that belong to no resource. */
const OTHER_REASONS = ["InvalidTags", "FieldNotSet", "TooManyGlobs", "NothingToTag"] as const;

type TagsOwnedReason = TagReason["is"] | (typeof OTHER_REASONS)[number];

/** Tells whether the resource's tags are this XR's. */
const isFine = ({ reason }: Tagged): boolean =>
  reason.is === "Owned" || (reason.is === "ExistedBefore" && !reason.isObserved);

/**
 * One condition for all resources: its reason is that of the first resource that is not owned; its message counts what was
 * tagged and what was left alone, and names the others. Four reasons belong to no resource: InvalidTags, with which some are
 * held, FieldNotSet and TooManyGlobs, for entries that are left out, and NothingToTag.
 */
export function toCondition(tagged: readonly Tagged[], leftAlone: LeftAlone, faults: Faults): Condition {
  const { refusals, unset, excessive } = faults;
  const lacking = tagged
    .filter(({ reason }) => reason.is !== "Owned")
    .toSorted((a, b) => Number(isFine(a)) - Number(isFine(b)));
  const reason = findReason(tagged, lacking, faults);
  const sentences = [
    ...summarize(tagged, leftAlone),
    ...refusals.map(explainRefusal),
    ...sentencesForSome(lacking, MAX_NAMES, (tag) => `${tag.resource}: ${explain(tag.reason, tag.own)}`),
    ...unset.map((field) => `${field} is not set, so its tag is left out`),
    ...excessive.map((field) => `${field} holds too many globs, or too long ones, so none of them counts`),
  ];
  return {
    type: TYPE,
    status: toStatus(reason, tagged),
    reason,
    message: sentences.join("; "),
    target: "CompositeAndClaim",
  };
}

function findReason(
  tagged: readonly Tagged[],
  lacking: readonly Tagged[],
  { refusals, unset, excessive }: Faults,
): TagsOwnedReason {
  const [first] = lacking;
  if (refusals.length > 0) return "InvalidTags";
  if (first !== undefined && !isFine(first)) return first.reason.is;
  if (unset.length > 0) return "FieldNotSet";
  if (excessive.length > 0) return "TooManyGlobs";
  return first?.reason.is ?? (tagged.length > 0 ? "Owned" : "NothingToTag");
}

function toStatus(reason: TagsOwnedReason, tagged: readonly Tagged[]): Condition["status"] {
  if (["Owned", "ExistedBefore", "NothingToTag"].includes(reason) && tagged.every(isFine)) return "True";
  return reason === "WaitingForRequiredResources" ? "Unknown" : "False";
}

/** `3 tagged, 1 owned without tags (BucketPolicy), 1 not tagged, 2 without tags (AccessKey, Release), 1 ignored (cache)`. */
function summarize(tagged: readonly Tagged[], { untagged, excluded }: LeftAlone): readonly string[] {
  const owned = tagged.filter(isFine);
  const tagless = owned.filter(({ hasTags }) => !hasTags).map(({ own }) => own.kind.kind);
  const rest = tagged.length - owned.length;
  const parts = [
    `${owned.length - tagless.length} tagged`,
    ...(tagless.length > 0 ? [`${tagless.length} owned without tags (${listKinds(tagless)})`] : []),
    ...(rest > 0 ? [`${rest} not tagged`] : []),
    ...(untagged.length > 0 ? [`${untagged.length} without tags (${listKinds(untagged)})`] : []),
    ...(excluded.length > 0 ? [`${excluded.length} ignored (${list(excluded)})`] : []),
  ];
  return [parts.join(", ")];
}

const listKinds = (kinds: readonly string[]): string => list([...new Set(kinds)].sort());

const list = (names: readonly string[]): string =>
  names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(", ")}, …` : names.join(", ");

export const explainRefusal = ({ resource, path, message }: Refusal): string => `${resource}: ${path}: ${message}`;
