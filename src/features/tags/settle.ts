import {
  ALL_ACTIONS,
  isSameSet,
  mayDelete,
  mayWrite,
  OBSERVE,
  type Policies,
  readPolicies,
  withoutDelete,
} from "../../crossplane/management-policies.ts";
import { EXTERNAL_NAME, EXTERNAL_NAME_KEY, readAnnotation } from "../../crossplane/metadata.ts";
import type { Tags } from "../../input/tags.ts";
import { shownCondition } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { CONTENDERS, CREATED_BEFORE, ORIGIN, TAGS_OWNER } from "../../ownership/annotations.ts";
import { type Contender, formatAcknowledged, isNamed } from "../../ownership/contender.ts";
import type { Contenders } from "../../ownership/contenders.ts";
import type { OwnershipVerdict } from "../../ownership/verdict.ts";
import type { TagReason } from "./condition.ts";
import { type Annotation, findMove, type Move } from "./move.ts";
import type { Subject } from "./subject.ts";

/** The desired state of one managed resource as a contender, and the reason. */
export interface Settlement {
  readonly reason: TagReason;
  /** "leave": not desired, for resources that were never created. */
  readonly is: "leave" | "keep";
  /** Undefined for a kind without management policies. */
  readonly policies: Policies | undefined;
  /** True if a resource without management policies must not delete the cloud resource when it is deleted. */
  readonly isOrphaned: boolean;
  /** True if our tags are set. */
  readonly isTagged: boolean;
  /** The owner whose tags are repeated, if its cloud resource is written by a kind that cannot observe only. */
  readonly repeats: Contender | undefined;
  readonly annotations: readonly Annotation[];
  /** False if the XR must not depend on the cloud resource yet. */
  readonly isSettled: boolean;
  /** True if an observer counts as ready: some providers never set Ready on an observer (provider-aws v0.50.0). */
  readonly isReady: boolean;
}

type OwnerRules = Tags["owner"];
type Ours = Extract<OwnershipVerdict, { is: "ours" }>;
type Theirs = Extract<OwnershipVerdict, { is: "theirs" }>;

/** A settlement's fields unless it says otherwise: the managed resource stays, and only observes. */
const DEFAULTS: Omit<Settlement, "reason"> = {
  is: "keep",
  policies: OBSERVE,
  isOrphaned: false,
  isTagged: false,
  repeats: undefined,
  annotations: [],
  isSettled: true,
  isReady: false,
};

/** Our managed resource, and the cloud resource that it declares. */
export interface Entrant {
  readonly subject: Subject;
  readonly own: Contender | undefined;
  readonly contenders: Contenders | undefined;
  /** Our id among the contenders, formatted by `contenderId`. */
  readonly id: string;
  /** True if the observed resource declares another cloud resource. */
  readonly hasMoved: boolean;
}

/** Acts on a verdict. While an answer is pending, nothing changes, unless ours now declares another cloud resource. */
export function settle(verdict: OwnershipVerdict, entrant: Entrant, rules: OwnerRules): Settlement {
  const { own, hasMoved } = entrant;
  const move = verdict.is === "deleting" ? undefined : findMove(own, hasMoved);
  const acted = move === undefined ? actOn(verdict, entrant, rules) : holdBack(move, verdict, entrant, rules);
  const settlement = { ...acted, annotations: [...acted.annotations, ...nameAssociation(verdict, entrant, move)] };
  const { policies } = settlement;
  const isKept = policies !== undefined && own?.policies !== undefined && isSameSet(policies, own.policies);
  return move === undefined && isKept ? { ...settlement, policies: own.policies } : settlement;
}

/**
 * Names an association for its provider, which makes up the name: as one has recorded it that has found the association, ours first,
 * else as the owner's, ours or another one has. Without the name a provider finds nothing, and fails to create what exists.
 */
function nameAssociation(
  verdict: OwnershipVerdict,
  { subject: { desired, facts }, own, contenders }: Entrant,
  move: Move | undefined,
): readonly Annotation[] {
  if (facts.name.is !== "association" || stringAt(desired, EXTERNAL_NAME) !== undefined) return [];
  const owner = verdict.is === "theirs" && "owner" in verdict ? verdict.owner : undefined;
  const ours = move === undefined ? own : undefined;
  const other = contenders?.named.find(({ uid }) => uid !== own?.uid);
  const isFound = (one: Contender | undefined): boolean => one?.observation === "present" && isNamed(one);
  const known = [ours, owner, other].find(isFound) ?? [owner, ours, other].find((one) => one && isNamed(one));
  return known === undefined ? [] : [[EXTERNAL_NAME_KEY, stringAt(known.document, EXTERNAL_NAME) ?? ""]];
}

