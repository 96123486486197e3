import { annotate } from "../../crossplane/managed-resource.ts";
import { brief, briefError, type Condition, sentencesForSome, shownCondition } from "../../model/condition.ts";
import { ALLOW_DELETE, TAKE_OWNERSHIP } from "../../ownership/annotations.ts";
import type { Contender } from "../../ownership/contender.ts";
import type { Refusal } from "./limits.ts";
import type { Subject, Subjects } from "./subject.ts";

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

/** Tells whether nothing is left to do: this XR owns the resource, or observes what another XR owns. */
const isSettled = ({ reason }: Tagged): boolean => isOurs(reason) || reason.is === "ObservedOnly";

/** Tells whether this XR owns the resource's tags. */
export const isOurs = (reason: TagReason): boolean =>
  reason.is === "Owned" || (reason.is === "ExistedBefore" && !reason.isObserved);

/**
 * Makes one condition for all resources: its reason is that of the first resource that is not owned; its message counts the tagged and
 * the ignored resources and names the others. Three reasons concern no single resource: InvalidTags and FieldNotSet, for entries of the
 * input that are ignored, and NothingToTag.
 */
export function toTagsCondition(
  tagged: readonly Tagged[],
  found: Subjects,
  refusals: readonly Refusal[],
  unset: readonly string[],
): Condition {
  const lacking = tagged.filter(({ reason }) => reason.is !== "Owned").toSorted((a, b) => rank(a) - rank(b));
  const shared = tagged.filter(({ reason }) => reason.is === "Owned" && reason.others.length > 0);
  const sentences = [
    summarize(tagged, found),
    ...refusals.map(({ message }) => message),
    ...sentencesForSome([...lacking, ...shared], MAX_NAMES, (tag) => `${tag.subject.resource}: ${explain(tag)}`),
    ...unset.map((field) => `${field} is not set, so its tag is left out`),
  ];
  const state = toState(lacking[0] ?? tagged[0], refusals.length > 0, unset.length > 0);
  return { type: TYPE, ...state, message: sentences.join("; "), target: "CompositeAndClaim" };
}

/** Ranks a resource: first what is left to do, then what another XR owns. */
const rank = (tagged: Tagged): number => Number(isSettled(tagged)) + Number(isOurs(tagged.reason));

/** @param first the resource with the most left to do. */
function toState(
  first: Tagged | undefined,
  isRefused: boolean,
  isUnset: boolean,
): Pick<Condition, "status" | "reason"> {
  const left = first === undefined || isSettled(first) ? undefined : first.reason.is;
  if (left === "WaitingForRequiredResources" && !isRefused) return { status: "Unknown", reason: left };
  const reason = isRefused ? "InvalidTags" : (left ?? (isUnset ? "FieldNotSet" : undefined));
  if (reason !== undefined) return { status: "False", reason };
  return { status: "True", reason: first?.reason.is ?? "NothingToTag" };
}

/** Counts: `3 tagged, 1 owned without tags (BucketPolicy), 1 not tagged, 2 without tags (AccessKey, Release), 1 ignored (cache)`. */
function summarize(tagged: readonly Tagged[], { untagged, excluded }: Subjects): string {
  const owned = tagged.filter(({ reason, isWritten }) => isOurs(reason) || isWritten);
  const tagless = owned.flatMap(({ subject }) => (subject.tagField === undefined ? [subject.kind.kind] : []));
  const observed = tagged.filter(({ reason }) => reason.is === "ObservedOnly").length;
  const count = (number: number, what: string, names: readonly string[] = []): readonly string[] =>
    number === 0 ? [] : [`${number} ${what}${names.length === 0 ? "" : ` (${listFirst(names)})`}`];
  return [
    `${owned.length - tagless.length} tagged`,
    ...count(tagless.length, "owned without tags", toKinds(tagless)),
    ...count(observed, "only observed"),
    ...count(tagged.length - owned.length - observed, "not tagged"),
    ...count(untagged.length, "without tags", toKinds(untagged)),
    ...count(excluded.length, "ignored", excluded),
  ].join(", ");
}

const toKinds = (kinds: readonly string[]): readonly string[] => [...new Set(kinds)].sort();

