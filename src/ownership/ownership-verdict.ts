import type { Observation } from "../crossplane/managed-resource.ts";
import { decideBy, when } from "../model/rules.ts";
import { byPrecedence, type Contender, isAcknowledgedBy } from "./contender.ts";
import {
  areInvolved,
  type Contenders,
  type Found,
  findCreated,
  findInTheWay,
  findLiving,
  firstOther,
  isInvolved,
  isOrphan,
} from "./contenders.ts";
import type { Candidate } from "./identity.ts";

/** Our managed resource, and the contenders for its cloud resource. */
export interface Situation extends Pick<Candidate, "own" | "hasManagementPolicies"> {
  /** True if the pipeline gives it a name that only the cloud can make up. */
  readonly isImported: boolean;
  /** The contenders; undefined while the answer is pending. */
  readonly contenders: Found | undefined;
  /** The control plane in the cloud's tags, unless it is this one under its present or an earlier name. */
  readonly otherCluster: string | undefined;
  /** True if the provider reports the cloud resource's tags, which show who else writes it. */
  readonly reportsTags: boolean;
  /** True if the provider of another managed resource may be creating the same cloud resource. */
  readonly mayBeCreated: boolean;
}

/**
 * The origin of a cloud resource; `unknown` if ours is about to create it, or its kind cannot observe before it writes. A cloud resource
 * is deleted with its last contender only if one of them created it.
 */
type Origin = "created" | "existed" | "unknown";

/** The verdict on the managed resource that may write a cloud resource and its tags. */
export type OwnershipVerdict =
  | { readonly is: "pending" }
  /** Our managed resource is being deleted. */
  | { readonly is: "deleting" }
  /** No owner is known, and ours is not in the answer yet. */
  | { readonly is: "free" }
  /** Ours has precedence, but its provider has not looked for the cloud resource, or another one may be creating it. */
  | { readonly is: "unobserved" }
  /** The pipeline imports a cloud resource that does not exist: its provider would create another one. */
  | { readonly is: "missing" }
  /** The cloud resource existed before, and no contender ever wrote it. Others may, unknown to us, so ours only observes it. */
  | { readonly is: "existed" }
  | {
      readonly is: "ours";
      /** The contenders that succeed it. */
      readonly others: readonly Contender[];
      readonly origin: Origin;
    }
  | {
      readonly is: "theirs";
      readonly owner: Contender;
      /** True if the owner lists ours as a successor; until then the cloud resource may be deleted with its owner. */
      readonly isAcknowledged: boolean;
      /** True if ours becomes the owner as soon as this one has stopped writing. */
      readonly isNext: boolean;
    }
  /** Another control plane owns it. */
  | { readonly is: "elsewhere"; readonly cluster: string };

/**
 * Decides which contender owns a cloud resource. "The answer" is Crossplane's list of the managed resources with its identity label.
 *
 * - The owner is the contender that an operator chose, else the one promoted before, else the oldest (creationTimestamp, then UID).
 *   Incumbency precedes age, so neither a restore nor a skewed clock moves ownership. A contender that is being deleted cannot own.
 * - A contender is promoted only if it is in the answer: a list is a snapshot, so it includes all that had the label earlier. Two
 *   that are promoted at once see each other in the next reconcile, and precedence leaves one.
 * - A contender is promoted only after its provider has looked for the cloud resource: then it is known whether that existed before.
 *   A cloud resource that no contender created is not deleted with them.
 * - What the pipeline imports by an id, and the cloud does not have, is not created: it would have another id.
 * - If the provider does not report who writes the cloud resource, an existing one that no contender ever wrote is only observed
 *   until an operator chooses its owner: an XR without this step may write it.
 * - No contender is promoted while another still writes, or is being deleted together with the cloud resource.
 * - Contenders in other control planes are in no answer; only the cloud's tags show them.
 */
export const judgeOwnership = (situation: Situation): OwnershipVerdict => judge(toCase(situation));

/** The rules for our managed resource. The first that fits decides; if none does, ours owns the cloud resource. */
const judge = decideBy<Case, OwnershipVerdict>(
  () => [
    when(isBeingDeleted, () => ({ is: "deleting" })), // also before the answer is known
    when(isAnswerPending, () => ({ is: "pending" })),
    when(isOwnedByAnotherControlPlane, ({ cluster }) => ({ is: "elsewhere", cluster })),
    when(isUnlistedAndAnotherOwnsIt, toFirst),
    when(isUnlistedAndCanWait, () => ({ is: "free" })),
    when(isUnlistedBehindAnother, ({ first, all, own }) => toTheirs(first ?? all[0], own, false)), // it cannot observe
    when(existedAndNoContenderWroteIt, () => ({ is: "existed" })),
    when(isBehindAnother, toFirst),
    when(hasToWaitForAnother, ({ obstacle, own }) => toTheirs(obstacle, own, true)),
    when(isNotLookedForYet, () => ({ is: "unobserved" })),
    when(isImportedAndMissing, () => ({ is: "missing" })),
    when(isPerhapsCreatedByAnother, () => ({ is: "unobserved" })),
  ],
  toOurs,
);