/** Settles a managed resource whose provider has not read yet which cloud resource it declares. */
function holdBack(
  { policies, annotations }: Move,
  verdict: OwnershipVerdict,
  entrant: Entrant,
  rules: OwnerRules,
): Settlement {
  if (verdict.is === "theirs") {
    const lost = yieldTo(verdict, { ...entrant, hasMoved: true }, rules);
    const marks = [...annotations, ...lost.annotations.filter(([key]) => key !== CREATED_BEFORE)];
    return { ...lost, policies: lost.policies && policies, annotations: marks, isReady: false };
  }
  const reason: TagReason = { is: verdict.is === "pending" ? "WaitingForRequiredResources" : "WaitingForProvider" };
  return { ...DEFAULTS, policies, isOrphaned: policies === undefined, annotations, isSettled: false, reason };
}

/** Settles a managed resource that does not tell yet which cloud resource it declares. */
export function awaitReferences({ subject, own, hasMoved }: Pick<Entrant, "subject" | "own" | "hasMoved">): Settlement {
  const { policies, annotations } = findMove(own, hasMoved) ?? {
    policies: OBSERVE,
    annotations: rememberCreation(own),
  };
  const { hasManagementPolicies } = subject;
  return {
    ...DEFAULTS,
    policies: hasManagementPolicies ? policies : undefined,
    isOrphaned: !hasManagementPolicies,
    annotations,
    isSettled: false,
    reason: { is: "WaitingForReferences" },
  };
}

function actOn(verdict: OwnershipVerdict, entrant: Entrant, rules: OwnerRules): Settlement {
  switch (verdict.is) {
    case "pending":
      return { ...asBefore(entrant), reason: { is: "WaitingForRequiredResources" } };
    case "deleting":
      return leave(entrant);
    case "free":
      return { ...asNewcomer(entrant), reason: { is: "Arbitrating" } };
    case "unobserved":
      return { ...asNewcomer(entrant), reason: { is: "WaitingForProvider" } };
    case "existed":
      return asBystander(entrant);
    case "ours":
      return asOwner(verdict, entrant, rules);
    case "theirs":
      return yieldTo(verdict, entrant, rules);
  }
}

/** Keeps the policies and annotations that we wrote before. */
function asBefore({ own, subject }: Entrant): Omit<Settlement, "reason"> {
  if (own === undefined) return { ...DEFAULTS, policies: subject.hasManagementPolicies ? OBSERVE : undefined };
  const { policies } = own;
  return {
    ...DEFAULTS,
    policies,
    isOrphaned: policies === undefined && !own.isDeletingWithIt,
    isTagged: mayWrite(policies ?? ALL_ACTIONS),
    annotations: pickAnnotations(own, [TAGS_OWNER, CONTENDERS, ORIGIN, CREATED_BEFORE]),
  };
}

/** Keeps the policies of a managed resource that is being deleted, unless they pause it: a paused one is never deleted. */
function leave(entrant: Entrant): Settlement {
  const { policies, ...before } = asBefore(entrant);
  return { ...before, policies: policies?.length === 0 ? OBSERVE : policies, reason: { is: "BeingDeleted" } };
}

/**
 * Starts a new managed resource as an observer. One that is older than this step in its Composition continues to write, so that it
 * loses no tag, but without Delete until the other contenders are known.
 */
function asNewcomer(entrant: Entrant): Omit<Settlement, "reason"> {
  const { own } = entrant;
  const before = asBefore(entrant);
  if (own?.isMarked === true) return before;
  if (own === undefined || own.identity !== undefined) {
    return {
      ...DEFAULTS,
      policies: before.policies && OBSERVE,
      annotations: rememberCreation(own),
      isSettled: false,
    };
  }
  const policies = isUnnamed(entrant) ? before.policies : before.policies && withoutDelete(before.policies);
  return { ...before, policies, isOrphaned: !before.policies };
}

/** Observes a cloud resource that others may write. */
function asBystander(entrant: Entrant): Settlement {
  return {
    ...DEFAULTS,
    annotations: rememberCreation(entrant.own),
    reason: { is: "ExistedBefore", isObserved: true },
    isReady: true,
  };
}

/** Keeps the record of the creation of the former cloud resource, so that it does not count as the creation of this one. */
const rememberCreation = (own: Contender | undefined): readonly Annotation[] =>
  own === undefined ? [] : pickAnnotations(own, [CREATED_BEFORE]);

/** Records whether a contender created the cloud resource: successors learn it from their owner. */
const noteOrigin = ({ own }: Entrant, isCreated: boolean): readonly Annotation[] => [
  ...rememberCreation(own),
  ...(isCreated ? [[ORIGIN, "Created"] as const] : []),
];

