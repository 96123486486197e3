import { ALL_ACTIONS, mayDelete, OBSERVE, withoutDelete } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, EXTERNAL_NAME_KEY, readAnnotation } from "../../crossplane/metadata.ts";
import { shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { decideBy, when } from "../../model/rules.ts";
import {
  CLUSTER,
  CLUSTER_TAG,
  CONTENDERS,
  CREATED_BEFORE,
  contenderId,
  ORIGIN,
  TAGS_OWNER,
} from "../../ownership/annotations.ts";
import { type Contender, formatAcknowledged } from "../../ownership/contender.ts";
import { findAssociationName } from "../../ownership/contenders.ts";
import type { OwnershipVerdict } from "../../ownership/ownership-verdict.ts";
import { type Annotations, holdBackAfterMove, type Part, readFormerCreation } from "./move.ts";
import type { Rivals } from "./rivals.ts";
import type { Subject } from "./subject.ts";
import type { TagReason } from "./tags-condition.ts";
import type { WantedTags } from "./wanted.ts";

export interface Settlement extends Part {
  readonly reason: TagReason;
}

/** The verdict on the owner, or "unresolved" while a reference hides the cloud resource. */
type Verdict = OwnershipVerdict | { readonly is: "unresolved" };

/** Our managed resource and the verdict on its owner, as the rules below read them. */
interface Case<Judged extends Verdict = Verdict> {
  readonly verdict: Judged;
  readonly subject: Subject;
  readonly wanted: WantedTags;
  readonly join: Rivals["join"];
  /** The part that holds ours back until its provider has read which cloud resource ours now declares; undefined once it has. */
  readonly move: Part | undefined;
  /** The external name of an association: the provider makes it up, and finds nothing without it. */
  readonly name: string | undefined;
}

type Ours = Case<Extract<Verdict, { is: "ours" }>>;
type Theirs = Case<Extract<Verdict, { is: "theirs" }>>;

/** Decides the policies, annotations, external name and reason that follow from a verdict for our managed resource. */
export function settle(
  verdict: Verdict,
  subject: Subject,
  wanted: WantedTags,
  { contenders, join, hasMoved }: Pick<Rivals, "contenders" | "join" | "hasMoved">,
): Settlement {
  const { own, facts, desired } = subject;
  const move = verdict.is === "deleting" ? undefined : holdBackAfterMove(own, hasMoved);
  const owner = verdict.is === "theirs" ? verdict.owner : undefined;
  const isNameless = facts.name.is === "association" && stringAt(desired, EXTERNAL_NAME) === undefined;
  const name =
    isNameless && verdict.is !== "unresolved"
      ? findAssociationName(contenders?.all ?? [], own, owner, move !== undefined)
      : undefined;
  const one: Case = { verdict, subject, wanted, join, move, name };
  const part = choosePart(one);
  // The creation of the former cloud resource does not count as the creation of this one.
  const before = own && readFormerCreation(own);
  const annotations = { [CREATED_BEFORE]: before, ...part.annotations, [EXTERNAL_NAME_KEY]: name };
  return { ...part, annotations, reason: chooseReason(one) };
}

/** Chooses policies, annotations and readiness. The first rule that fits decides; else `begin` does. */
const choosePart = decideBy<Case, Part>(
  () => [
    when(is("deleting"), leave),
    when(isTheirs, observeOwner),
    when(is("elsewhere"), ({ move }) => move ?? OBSERVING),
    when(isHeldBack, ({ move }) => ({ ...move, ready: "False" })), // whatever is known of the new cloud resource
    when(is("unresolved"), () => ({ ...OBSERVING, ready: "False" })),
    when(is("pending"), ({ subject }) => asBefore(subject.own)),
    when(is("existed"), () => ({ ...OBSERVING, ready: "True" })),
    when(isOurs, write),
  ],
  begin,
);

/** Chooses the reason for the condition. The first rule that fits decides; else ours owns the cloud resource. */
const chooseReason = decideBy<Case, TagReason>(
  () => [
    // Not known yet: a later call or reconcile may decide otherwise.
    when(is("unresolved"), () => ({ is: "WaitingForReferences" })),
    when(isInputUnset, () => ({ is: "FieldNotSet" })),
    when(is("pending"), () => ({ is: "WaitingForRequiredResources" })),
    when(isAccountUntold, ({ join: { other: owner, isCreating } }) => ({ is: "AccountUnknown", owner, isCreating })),
    // Another one owns the cloud resource: from conflicts to settled ownership.
    when(is("deleting"), () => ({ is: "BeingDeleted" })),
    when(is("elsewhere"), ({ verdict: { cluster } }) => ({ is: "OwnedByAnotherCluster", cluster })),
    when(isTheirsAndMustNotBe, withOwner("Conflict")),
    when(isTheirsAndNotComposed, withOwner("Withheld")),
    when(isTheirsAndCannotObserve, withOwner("CannotObserve")),
    when(isTheirsUntilLeft, ({ verdict: { owner, isNext } }) => ({ is: "WaitingForOwner", owner, isNext })),
    when(isTheirsAndFound, withOwner("ObservedOnly")),
    when(isTheirs, withOwner("WaitingForProvider")),
    // No other owner: ours waits, or may not delete the cloud resource.
    when(isHeldBack, () => ({ is: "WaitingForProvider" })),
    when(is("free"), () => ({ is: "Arbitrating" })),
    when(is("unobserved"), () => ({ is: "WaitingForProvider" })),
    when(is("missing"), () => ({ is: "NotFound" })),
    when(is("existed"), () => ({ is: "ExistedBefore" })),
    when(isKeptFromDeletion, () => ({ is: "ExistedBefore/kept" })),
  ],
  ({ verdict }) => ({ is: "Owned", others: verdict.is === "ours" ? verdict.others : [] }),
);

/** Makes a predicate for this verdict. */
function is<Is extends Verdict["is"]>(verdict: Is) {
  return (one: Case): one is Case<Extract<Verdict, { is: Is }>> => one.verdict.is === verdict;
}

const [isOurs, isTheirs] = [is("ours"), is("theirs")];

const isHeldBack = (one: Case): one is Case & { readonly move: Part } => one.move !== undefined;

const isInputUnset = ({ wanted }: Case): boolean => wanted.isUnset;

type Untold = Case & { readonly join: Extract<Case["join"], { is: "untold" }> };

const isAccountUntold = (one: Case): one is Untold => one.join.is === "untold";

/** Tells whether `onConflict: Fail` stops the XR. Not while our managed resource still writes: a Fatal result would leave it writing. */
const isTheirsAndMustNotBe = (one: Case): one is Theirs =>
  isTheirs(one) && one.wanted.rules.onConflict === "Fail" && !one.verdict.isNext && !one.subject.own?.isWriting;

/** Tells whether the XR does not compose ours. Only before ours exists: Crossplane would delete an existing one that is left out. */
const isTheirsAndNotComposed = (one: Case): one is Theirs =>
  isTheirs(one) && one.subject.own === undefined && (one.wanted.rules.onConflict === "Withhold" || !canObserve(one));

const isTheirsAndCannotObserve = (one: Case): one is Theirs => isTheirs(one) && !canObserve(one);

/** Tells whether ours waits for the owner to stop writing or, once ours has found the cloud resource, to list ours as a successor. */
const isTheirsUntilLeft = (one: Case): one is Theirs =>
  isTheirs(one) && (one.verdict.isNext || (hasFound(one) && !one.verdict.isAcknowledged));

const isTheirsAndFound = (one: Case): one is Theirs => isTheirs(one) && hasFound(one);

const canObserve = ({ subject }: Case): boolean => subject.hasManagementPolicies;

const hasFound = ({ subject }: Case): boolean => subject.own?.observation === "present";

/** Makes a rule's second part: the reason, with the owner from the verdict. */
const withOwner =
  (reason: "Conflict" | "Withheld" | "CannotObserve" | "ObservedOnly" | "WaitingForProvider") =>
  ({ verdict: { owner } }: Theirs): TagReason => ({ is: reason, owner });

const OBSERVING: Part = { policies: OBSERVE, annotations: {} };

/** Keeps the policies and annotations of an earlier reconcile. */
function asBefore(own: Contender | undefined): Part {
  if (own === undefined) return OBSERVING;
  const policies = own.policies ?? (own.isDeletingWithIt ? ALL_ACTIONS : withoutDelete(ALL_ACTIONS));
  const keep = (key: string) => ({ [key]: readAnnotation(own.document, key) });
  return { policies, annotations: { ...keep(TAGS_OWNER), ...keep(CONTENDERS), ...keep(ORIGIN) } };
}

/**
 * Keeps the policies of a managed resource that is being deleted, unless they are empty: that is a pause, and a paused one is never
 * deleted.
 */
function leave({ subject: { own } }: Case): Part {
  const { policies, annotations } = asBefore(own);
  return { policies: policies.length === 0 ? OBSERVE : policies, annotations };
}

/**
 * Begins as an observer. A managed resource that existed before this step was in its Composition continues to write, so that it loses
 * no tag, but without Delete until the other contenders are known.
 */
function begin({ subject: { own } }: Case): Part {
  const before = asBefore(own);
  if (own?.isMarked) return before;
  const isNew = own === undefined || own.identity !== undefined;
  return isNew
    ? { ...before, policies: OBSERVE, ready: "False" }
    : { ...before, policies: withoutDelete(before.policies) };
}

/** Records whether a contender created the cloud resource: successors learn it from their owner. */
const noteOrigin = (isCreated: boolean): Annotations => ({ [ORIGIN]: isCreated ? "Created" : undefined });

/** Writes as the owner, which lists its successors and leaves the cloud resource to them. */
function write(one: Ours): Part {
  const { verdict, wanted, subject, join } = one;
  const { others, origin } = verdict;
  const isShared = others.length > 0 || (join.is === "alone" && join.isFollowed);
  const isLeft = isShared && wanted.rules.onRelease === "HandOver";
  return {
    policies: isLeft || !mayGoWithOurs(one) ? withoutDelete(subject.asked) : subject.asked,
    annotations: {
      ...noteOrigin(origin === "created"),
      [TAGS_OWNER]: contenderId(wanted.owner, subject.resource),
      [CONTENDERS]: formatAcknowledged(others) || undefined,
    },
  };
}

/** Tells whether the cloud resource may be deleted with ours: one of ours created it, somebody allows that, or ours cannot observe. */
function mayGoWithOurs(one: Ours): boolean {
  const isCreated = one.verdict.origin === "created" || isUnnamed(one);
  return (
    isCreated ||
    one.subject.own?.isDeletionAllowed === true ||
    one.wanted.rules.preexisting === "Delete" ||
    !canObserve(one)
  );
}

const isKeptFromDeletion = (one: Case): one is Ours =>
  isOurs(one) &&
  one.verdict.origin === "existed" &&
  !mayGoWithOurs(one) &&
  mayDelete(one.subject.desired, one.subject.asked);

/**
 * Tells whether an association has no name and is not found. Ours then keeps Delete: the provider can delete only an association that it
 * has created itself, and one that is left behind without a name cannot be found again.
 */
const isUnnamed = ({ subject: { desired, facts, own }, name }: Case): boolean =>
  facts.name.is === "association" &&
  (name ?? stringAt(desired, EXTERNAL_NAME)) === undefined &&
  own?.observation !== "present";

/** Observes the cloud resource of another owner, also while ours is held back. */
function observeOwner(one: Theirs): Part {
  const {
    verdict,
    subject: { own, tags },
    move,
  } = one;
  const { owner, isAcknowledged, isNext } = verdict;
  // `Created` is taken over from the owner before our provider has looked, since the owner may be gone by then.
  const isCreated = !move && (own?.isCreated === true || (owner.isCreated && own?.observation !== "absent"));
  // The first of several new contenders is not noted before it is the owner: each change of ours reconciles all XRs that watch ours.
  const isOwner = !isNext && (owner.isMarked || own?.knowsOwner === true);
  const isReady = hasFound(one) && !move && shownCondition(owner.document, "Ready")?.status === "True";
  const ready = isReady ? "True" : undefined;
  return {
    policies: move?.policies ?? OBSERVE,
    annotations: {
      // The name is taken over before our provider has reported the tag, since the owner may be gone by then.
      ...(!tags?.cloud().has(CLUSTER_TAG) && { [CLUSTER]: readAnnotation(owner.document, CLUSTER) }),
      ...noteOrigin(isCreated),
      [TAGS_OWNER]: isOwner ? owner.id : undefined,
      ...move?.annotations,
    },
    ready: isAcknowledged && !owner.isDeleting ? ready : "False",
  };
}
