import { byPrecedence, type Contender, isAcknowledgedBy } from "./contender.ts";
import {
  type Contenders,
  type Found,
  findCreated,
  findInTheWay,
  findLiving,
  firstOther,
  isAnyInvolved,
  isInvolved,
  isOrphan,
} from "./contenders.ts";
import type { Candidate } from "./identity.ts";

/** Our managed resource, and the contenders for its cloud resource. */
export interface Situation extends Pick<Candidate, "own" | "hasManagementPolicies" | "isImported"> {
  /** The contenders; undefined while the answer is pending. */
  readonly contenders: Found | undefined;
  /** The control plane in the cloud's tags, unless it is this one under its present or an earlier name. */
  readonly otherCluster: string | undefined;
  /** True if the provider reports the cloud resource's tags, which show who else writes it. */
  readonly reportsTags: boolean;
  /** True if the provider of another managed resource may be creating the same cloud resource. */
  readonly mayBeCreatedByAnother: boolean;
}

/**
 * The origin of a cloud resource; `unknown` if ours is about to create it, or its kind cannot observe before it writes. A cloud resource
 * that existed is deleted with its last contender only if an operator or the input allows that (`mayGoWithOurs` in settle.ts).
 */
type Origin = "created" | "existed" | "unknown";

/** The verdict on the managed resource that may write a cloud resource and its tags. */
export type OwnershipVerdict =
  | { readonly is: "pending" }
  /** Our managed resource is being deleted. */
  | { readonly is: "deleting" }
  /** No owner is known, and ours is not in the answer yet. */
  | { readonly is: "free" }
  /** Ours has precedence, but its provider has not looked for the cloud resource, or another provider may be creating it. */
  | { readonly is: "unobserved" }
  /** The pipeline imports a cloud resource that does not exist: the provider would create one of another name. */
  | { readonly is: "missing" }
  /** The cloud resource existed before, and no contender ever wrote it. An XR unknown to us may write it, so ours only observes it. */
  | { readonly is: "existed" }
  | {
      readonly is: "ours";
      /** The contenders to list as successors. */
      readonly others: readonly Contender[];
      readonly origin: Origin;
    }
  | {
      readonly is: "theirs";
      readonly owner: Contender;
      /** True if the owner lists ours as a successor; until then the cloud resource may be deleted with its owner. */
      readonly isAcknowledged: boolean;
      /** True if ours becomes the owner as soon as `owner` has stopped writing. */
      readonly isNext: boolean;
    }
  /** Another control plane owns the cloud resource, by the cloud's tags. */
  | { readonly is: "elsewhere"; readonly cluster: string };

/**
 * Decides which contender owns a cloud resource. "The answer" is Crossplane's list of the managed resources with its identity label.
 *
 * - The owner is the contender that an operator chose, else the one promoted before, else the oldest (creationTimestamp, then UID).
 *   Incumbency precedes age, so neither a restore nor a skewed clock moves ownership. A contender that is being deleted cannot own.
 * - A contender is promoted only if it is in the answer: a list is a snapshot, so it includes all that had the label earlier. Two
 *   contenders that are promoted at once see each other in the next reconcile, and precedence leaves one.
 * - A contender that can observe, and does not write yet, is promoted only after its provider has looked for the cloud resource: then it is
 *   known whether the cloud resource existed before, and so may not be deleted.
 * - A cloud resource that the pipeline imports by an id, and that does not exist, is not created: it would have another id.
 * - If the provider does not report who writes the cloud resource, and it existed before any contender wrote, it is only observed until an
 *   operator chooses its owner: an XR without this step may write it.
 * - No contender is promoted while another still writes, or is being deleted together with the cloud resource.
 * - Contenders in other control planes are in no answer; only the cloud's tags show them.
 */
export function judgeOwnership(situation: Situation): OwnershipVerdict {
  const { own, contenders, otherCluster } = situation;
  const cluster = own?.takeOwnership ? undefined : otherCluster; // an operator's choice precedes the cloud's tags
  const isDeleting = own?.isDeleting || contenders?.listed?.isDeleting;
  if (cluster === undefined && isDeleting) return { is: "deleting" }; // also before the answer is known
  if (contenders === undefined) return { is: "pending" };
  if (cluster !== undefined) return { is: "elsewhere", cluster };
  const { all, listed } = contenders;
  return own && listed ? judgeListed(own, listed, all, situation) : judgeUnlisted(all, situation);
}

/** Judges ours while the answer lacks it: it is not created, not labelled, or newer than the answer. */
function judgeUnlisted(all: Contenders, { own, hasManagementPolicies }: Situation): OwnershipVerdict {
  const first = firstOther(findLiving(all), own?.uid);
  if (first?.isMarked && first.id !== own?.id) return toTheirs(first, own, false);
  if (own !== undefined || hasManagementPolicies) return { is: "free" };
  const other = first ?? all[0];
  return other === undefined ? { is: "ours", others: [], origin: "unknown" } : toTheirs(other, own, false); // ours cannot observe
}

/**
 * Judges ours once the answer lists it.
 *
 * @param listed ours in the answer, which may be older or newer than the observed one.
 */
function judgeListed(own: Contender, listed: Contender, all: Contenders, situation: Situation): OwnershipVerdict {
  const { hasManagementPolicies: canObserve, isImported, reportsTags, mayBeCreatedByAnother } = situation;
  const { takeOwnership, createdAt, uid, observation } = own;
  const existedUnwritten =
    canObserve && !reportsTags && observation === "present" && !isInvolved(own) && !isAnyInvolved(all);
  const isPromoted = own.isMarked && listed.isMarked; // ours counts as the owner only if the answer marks it, too
  const ranked = { takeOwnership, isMarked: isPromoted, createdAt, uid };
  const other = firstOther(findLiving(all), uid);
  const isOtherFirst = other !== undefined && byPrecedence(other, ranked) < 0;
  const mustObserve = canObserve && !isPromoted && !own.isWriting;
  const hasNotLooked = mustObserve && observation === "unknown";
  const isImportMissing = mustObserve && isImported && observation === "absent";

  if (existedUnwritten) return { is: "existed" };
  if (isOtherFirst) return toTheirs(other, own, false);
  const obstacle = isPromoted ? undefined : findObstacle(all, own);
  if (obstacle !== undefined) return toTheirs(obstacle, own, true);
  if (hasNotLooked) return { is: "unobserved" };
  if (isImportMissing) return { is: "missing" };
  if (mayBeCreatedByAnother) return { is: "unobserved" };
  const others = findLiving(all).filter((one) => one.uid !== uid && one.contends !== undefined);
  return { is: "ours", others, origin: judgeOrigin(own, all, canObserve) };
}

/** Finds the contender that blocks our promotion. An orphan, which no XR will stop, does not block ours if an operator chose ours. */
const findObstacle = (all: Contenders, { takeOwnership, uid }: Contender): Contender | undefined =>
  findInTheWay(all).find((one) => one.uid !== uid && (takeOwnership === "" || !isOrphan(one)));

function judgeOrigin(own: Contender, all: Contenders, canObserve: boolean): Origin {
  if (own.isCreated || firstOther(findCreated(all), own.uid) !== undefined) return "created";
  return canObserve && own.observation === "present" ? "existed" : "unknown";
}

const toTheirs = (owner: Contender, own: Contender | undefined, isNext: boolean): OwnershipVerdict => ({
  is: "theirs",
  owner,
  isAcknowledged: isAcknowledgedBy(owner, own),
  isNext,
});
