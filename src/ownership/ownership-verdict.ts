import { byPrecedence, type Contender, isAcknowledgedBy } from "./contender.ts";
import {
  areInvolved,
  type Contenders,
  findCreated,
  findInTheWay,
  findLiving,
  firstOther,
  indexByUid,
  isInvolved,
  isOrphan,
} from "./contenders.ts";
import type { Candidate } from "./identity.ts";

/** One managed resource of ours, and the other contenders for its cloud resource. */
export interface Situation extends Pick<Candidate, "own" | "hasManagementPolicies"> {
  /** True if the pipeline gives it a name that only the cloud can make up. */
  readonly isImported: boolean;
  /** The contenders with the identity label, ours included once it has it; undefined while the answer is pending. */
  readonly contenders: Contenders | undefined;
  /** The control plane in the cloud's tags, unless it is this one under its present or an earlier name. */
  readonly otherCluster: string | undefined;
  /** False if the provider does not report who else writes the cloud resource. */
  readonly reportsTags: boolean;
}

/**
 * The origin of a cloud resource. `unknown`: ours is about to create it, or its kind cannot observe before it writes. A cloud resource
 * is deleted with its last contender only if one of them created it.
 */
type Origin = "created" | "existed" | "unknown";

/** The managed resource that may write a cloud resource and its tags. */
export type OwnershipVerdict =
  | { readonly is: "pending" }
  /** Our managed resource is being deleted: its policies stay. */
  | { readonly is: "deleting" }
  /** No owner is known, and ours is not in the answer yet: it starts as an observer. */
  | { readonly is: "free" }
  /** Ours has precedence, but its provider has not looked for the cloud resource yet. */
  | { readonly is: "unobserved" }
  /** No cloud resource has the name that only the cloud can make up: its provider would create another one. */
  | { readonly is: "missing" }
  /** The cloud resource existed before and no contender ever wrote it; others may: ours only observes. */
  | { readonly is: "existed" }
  | {
      readonly is: "ours";
      /** The successors: all that the owner has to know. */
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
 * Decides which contender owns a cloud resource.
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
export function judgeOwnership(situation: Situation): OwnershipVerdict {
  const { own, contenders, otherCluster, hasManagementPolicies } = situation;
  const cluster = own?.takeOwnership ? undefined : otherCluster;
  if (own?.isDeleting && cluster === undefined) return { is: "deleting" };
  if (contenders === undefined) return { is: "pending" };
  if (cluster !== undefined) return { is: "elsewhere", cluster };

  const listed = own && indexByUid(contenders).get(own.uid);
  return own === undefined || listed === undefined
    ? judgeUnlisted(findLiving(contenders)[0] ?? contenders[0], own, hasManagementPolicies)
    : judgeListed(own, listed, contenders, situation);
}

/** Judges ours by what was observed and by the answer, of which either may be older. */
function judgeListed(
  own: Contender,
  listed: Contender,
  contenders: Contenders,
  situation: Situation,
): OwnershipVerdict {
  if (listed.isDeleting) return { is: "deleting" };
  if (isOthers(own, contenders, situation)) return { is: "existed" };

  const { uid } = own;
  const { hasManagementPolicies: canObserve } = situation;
  const isMarked = own.isMarked && listed.isMarked;
  const living = findLiving(contenders);
  const first = firstOther(living, uid);
  if (first !== undefined && isAhead(first, own, isMarked)) return theirs(first, own, false);

  const obstacle = isMarked ? undefined : firstOther(findObstacles(contenders, own), uid);
  if (obstacle !== undefined) return theirs(obstacle, own, true);
  const before = isMarked ? undefined : judgeBeginning(own, situation);
  if (before !== undefined) return before;
  const others = living.filter((contender) => contender.uid !== uid && contender.contends !== undefined);
  return { is: "ours", others, origin: judgeOrigin(own, contenders, canObserve) };
}

/** Judges one that has never written, by what its provider has found. */
function judgeBeginning(
  own: Contender,
  { isImported, hasManagementPolicies }: Situation,
): OwnershipVerdict | undefined {
  if (own.isWriting || !hasManagementPolicies) return undefined;
  const { observation } = own;
  if (observation === "unknown") return { is: "unobserved" };
  return observation === "absent" && isImported ? { is: "missing" } : undefined;
}

/** Finds those for which ours has to wait. An operator's choice does not wait for an orphan, which would never stop. */
const findObstacles = (contenders: Contenders, { takeOwnership }: Contender): Contenders =>
  findInTheWay(contenders).filter((one) => takeOwnership === "" || !isOrphan(one));

const isAhead = (first: Contender, { takeOwnership, createdAt, uid }: Contender, isMarked: boolean): boolean =>
  byPrecedence(first, { takeOwnership, isMarked, createdAt, uid }) < 0;

/** Tells whether the cloud resource exists, no contender ever created, wrote or owned it, and nothing tells who else did. */
const isOthers = (own: Contender, contenders: Contenders, { hasManagementPolicies, reportsTags }: Situation): boolean =>
  hasManagementPolicies &&
  !reportsTags &&
  own.observation === "present" &&
  !isInvolved(own) &&
  !areInvolved(contenders);

function judgeOrigin(own: Contender, contenders: Contenders, canObserve: boolean): Origin {
  if (own.isCreated || firstOther(findCreated(contenders), own.uid) !== undefined) return "created";
  return canObserve && own.observation === "present" ? "existed" : "unknown";
}

/** Judges ours while it is not created, not labelled yet, or newer than the answer. */
function judgeUnlisted(
  first: Contender | undefined,
  own: Contender | undefined,
  canObserve: boolean,
): OwnershipVerdict {
  if (first?.isMarked === true && !first.isDeleting && first.id !== own?.id) return theirs(first, own, false);
  // A kind that cannot observe starts as the owner if there is no other contender.
  if (own !== undefined || canObserve) return { is: "free" };
  return first === undefined ? { is: "ours", others: [], origin: "unknown" } : theirs(first, own, false);
}

const theirs = (owner: Contender, own: Contender | undefined, isNext: boolean): OwnershipVerdict => ({
  is: "theirs",
  owner,
  isAcknowledged: own !== undefined && isAcknowledgedBy(owner, own),
  isNext,
});
