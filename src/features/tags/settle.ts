import { readCreationTime } from "../../crossplane/managed-resource.ts";
import {
  ALL_ACTIONS,
  isSameSet,
  mayDelete,
  OBSERVE,
  type Policies,
  readPolicies,
  withoutDelete,
} from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, EXTERNAL_NAME_KEY, readAnnotation } from "../../crossplane/metadata.ts";
import type { Tags } from "../../input/tags.ts";
import { shownCondition } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import type { Ready } from "../../model/request.ts";
import { CONTENDERS, CREATED_BEFORE, ORIGIN, TAGS_OWNER } from "../../ownership/annotations.ts";
import { type Contender, formatAcknowledged, isNamed } from "../../ownership/contender.ts";
import { type Contenders, findNamed, firstOther } from "../../ownership/contenders.ts";
import type { OwnershipVerdict } from "../../ownership/verdict.ts";
import type { TagReason } from "./condition.ts";
import { type Annotations, findMove, type Move } from "./move.ts";
import type { Subject } from "./subject.ts";

/** The desired state of one managed resource as a contender, and the reason. */
export interface Settlement {
  readonly reason: TagReason;
  /** The provider's actions. A kind without management policies has all of them but Delete, which it lacks if these do. */
  readonly policies: Policies;
  readonly annotations: Annotations;
  /**
   * "False" if the XR must not depend on the cloud resource yet, because it may be deleted before the owner lists the XR as a successor.
   * "True" if an observer counts as ready: some providers never set Ready on an observer (provider-aws v0.50.0). Else as before.
   */
  readonly ready?: Ready | undefined;
}

/** The verdict on an owner, or that a reference still hides which cloud resource there is to judge. */
type Verdict = OwnershipVerdict | { readonly is: "unresolved" };
type Ours = Extract<Verdict, { is: "ours" }>;
type Theirs = Extract<Verdict, { is: "theirs" }>;

/** Our managed resource, and the cloud resource that it declares. */
interface Entrant {
  readonly subject: Subject;
  readonly own: Contender | undefined;
  readonly contenders: Contenders | undefined;
  /** Our id among the contenders, formatted by `contenderId`. */
  readonly id: string;
  /** True if the observed resource declares another cloud resource. */
  readonly hasMoved: boolean;
  readonly rules: Tags["owner"];
}

/** Acts on a verdict. While an answer is pending, nothing changes, unless ours now declares another cloud resource. */
export function settle(verdict: Verdict, entrant: Entrant): Settlement {
  const { own, hasMoved } = entrant;
  const move = verdict.is === "deleting" ? undefined : findMove(own, hasMoved);
  const acted = move === undefined ? actOn(verdict, entrant) : holdBack(move, verdict, entrant);
  const isKept = move === undefined && own?.policies !== undefined && isSameSet(acted.policies, own.policies);
  return {
    ...acted,
    policies: isKept ? own.policies : acted.policies,
    annotations: { ...acted.annotations, [EXTERNAL_NAME_KEY]: nameAssociation(verdict, entrant, move) },
  };
}

/**
 * Names an association for its provider, which makes up the name. Without the name a provider finds nothing, and fails to create what
 * exists.
 */
function nameAssociation(
  verdict: Verdict,
  { subject: { desired, facts }, own, contenders }: Entrant,
  move: Move | undefined,
): string | undefined {
  if (facts.name.is !== "association" || verdict.is === "unresolved") return undefined;
  if (stringAt(desired, EXTERNAL_NAME) !== undefined) return undefined;
  const other = contenders && firstOther(findNamed(contenders), own?.uid ?? "");
  const known = chooseNamed(verdict.is === "theirs" ? verdict.owner : undefined, move ? undefined : own, other);
  return known && stringAt(known.document, EXTERNAL_NAME);
}

/** Chooses one that has found the association, first an owner that created it, then ours; else the owner, ours or another one. */
function chooseNamed(owner?: Contender, ours?: Contender, other?: Contender): Contender | undefined {
  const creator = owner && readCreationTime(owner.document) !== undefined ? owner : undefined;
  const isFound = (one: Contender | undefined): boolean => one?.observation === "present" && isNamed(one);
  return [creator, ours, owner, other].find(isFound) ?? [owner, ours, other].find((one) => one && isNamed(one));
}

/** Settles a managed resource whose provider has not read yet which cloud resource it declares. */
function holdBack(move: Move, verdict: Verdict, entrant: Entrant): Settlement {
  if (verdict.is === "theirs" || verdict.is === "elsewhere") {
    const lost = actOn(verdict, { ...entrant, hasMoved: true });
    return { ...lost, policies: move.policies, annotations: { ...lost.annotations, ...move.annotations } };
  }
  if (verdict.is === "unresolved") return { ...move, ready: "False", reason: { is: "WaitingForReferences" } };
  const reason: TagReason = { is: verdict.is === "pending" ? "WaitingForRequiredResources" : "WaitingForProvider" };
  return { ...move, ready: "False", reason };
}

function actOn(verdict: Verdict, entrant: Entrant): Settlement {
  const { own } = entrant;
  switch (verdict.is) {
    case "unresolved":
      return { ...observing(own), ready: "False", reason: { is: "WaitingForReferences" } };
    case "pending":
      return { ...asBefore(own), reason: { is: "WaitingForRequiredResources" } };
    case "deleting":
      return leave(own);
    case "free":
      return { ...asNewcomer(own), reason: { is: "Arbitrating" } };
    case "unobserved":
      return { ...asNewcomer(own), reason: { is: "WaitingForProvider" } };
    case "existed":
      return { ...observing(own), ready: "True", reason: { is: "ExistedBefore", isObserved: true } };
    case "ours":
      return asOwner(verdict, entrant);
    case "theirs":
      return yieldTo(verdict, entrant);
    case "elsewhere":
      return { ...observing(own), reason: { is: "OwnedByAnotherCluster", cluster: verdict.cluster } };
  }
}

