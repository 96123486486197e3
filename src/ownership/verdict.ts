import { byPrecedence, type Contender, type Contenders, firstBut, isAcknowledgedBy, isInvolved } from "./contender.ts";

/** Everything known about one managed resource of ours and the others that stand for the same cloud resource. */
export interface Situation {
  /** Ours, as observed; undefined before it is created. */
  readonly own: Contender | undefined;
  /** All with the identity's label, and ours once it has it; undefined before Crossplane has looked. */
  readonly contenders: Contenders | undefined;
  /** The control plane that the cloud's tags name, unless it is this one under its present or an earlier name. */
  readonly otherCluster: string | undefined;
  /** True if the kind can be told to observe only. */
  readonly hasManagementPolicies: boolean;
  /** False if the provider does not report who else writes the cloud resource. */
  readonly reportsTags: boolean;
}

/**
 * Where the cloud resource comes from. `unknown`: ours is about to create it, or its kind cannot observe before it writes. A cloud
 * resource is deleted with its last contender only if one of them created it.
 */
type Origin = "created" | "existed" | "unknown";

/** The managed resource that may write a cloud resource and its tags. */
export type OwnershipVerdict =
  | { readonly is: "pending" }
  /** Our managed resource is being deleted: its policies stay as they were when that began. */
  | { readonly is: "deleting" }
  /** No owner is known, and ours is not in the list yet: it starts as an observer. */
  | { readonly is: "free" }
  /** Ours comes first, but its provider has not looked for the cloud resource yet. */
  | { readonly is: "unobserved" }
  /** It existed before, no contender ever wrote it, and others may: ours only observes. */
  | { readonly is: "existed" }
  | {
      readonly is: "ours";
      readonly others: readonly Contender[];
      readonly origin: Origin;
    }
  | {
      readonly is: "theirs";
      readonly owner: Contender;
      /** True if the owner names ours as a successor; until then the cloud resource may be deleted with its owner. */
      readonly isAcknowledged: boolean;
      /** True if ours becomes the owner as soon as this one has stopped writing. */
      readonly isNext: boolean;
    }
  | { readonly is: "theirs"; readonly cluster: string };

/**
 * Decides who owns a cloud resource that several managed resources stand for.
 *
 * - The owner is the one that an operator chose, else the one that was promoted before, else the oldest (creationTimestamp,
 *   then UID). Incumbency comes before age, so neither a restore nor a skewed clock moves ownership. A managed resource that is
 *   being deleted cannot own.
 * - None is promoted unless its own managed resource is in the answer: a list is a snapshot, so it includes all that carried
 *   the label earlier. Two that are promoted at once see each other in the next reconcile, and precedence leaves one.
 * - None is promoted before its provider has looked for the cloud resource: only then it is known whether that existed before.
 *   A cloud resource that existed before, and that no contender created, is not deleted with them.
 * - If a provider does not report who writes a cloud resource, one that existed before and that no contender ever wrote is only
 *   observed until an operator chooses its owner: a managed resource of an XR without this step may write it.
 * - None is promoted while another one still writes, or is being deleted together with the cloud resource.
 * - Contenders in another control plane are in no answer; only the tags that the cloud reports show them.
 */
export function judgeOwnership(situation: Situation): OwnershipVerdict {
  const { own, contenders, otherCluster, hasManagementPolicies, reportsTags } = situation;
  if (contenders === undefined) return { is: "pending" };
  if (otherCluster !== undefined && !isChosen(own)) return { is: "theirs", cluster: otherCluster };

  const self = own && findSelf(own, contenders);
  if (self !== undefined && hasManagementPolicies && !reportsTags && isOthers(self, contenders))
    return { is: "existed" };
  if (self !== undefined) return judgeListed(self, contenders, hasManagementPolicies);
  return judgeUnlisted(contenders.living[0] ?? contenders.all[0], own, hasManagementPolicies);
}

function judgeListed(self: Self, contenders: Contenders, canObserve: boolean): OwnershipVerdict {
  if (self.isDeleting) return { is: "deleting" };
  const { own, isMarked } = self;
  const { living } = contenders;
  const { uid } = own;
  const first = firstBut(living, uid);
  if (first !== undefined && comesBefore(first, self)) return theirs(first, own, false);

  const obstacle = isMarked ? undefined : firstBut(contenders.inTheWay, uid);
  if (obstacle !== undefined) return theirs(obstacle, own, true);
  if (canObserve && !isMarked && !own.isWriting && own.observation === "unknown") return { is: "unobserved" };
  const isCreated = own.isCreated || firstBut(contenders.created, uid) !== undefined;
  return {
    is: "ours",
    others: living.filter((contender) => contender.uid !== uid),
    origin: isCreated ? "created" : judgeOrigin(own, canObserve),
  };
}

/** Judges the origin of a cloud resource that no contender created. */
const judgeOrigin = (own: Contender, canObserve: boolean): Origin =>
  canObserve && own.observation === "present" ? "existed" : "unknown";

/** Tells whether the cloud resource exists and no contender ever created it, wrote it or became its owner. */
const isOthers = ({ own, isDeleting }: Self, contenders: Contenders): boolean =>
  own.observation === "present" && !isDeleting && !isInvolved(own) && !contenders.areInvolved;

/** Tells whether an operator moved ownership here. */
const isChosen = (own: Contender | undefined): boolean => own !== undefined && own.takeOwnership !== "";

/** Ours, where it is in the list: as observed, but marked or being deleted as both say. */
interface Self {
  readonly own: Contender;
  readonly isMarked: boolean;
  readonly isDeleting: boolean;
}

/** Finds ours in the list. The observed or the listed state may be older, so ours is the owner only if both are marked. */
function findSelf(own: Contender, { byUid }: Contenders): Self | undefined {
  const listed = byUid.get(own.uid);
  if (listed === undefined) return undefined;
  return { own, isMarked: own.isMarked && listed.isMarked, isDeleting: own.isDeleting || listed.isDeleting };
}

const comesBefore = (first: Contender, { own: { takeOwnership, createdAt, uid }, isMarked }: Self): boolean =>
  byPrecedence(first, { takeOwnership, isMarked, createdAt, uid }) < 0;

/** Judges ours while it is not created, not labelled yet, or newer than the list. */
function judgeUnlisted(
  first: Contender | undefined,
  own: Contender | undefined,
  canObserve: boolean,
): OwnershipVerdict {
  if (first?.isMarked === true && !first.isDeleting && first.id !== own?.id) return theirs(first, own, false);
  // A kind that cannot observe only starts as the owner where there is no other contender.
  if (own !== undefined || canObserve) return { is: "free" };
  return first === undefined ? { is: "ours", others: [], origin: "unknown" } : theirs(first, own, false);
}

const theirs = (owner: Contender, own: Contender | undefined, isNext: boolean): OwnershipVerdict => ({
  is: "theirs",
  owner,
  isAcknowledged: own !== undefined && isAcknowledgedBy(owner, own),
  isNext,
});