/** A situation, as the rules read it. */
interface Case extends Situation {
  /** All contenders; empty while the answer is pending. */
  readonly all: Contenders;
  /** Our managed resource in the answer, which may be older or newer than the observed one. */
  readonly listed: Contender | undefined;
  /** True if ours is marked as the owner, both as observed and in the answer. */
  readonly isPromoted: boolean;
  /** The first other contender that may own, by precedence. */
  readonly first: Contender | undefined;
  /** The first other contender that blocks the promotion of ours. */
  readonly obstacle: Contender | undefined;
  /** The control plane that owns the cloud resource according to its tags; undefined if an operator chose our managed resource. */
  readonly cluster: string | undefined;
}

const NONE: Found = { all: [], listed: undefined }; // one for all, since what is computed from a list is remembered

function toCase(situation: Situation): Case {
  const { own, contenders: { all, listed } = NONE, otherCluster } = situation;
  const isPromoted = own?.isMarked === true && listed?.isMarked === true;
  return {
    ...situation,
    all,
    listed,
    isPromoted,
    first: firstOther(findLiving(all), own?.uid),
    obstacle: own === undefined || isPromoted ? undefined : findObstacle(all, own),
    cluster: own?.takeOwnership ? undefined : otherCluster,
  };
}

/** Finds the contender that blocks our promotion. An orphan, which no XR will stop, does not block ours if an operator chose ours. */
const findObstacle = (all: Contenders, { takeOwnership, uid }: Contender): Contender | undefined =>
  findInTheWay(all).find((one) => one.uid !== uid && (takeOwnership === "" || !isOrphan(one)));

const isBeingDeleted = ({ own, listed, cluster }: Case): boolean =>
  cluster === undefined && (own?.isDeleting === true || listed?.isDeleting === true);

const isAnswerPending = ({ contenders }: Case): boolean => contenders === undefined;

const isOwnedByAnotherControlPlane = (one: Case): one is Case & { readonly cluster: string } =>
  one.cluster !== undefined;

type Behind = Case & { readonly first: Contender };

/** Tells whether another one was promoted, and the answer lacks ours: it is not created, not labelled, or newer than the answer. */
const isUnlistedAndAnotherOwnsIt = (one: Case): one is Behind =>
  one.listed === undefined && one.first?.isMarked === true && one.first.id !== one.own?.id;

const isUnlistedAndCanWait = ({ own, listed, hasManagementPolicies }: Case): boolean =>
  listed === undefined && (own !== undefined || hasManagementPolicies);

const isUnlistedBehindAnother = (one: Case): one is Case & { readonly all: readonly [Contender, ...Contender[]] } =>
  one.listed === undefined && one.all.length > 0;

/** Tells whether our provider found a cloud resource in which no contender is involved, and does not report who else writes it. */
const existedAndNoContenderWroteIt = ({ own, all, hasManagementPolicies, reportsTags }: Case): boolean =>
  hasManagementPolicies && !reportsTags && own?.observation === "present" && !isInvolved(own) && !areInvolved(all);

/** Tells whether another one precedes ours. Ours counts as the owner only if the answer marks it as the owner, too. */
function isBehindAnother(one: Case): one is Behind {
  const { own, first, isPromoted } = one;
  if (own === undefined || first === undefined) return false;
  const { takeOwnership, createdAt, uid } = own;
  return byPrecedence(first, { takeOwnership, isMarked: isPromoted, createdAt, uid }) < 0;
}

const hasToWaitForAnother = (one: Case): one is Case & { readonly obstacle: Contender } => one.obstacle !== undefined;

const isNotLookedForYet = (one: Case): boolean => hasFoundAtFirst("unknown", one);

const isImportedAndMissing = (one: Case): boolean => one.isImported && hasFoundAtFirst("absent", one);

/** Tells whether ours neither owns nor writes yet, and its provider has made this observation. */
const hasFoundAtFirst = (observation: Observation, { own, isPromoted, hasManagementPolicies }: Case): boolean =>
  hasManagementPolicies && !isPromoted && own?.isWriting === false && own.observation === observation;

const isPerhapsCreatedByAnother = ({ mayBeCreated }: Case): boolean => mayBeCreated;

const toFirst = ({ first, own }: Behind): OwnershipVerdict => toTheirs(first, own, false);

const toTheirs = (owner: Contender, own: Contender | undefined, isNext: boolean): OwnershipVerdict => ({
  is: "theirs",
  owner,
  isAcknowledged: own !== undefined && isAcknowledgedBy(owner, own),
  isNext,
});

function toOurs(one: Case): OwnershipVerdict {
  const { all, own } = one;
  const isSuccessor = ({ uid, contends }: Contender): boolean => uid !== own?.uid && contends !== undefined;
  return { is: "ours", others: findLiving(all).filter(isSuccessor), origin: judgeOrigin(one) };
}

function judgeOrigin({ own, all, hasManagementPolicies }: Case): Origin {
  if (own?.isCreated || firstOther(findCreated(all), own?.uid) !== undefined) return "created";
  return hasManagementPolicies && own?.observation === "present" ? "existed" : "unknown";
}