type Unexplained = Omit<Settlement, "reason">;

/** Only observes, and keeps the record of the creation of the former cloud resource: it does not count as the creation of this one. */
const observing = (own: Contender | undefined): Unexplained => ({
  policies: OBSERVE,
  annotations: pick(own, CREATED_BEFORE),
});

/** Keeps the policies and annotations that we wrote before. */
function asBefore(own: Contender | undefined): Unexplained {
  if (own === undefined) return observing(own);
  const policies = own.policies ?? (own.isDeletingWithIt ? ALL_ACTIONS : withoutDelete(ALL_ACTIONS));
  return { policies, annotations: pick(own, TAGS_OWNER, CONTENDERS, ORIGIN, CREATED_BEFORE) };
}

/** Keeps the policies of a managed resource that is being deleted, unless they pause it: a paused one is never deleted. */
function leave(own: Contender | undefined): Settlement {
  const { policies, annotations } = asBefore(own);
  return { policies: policies.length === 0 ? OBSERVE : policies, annotations, reason: { is: "BeingDeleted" } };
}

/**
 * Starts a new managed resource as an observer. One that is older than this step in its Composition continues to write, so that it
 * loses no tag, but without Delete until the other contenders are known.
 */
function asNewcomer(own: Contender | undefined): Unexplained {
  if (own === undefined || (own.identity !== undefined && !own.isMarked)) return { ...observing(own), ready: "False" };
  const before = asBefore(own);
  return own.isMarked ? before : { ...before, policies: withoutDelete(before.policies) };
}

/** Picks annotations of ours that are to stay. */
const pick = (own: Contender | undefined, ...keys: readonly string[]): Annotations =>
  Object.fromEntries(keys.map((key) => [key, own && readAnnotation(own.document, key)]));

/** Records whether a contender created the cloud resource: successors learn it from their owner. */
const noteOrigin = (own: Contender | undefined, isCreated: boolean): Annotations => ({
  ...pick(own, CREATED_BEFORE),
  [ORIGIN]: isCreated ? "Created" : undefined,
});

/**
 * Tells whether the owner of an association has no name for it and has found none: its provider can delete only what it creates.
 * Deleted without Delete meanwhile, it would leave what nobody could find.
 */
const isUnnamed = ({ subject: { desired, facts }, own, contenders = [] }: Entrant): boolean =>
  facts.name.is === "association" &&
  stringAt(desired, EXTERNAL_NAME) === undefined &&
  own?.observation !== "present" &&
  !(own && isNamed(own)) &&
  findNamed(contenders).length === 0;

function asOwner({ others, origin }: Ours, entrant: Entrant): Settlement {
  const { id, own, subject, rules } = entrant;
  const { desired, hasManagementPolicies } = subject;
  const asked = readPolicies(desired) ?? ALL_ACTIONS;
  const isLeft = others.length > 0 && rules.onRelease === "HandOver";
  const mayGo = origin === "created" || rules.preexisting === "Delete" || !hasManagementPolicies || isUnnamed(entrant);
  const isKept = origin === "existed" && !mayGo && mayDelete(desired);
  return {
    reason: isKept ? { is: "ExistedBefore", isObserved: false } : { is: "Owned", others },
    policies: isLeft || !mayGo ? withoutDelete(asked) : asked,
    annotations: {
      ...noteOrigin(own, origin === "created"),
      [TAGS_OWNER]: id,
      [CONTENDERS]: formatAcknowledged(others) || undefined,
    },
  };
}

function yieldTo(verdict: Theirs, entrant: Entrant): Settlement {
  const { own, subject, rules } = entrant;
  const { owner, isNext } = verdict;
  const lost = asObserver(verdict, entrant);
  // A Fatal result would freeze a writer as one, and one that is paused by its policies could never be deleted.
  if (rules.onConflict === "Fail" && !isNext && own?.isWriting !== true && own?.policies?.length !== 0)
    return { ...lost, reason: { is: "Conflict", owner } };
  // A resource that exists is never left out: Crossplane would delete it.
  if (own === undefined && (rules.onConflict === "Withhold" || !subject.hasManagementPolicies)) {
    return { ...lost, reason: { is: "Withheld", owner } };
  }
  return subject.hasManagementPolicies ? lost : { ...lost, reason: { is: "CannotObserve", owner } };
}

function asObserver(verdict: Theirs, { own, hasMoved }: Entrant): Settlement {
  const { owner, isAcknowledged, isNext } = verdict;
  const hasFound = own?.observation === "present";
  const isCreated = (owner.isCreated && hasFound) || (own?.isCreated === true && !hasMoved);
  // The first of newcomers is no owner yet, and each record is one more event for all that watch.
  const isOwner = !isNext && (owner.isMarked || own?.knowsOwner === true);
  const isReady = hasFound && !hasMoved && shownCondition(owner.document, "Ready")?.status === "True";
  const ready = isReady ? "True" : undefined;
  return {
    reason: toObserverReason(verdict, hasFound),
    policies: OBSERVE,
    annotations: { ...noteOrigin(own, isCreated), [TAGS_OWNER]: isOwner ? owner.id : undefined },
    ready: isAcknowledged && !owner.isDeleting ? ready : "False",
  };
}

/** An observer counts on what its provider has found. */
function toObserverReason({ owner, isAcknowledged, isNext }: Theirs, hasFound: boolean): TagReason {
  if (isNext || (hasFound && !isAcknowledged)) return { is: "WaitingForOwner", owner, isNext };
  return { is: hasFound ? "ObservedOnly" : "WaitingForProvider", owner };
}
