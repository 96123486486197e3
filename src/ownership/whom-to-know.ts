import { CONTENDS_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import { byPrecedence, type Contender } from "./contender.ts";
import { type Contenders, findInTheWay, findLiving, firstOther } from "./contenders.ts";
import { type Candidate, isInPlace, isKnown, type isSame, readByItself } from "./identity.ts";

/** Tells whether ours is the first owner of what its provider has created and named. */
export const isCreatorOf = (candidate: Candidate): candidate is Candidate & { readonly own: Contender } =>
  candidate.isMadeUp && (candidate.own?.isMarked === true || candidate.own?.identity === undefined);

/** Chooses the label of those that ours has to know, by what was found before. */
export function toLabel(before: Contender | undefined, candidate: Candidate): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate)) return IDENTITY_LABEL;
  return own !== undefined && (own.isMarked || before?.uid === own.uid) ? CONTENDS_LABEL : WRITES_LABEL;
}

/**
 * Tells whether ours has to look for the same cloud resource behind other ProviderConfigs: its account is not known, and it may become the
 * owner, or writes what it has not created.
 */
export function looks(candidate: Candidate): boolean {
  const { own, declared, identity, isImported } = candidate;
  if (declared.account === "") return false;
  if (mayBePromoted(candidate)) return true;
  const isOwner = own?.isMarked === true && own.identity === identity;
  // Who created what ours imports has no label before it learns of ours.
  return isOwner && (isImported || !declared.isAccountKnown) && own.observation === "present" && !own.isCreated;
}

/** Tells whether ours may become the owner now: the provider of one that can observe has to look for the cloud resource before. */
const mayBePromoted = ({ own, identity, hasManagementPolicies }: Candidate): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

/** Finds the first contender, ours included; undefined where the whole list is needed. An owner is before the one found before. */
export function judgeFirst(
  before: Contender | undefined,
  candidate: Candidate,
  listed: Contenders | undefined,
): Contender | undefined {
  const [first] = listed === undefined ? [] : findLiving(listed);
  if (listed === undefined || first === undefined) return before;
  if (precedes(first, candidate)) return before === undefined || first.isMarked ? first : before;
  return before ?? (isElected(first, listed, candidate) ? candidate.own : undefined);
}

/** Tells whether ours is to create the cloud resource. */
const isElected = (first: Contender, listed: Contenders, { own }: Candidate): boolean =>
  first.uid === own?.uid &&
  !own.isMarked &&
  own.observation === "absent" &&
  firstOther(findInTheWay(listed), own.uid) === undefined;

/** Tells whether another one is ahead of ours. While ours has no label with this identity, as right after a rename, only the owner is. */
export const precedes = (one: Contender, { own, identity }: Candidate): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/**
 * Tells by its own document whether a managed resource declares the candidate's cloud resource. Its label may be forged, or of the
 * cloud resource that it declared before. Of the one that the cloud's tags name, only the name is compared: the place contains fields
 * that do not distinguish cloud resources of every kind, such as the region of a DNS zone.
 */
export function declares(
  one: Contender,
  { own, observed, facts, declared, forms }: Candidate,
  compare: typeof isSame,
): boolean {
  const read = one === own ? observed : readByItself(one.document, facts);
  if (!isKnown(read)) return false;
  if (one === own) return isInPlace(declared, read);
  return forms.some((form) => compare(form.declared, read)) && (read.config === declared.config || hasLooked(one));
}

/**
 * Tells whether a managed resource of another ProviderConfig counts: its provider has looked for the cloud resource. A team may write a
 * ProviderConfig that leads nowhere, and would keep others from the name for ever.
 */
export const hasLooked = ({ isMarked, isWriting, observation }: Contender): boolean =>
  isMarked || isWriting || observation !== "unknown";