const listFirst = (names: readonly string[]): string =>
  names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(", ")}, …` : names.join(", ");

/** The state of one resource's tags; the names are the reasons of condition TagsOwned. */
export type TagReason =
  /** `others` observe it. */
  | { readonly is: "Owned"; readonly others: readonly Contender[] }
  | { readonly is: "WaitingForRequiredResources" | "WaitingForReferences" | "WaitingForProvider" }
  /** `isObserved`: the provider does not report who else writes it, so this XR does not. */
  | { readonly is: "ExistedBefore"; readonly isObserved: boolean }
  | { readonly is: "Arbitrating" | "BeingDeleted" | "FieldNotSet" }
  | { readonly is: "OwnedByAnotherCluster"; readonly cluster: string }
  | Theirs;

/** Another XR owns it. */
type Theirs =
  | { readonly is: "ObservedOnly" | "Withheld" | "CannotObserve" | "Conflict"; readonly owner: Contender }
  /** Our provider has not found it yet. */
  | { readonly is: "WaitingForProvider"; readonly owner: Contender }
  | { readonly is: "WaitingForOwner"; readonly owner: Contender; readonly isNext: boolean };

/** Explains a reason: who owns the cloud resource, since when, and how to move ownership here. */
function explain({ reason, subject, isWritten }: Tagged): string {
  if ("owner" in reason) return explainTheirs(reason, subject);
  const { kind } = subject.kind;
  // One that existed before this step keeps its tags and its policies, except Delete.
  const state = isWritten ? "managed and tagged as before, without Delete," : "only observed";
  switch (reason.is) {
    case "Owned":
      return `shared with ${listFirst(reason.others.map(({ owner, name }) => brief(owner || name)))}`;
    case "WaitingForRequiredResources":
      return `waiting for Crossplane to look up other managed resources for the same ${kind}`;
    case "ExistedBefore":
      return reason.isObserved
        ? `existed before this XR, and its provider does not report who else writes it, so this XR only observes it; ${takeOver(subject)}; ${allowDelete(subject)}`
        : `existed before this XR, so it is not deleted with it; ${allowDelete(subject)}`;
    case "WaitingForProvider":
      return `${state} until its provider has looked for it${explainSynced(subject)}`;
    case "WaitingForReferences":
      return `only observed until its provider has resolved the references that tell which ${kind} it is${explainSynced(subject)}`;
    case "BeingDeleted":
      return "its managed resource is being deleted";
    case "FieldNotSet":
      return "unchanged until owner.cluster, the name of this control plane, is set";
    case "Arbitrating":
      return `${state} until the next reconcile shows that no other XR owns it`;
    case "OwnedByAnotherCluster":
      return `control plane ${brief(reason.cluster)} owns it according to its tags, so this XR only observes it; that control plane may delete it, since it does not know this XR; ${takeOver(subject)}`;
  }
}

function explainTheirs(reason: Theirs, subject: Subject): string {
  const { kind } = subject.kind;
  const owner = describe(reason.owner, kind);
  switch (reason.is) {
    case "ObservedOnly":
      return `${owner} owns it, so this XR only observes it; ${takeOver(subject)}`;
    case "WaitingForProvider":
      return `${owner} owns it, and the provider of this XR has not found it yet${explainSynced(subject)}; ${takeOver(subject)}`;
    case "Withheld":
      return `${owner} owns it, so this XR does not create it`;
    case "Conflict":
      return `cannot go on: ${owner} owns it, and onConflict is Fail; ${takeOver(subject)}`;
    case "CannotObserve":
      return `${owner} owns it; a ${kind} has no managementPolicies, so this XR repeats the owner's tags and does not delete the cloud resource when it is deleted`;
    case "WaitingForOwner":
      if (!reason.isNext) return `${owner} owns it, and has not listed this XR as a successor yet`;
      return reason.owner.isDeleting
        ? `waiting until ${owner} and the cloud resource are deleted`
        : `waiting for ${owner} to stop writing it; if that XR is paused, unpause it, or pause its ${kind} as well`;
  }
}

const takeOver = ({ kind, observed }: Subject): string =>
  `to move ownership here: ${annotate(kind, observed)} --overwrite ${TAKE_OWNERSHIP}="$(date -u +%FT%TZ)"`;

const allowDelete = ({ kind, observed }: Subject): string =>
  `to delete it with this XR: ${annotate(kind, observed)} ${ALLOW_DELETE}=true`;

function describe({ owner, name, createdAt }: Contender, kind: string): string {
  const since = createdAt === "" ? "" : ` of ${createdAt}`;
  return `${owner === "" ? "another managed resource" : brief(owner)} (${kind} ${brief(name)}${since})`;
}

/** Quotes the provider's reason why it could not look. */
function explainSynced({ observed }: Subject): string {
  const message = observed && shownCondition(observed, "Synced")?.message;
  return message ? ` (it says: ${briefError(message)})` : "";
}
