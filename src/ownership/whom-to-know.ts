import { CONTENDS_LABEL, IDENTITY_LABEL, WRITES_LABEL } from "./annotations.ts";
import { byPrecedence, type Contender } from "./contender.ts";
import { type Contenders, findInTheWay, findLiving, firstOther } from "./contenders.ts";
import { type Candidate, isInPlace, isKnown, type isSame, readByItself } from "./identity.ts";

/** Tells whether our provider has created and named the cloud resource, and ours owns it or was never arbitrated. */
export const isCreatorOf = (candidate: Candidate): candidate is Candidate & { readonly own: Contender } =>
  candidate.isMadeUp && (candidate.own?.isMarked === true || candidate.own?.identity === undefined);

/** Chooses the label by which our resource finds the contenders that it has to know. @param before the first, found earlier. */
export function toLabel(before: Contender | undefined, candidate: Candidate): string {
  const { own } = candidate;
  if (before === undefined && mayBePromoted(candidate)) return IDENTITY_LABEL;
  return own !== undefined && (own.isMarked || before?.uid === own.uid) ? CONTENDS_LABEL : WRITES_LABEL;
}

/**
 * Tells whether to look for the same cloud resource behind other ProviderConfigs: our account is not known, and our resource may become
 * the owner, or is one. Of two that an asynchronous provider creates at once the runtime reports two creations, and the cloud has one.
 */
export function looks(candidate: Candidate): boolean {
  const { own, declared, identity, isImported } = candidate;
  if (declared.account === "") return false;
  if (mayBePromoted(candidate)) return true;
  const isOwner = isCreatorOf(candidate) || (own?.isMarked === true && own.identity === identity);
  // Who created what ours imports has no label before it learns of ours.
  const mayFollow = !declared.isAccountKnown || (isImported && !own?.isCreated);
  return isOwner && own?.observation === "present" && mayFollow;
}

/** Tells whether our resource may become the owner now. If it can observe, its provider has to look for the cloud resource first. */
const mayBePromoted = ({ own, identity, hasManagementPolicies }: Candidate): boolean =>
  own === undefined
    ? !hasManagementPolicies
    : !own.isMarked && own.identity === identity && (own.isWriting || own.observation !== "unknown");

/** Finds the first contender, which may be ours; undefined if the whole list is needed. An owner replaces the first found earlier. */
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

/** Tells whether our resource is the first, and is about to create the cloud resource. */
const isElected = (first: Contender, listed: Contenders, { own }: Candidate): boolean =>
  first.uid === own?.uid &&
  !own.isMarked &&
  own.observation === "absent" &&
  firstOther(findInTheWay(listed), own.uid) === undefined;

/** Tells whether a contender is ahead of ours. Without our identity label, as right after a rename, only an owner is. */
export const precedes = (one: Contender, { own, identity }: Candidate): boolean =>
  one.uid !== own?.uid &&
  (one.isMarked || own?.identity === identity) &&
  (own === undefined || byPrecedence(one, own) < 0);

/**
 * Tells whether a managed resource declares the candidate's cloud resource, by its fields: its label may be forged, or be left from another
 * cloud resource.
 *
 * @param compare `hasSameName` for the resource that the cloud's tags name: places may differ where they do not distinguish, such as the
 * region of a DNS zone.
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
