import { ALL_ACTIONS, mayDelete, OBSERVE, withoutDelete } from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, EXTERNAL_NAME_KEY, readAnnotation } from "../../crossplane/metadata.ts";
import { shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
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
import { holdBackAfterMove, type Part, readFormerCreation } from "./move.ts";
import type { Rivals } from "./rivals.ts";
import type { Subject } from "./subject.ts";
import type { TagReason } from "./tags-condition.ts";
import type { WantedTags } from "./wanted.ts";

export interface Settlement extends Part {
  readonly reason: TagReason;
}

/** The verdict on the owner, or "unresolved" while a reference hides the cloud resource. */
type Verdict = OwnershipVerdict | { readonly is: "unresolved" };

type Ours = Extract<Verdict, { is: "ours" }>;
type Theirs = Extract<Verdict, { is: "theirs" }>;

/** Our managed resource, as the rules below read it. */
interface Case {
  readonly subject: Subject;
  readonly own: Contender | undefined;
  /** True if ours can observe only. */
  readonly canObserve: boolean;
  readonly wanted: WantedTags;
  readonly join: Rivals["join"];
  readonly lost: Rivals["lost"];
  /** The part that holds ours back until its provider has read which cloud resource ours now declares; undefined once it has. */
  readonly move: Part | undefined;
  /** True for an association without an external name: the provider makes it up, and finds nothing without it. */
  readonly isUnnamed: boolean;
}

/** Decides the policies, annotations, external name and reason that follow from a verdict for our managed resource. */
export function settle(
  verdict: Verdict,
  subject: Subject,
  wanted: WantedTags,
  { contenders, join, hasMoved, lost }: Pick<Rivals, "contenders" | "join" | "hasMoved" | "lost">,
): Settlement {
  const { own, hasManagementPolicies: canObserve } = subject.ownership();
  const { facts, desired } = subject;
  const move = verdict.is === "deleting" ? undefined : holdBackAfterMove(own, hasMoved);
  const owner = verdict.is === "theirs" ? verdict.owner : undefined;
  const isNameless = facts.name.is === "association" && stringAt(desired, EXTERNAL_NAME) === undefined;
  const name =
    isNameless && verdict.is !== "unresolved"
      ? findAssociationName(contenders?.all ?? [], own, owner, move !== undefined)
      : undefined;
  const isUnnamed = isNameless && name === undefined && (own && stringAt(own.document, EXTERNAL_NAME)) === undefined;
  const one: Case = { subject, own, canObserve, wanted, join, lost, move, isUnnamed };
  const part = choosePart(verdict, one);
  // The creation of the former cloud resource does not count as the creation of this one.
  const before = own && readFormerCreation(own, move !== undefined);
  const annotations = { [CREATED_BEFORE]: before, ...part.annotations, [EXTERNAL_NAME_KEY]: name };
  return { ...part, annotations, reason: chooseReason(verdict, one) };
}

function choosePart(verdict: Verdict, one: Case): Part {
  const { own, move } = one;
  if (verdict.is === "deleting") return keepDeletable(asBefore(own));
  if (verdict.is === "theirs") return observeOwner(verdict, one);
  if (verdict.is === "elsewhere") return move ?? OBSERVING;
  if (move !== undefined) return { ...move, ready: "False" }; // whatever is known of the new cloud resource
  if (verdict.is === "unresolved") return { ...OBSERVING, ready: "False" };
  if (verdict.is === "pending") return asBefore(own);
  if (verdict.is === "existed") return { ...OBSERVING, ready: "True" };
  return verdict.is === "ours" ? write(verdict, one) : begin(own);
}

function chooseReason(verdict: Verdict, one: Case): TagReason {
  const { wanted, join, move } = one;
  const isHeldBack = move !== undefined;
  // Not known yet: a later call or reconcile may decide otherwise.
  if (verdict.is === "unresolved") return { is: "WaitingForReferences" };
  if (wanted.isUnset) return { is: "FieldNotSet" };
  if (verdict.is === "pending") return { is: "WaitingForRequiredResources" };
  if (join.is === "untold") return { is: "AccountUnknown", owner: join.other, isCreating: join.isCreating };
  if (verdict.is === "deleting") return { is: "BeingDeleted" };
  if (verdict.is === "elsewhere") return { is: "OwnedByAnotherCluster", cluster: verdict.cluster };
  if (verdict.is === "theirs") return chooseReasonBehind(verdict, one);
  // No other owner: ours waits, or may not delete the cloud resource.
  if (isHeldBack || verdict.is === "unobserved") return { is: "WaitingForProvider" };
  if (verdict.is === "free") return { is: "Arbitrating" };
  if (verdict.is === "missing") return { is: "NotFound" };
  if (verdict.is === "existed") return { is: "ExistedBefore" };
  const [rival] = one.lost;
  if (rival !== undefined) return { is: "WrittenByAnother", owner: rival };
  return isKeptFromDeletion(verdict, one) ? { is: "ExistedBefore/kept" } : { is: "Owned", others: verdict.others };
}

/** Chooses the reason where another contender owns the cloud resource. */
function chooseReasonBehind({ owner, isAcknowledged, isNext }: Theirs, { own, canObserve, wanted }: Case): TagReason {
  const { onConflict } = wanted.rules;
  const mustStop = onConflict === "Fail" && !isNext && !own?.isWriting; // a Fatal result would leave ours writing
  const isLeftOut = own === undefined && (onConflict === "Withhold" || !canObserve); // Crossplane would delete ours if it existed
  const hasFound = own?.observation === "present";
  const mustBeListed = hasFound && !isAcknowledged;
  if (mustStop) return { is: "Conflict", owner };
  if (isLeftOut) return { is: "Withheld", owner };
  if (!canObserve) return { is: "CannotObserve", owner };
  if (isNext || mustBeListed) return { is: "WaitingForOwner", owner, isNext };
  return { is: hasFound ? "ObservedOnly" : "WaitingForProvider", owner };
}

const OBSERVING: Part = { policies: OBSERVE, annotations: {} };

/** Keeps the policies and annotations of an earlier reconcile. */
function asBefore(own: Contender | undefined): Part {
  if (own === undefined) return OBSERVING;
  const policies = own.policies ?? (own.mayDelete ? ALL_ACTIONS : withoutDelete(ALL_ACTIONS));
  const keep = (key: string) => ({ [key]: readAnnotation(own.document, key) });
  return { policies, annotations: { ...keep(TAGS_OWNER), ...keep(CONTENDERS), ...keep(ORIGIN) } };
}

/** Replaces empty policies of a managed resource that is being deleted: they are a pause, in which nothing is ever deleted. */
const keepDeletable = (before: Part): Part =>
  before.policies.length === 0 ? { ...before, policies: OBSERVE } : before;

/**
 * Begins as an observer. A managed resource that existed before this step was in its Composition continues to write, so that it loses
 * no tag, but without Delete until the other contenders are known. An owner goes on as before.
 */
function begin(own: Contender | undefined): Part {
  const before = asBefore(own);
  if (own?.isMarked) return before;
  const isNew = own === undefined || own.identity !== undefined;
  return isNew
    ? { ...before, policies: OBSERVE, ready: "False" }
    : { ...before, policies: withoutDelete(before.policies) };
}

/** Writes as the owner, which lists its successors and, with onRelease: HandOver, leaves the cloud resource to them. */
function write(verdict: Ours, one: Case): Part {
  const { others, origin } = verdict;
  const { wanted, subject, join, lost } = one;
  const isShared = others.length > 0 || lost.length > 0 || (join.is === "alone" && join.isFollowed);
  const isLeft = isShared && wanted.rules.onRelease === "HandOver";
  return {
    policies: isLeft || !mayGoWithOurs(verdict, one) ? withoutDelete(subject.asked) : subject.asked,
    annotations: {
      [ORIGIN]: origin === "created" ? "Created" : undefined, // successors learn it from their owner
      [TAGS_OWNER]: contenderId(wanted.owner, subject.resource),
      [CONTENDERS]: formatAcknowledged([...others, ...lost]) || undefined,
    },
  };
}

/**
 * Tells whether the cloud resource may be deleted with ours: a contender created it, an operator or `preexisting` allows its deletion, or
 * ours cannot observe. Also an association that has no name and is not found: the provider can delete only an association that it has
 * created itself, and an association that is left behind without a name cannot be found again.
 */
const mayGoWithOurs = ({ origin }: Ours, { own, canObserve, wanted, isUnnamed }: Case): boolean =>
  origin === "created" ||
  own?.isDeletionAllowed === true ||
  (isUnnamed && own?.observation !== "present") ||
  wanted.rules.preexisting === "Delete" ||
  !canObserve;

const isKeptFromDeletion = (verdict: Ours, one: Case): boolean =>
  verdict.origin === "existed" && !mayGoWithOurs(verdict, one) && mayDelete(one.subject.desired, one.subject.asked);

/** Observes the cloud resource of another owner, also while ours is held back. */
function observeOwner({ owner, isAcknowledged, isNext }: Theirs, { subject, own, move }: Case): Part {
  // `Created` is taken over from the owner before our provider has looked, since the owner may be gone by then.
  const isCreated = !move && (own?.isCreated === true || (owner.isCreated && own?.observation !== "absent"));
  // The first of several new contenders is noted only once it is the owner: each change of ours reconciles all XRs that watch ours.
  const isOwner = !isNext && (owner.isMarked || own?.knowsOwner === true);
  const isReady = own?.observation === "present" && !move && shownCondition(owner.document, "Ready")?.status === "True";
  const ready = isReady ? "True" : undefined;
  return {
    policies: move?.policies ?? OBSERVE,
    annotations: {
      // The name is taken over before our provider has reported the tag, since the owner may be gone by then.
      ...(!subject.tags?.cloud().has(CLUSTER_TAG) && { [CLUSTER]: readAnnotation(owner.document, CLUSTER) }),
      [ORIGIN]: isCreated ? "Created" : undefined,
      [TAGS_OWNER]: isOwner ? owner.id : undefined,
      ...move?.annotations,
    },
    ready: isAcknowledged && !owner.isDeleting ? ready : "False",
  };
}