const pickAnnotations = ({ document }: Contender, keys: readonly string[]): readonly Annotation[] =>
  keys.flatMap((key) => {
    const value = readAnnotation(document, key);
    return value === undefined ? [] : [[key, value] as const];
  });

function asOwner({ others, origin }: Ours, entrant: Entrant, { onRelease, preexisting }: OwnerRules): Settlement {
  const { id, subject } = entrant;
  const asked = readPolicies(subject.desired) ?? ALL_ACTIONS;
  const isLeft = others.length > 0 && onRelease === "HandOver";
  const mayGo =
    origin === "created" || preexisting === "Delete" || !subject.hasManagementPolicies || isUnnamed(entrant);
  const policies = isLeft || !mayGo ? withoutDelete(asked) : asked;
  return {
    ...DEFAULTS,
    reason:
      origin === "existed" && !mayGo && mayDelete(subject.desired)
        ? { is: "ExistedBefore", isObserved: false }
        : { is: "Owned", others },
    policies: subject.hasManagementPolicies ? policies : undefined,
    isOrphaned: isLeft && !subject.hasManagementPolicies,
    isTagged: true,
    annotations: [
      ...noteOrigin(entrant, origin === "created"),
      [TAGS_OWNER, id],
      ...(others.length > 0 ? [[CONTENDERS, formatAcknowledged(others)] as const] : []),
    ],
  };
}

/**
 * Tells whether an association has no name yet: its provider finds, and so deletes, only what it creates itself. Deleted while that
 * is under way, it would leave what nobody could find.
 */
const isUnnamed = ({ subject: { desired, facts }, own, contenders }: Entrant): boolean =>
  facts.name.is === "association" &&
  stringAt(desired, EXTERNAL_NAME) === undefined &&
  ![own, ...(contenders?.named ?? [])].some((one) => one !== undefined && isNamed(one));

function yieldTo(verdict: Theirs, entrant: Entrant, { onConflict }: OwnerRules): Settlement {
  if ("cluster" in verdict) {
    const annotations = rememberCreation(entrant.own);
    return { ...DEFAULTS, annotations, reason: { is: "OwnedByAnotherCluster", cluster: verdict.cluster } };
  }
  const { owner, isNext } = verdict;
  const { own, subject } = entrant;
  const lost = asObserver(verdict, entrant);
  // A Fatal result would freeze a writer as one, and one that is paused by its policies could never be deleted.
  if (onConflict === "Fail" && !isNext && own?.isWriting !== true && own?.policies?.length !== 0)
    return { ...lost, reason: { is: "Conflict", owner } };
  // A resource that exists is never left out: Crossplane would delete it.
  if (own === undefined && (onConflict === "Withhold" || !subject.hasManagementPolicies)) {
    return { ...lost, is: "leave", reason: { is: "Withheld", owner }, isSettled: false };
  }
  if (subject.hasManagementPolicies) return lost;
  return { ...lost, policies: undefined, isOrphaned: true, repeats: owner, reason: { is: "CannotObserve", owner } };
}

type KnownOwner = Extract<Theirs, { owner: Contender }>;

function asObserver({ owner, isAcknowledged, isNext }: KnownOwner, entrant: Entrant): Settlement {
  const { own, hasMoved } = entrant;
  const hasFound = own?.observation === "present";
  const isCreated = (owner.isCreated && hasFound) || (own?.isCreated === true && !hasMoved);
  const reason: TagReason =
    isNext || (hasFound && !isAcknowledged) ? { is: "WaitingForOwner", owner, isNext } : toObserverReason(owner, own);
  return {
    ...DEFAULTS,
    reason,
    annotations: [...noteOrigin(entrant, isCreated), ...noteOwner(entrant, owner, isNext)],
    isSettled: isAcknowledged && !owner.isDeleting,
    isReady: hasFound && isResourceReady(owner.document),
  };
}

/** Records the owner. The first of newcomers is none yet, and each record is one more event for all that watch. */
const noteOwner = ({ own }: Entrant, owner: Contender, isNext: boolean): readonly Annotation[] =>
  !isNext && (owner.isMarked || own?.knowsOwner === true) ? [[TAGS_OWNER, owner.id]] : [];

/** An observer counts on what its provider has found. */
const toObserverReason = (owner: Contender, own: Contender | undefined): TagReason =>
  own?.observation === "present" ? { is: "ObservedOnly", owner } : { is: "WaitingForProvider", owner };

const isResourceReady = (managed: Document): boolean => shownCondition(managed, "Ready")?.status === "True";
