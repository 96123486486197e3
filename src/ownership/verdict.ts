import { byPrecedence, type Contender } from "./contender.ts";

/** What is known of one managed resource of ours and of the others that stand for the same cloud resource. */
export interface Situation {
  /** Ours, as it is observed; undefined before it is created. */
  readonly own: Contender | undefined;
  /** All that carry the identity's label, ours among them if it already does; undefined before Crossplane has looked. */
  readonly contenders: readonly Contender[] | undefined;
  /** The control plane whose tag the cloud reports, where that is neither this one nor what this one was called before. */
  readonly otherCluster: string | undefined;
  /** Whether a kind like this one can be told to observe only. */
  readonly hasManagementPolicies: boolean;
}

/** Who may write a cloud resource and its tags. */
export type Verdict =
  | { readonly is: "pending" }
  /** Somebody deletes our managed resource: what becomes of the cloud resource stays as it was when they did. */
  | { readonly is: "deleting" }
  /** Nobody owns it as far as we know, and we are not in the list yet that would tell: we start as an observer. */
  | { readonly is: "free" }
  | { readonly is: "ours"; readonly others: readonly Contender[] }
  | {
      readonly is: "theirs";
      readonly owner: Contender;
      /** Whether the owner has said that it leaves the cloud resource to us; until then it may go with its owner. */
      readonly isAcknowledged: boolean;
      /** Whether it is to be ours, as soon as the other one has stopped writing. */
      readonly isNext: boolean;
    }
  | { readonly is: "theirs"; readonly cluster: string };

/**
 * Who owns a cloud resource that several managed resources stand for.
 *
 * - First whom an operator chose, then who was promoted before, then who is oldest (creationTimestamp, then UID). Incumbency
 *   comes before age, so neither a restore nor a skewed clock moves ownership. What is being deleted cannot own.
 * - Nobody is promoted unless its own managed resource is in the answer: a list is a snapshot, so whoever carried the label
 *   earlier is in it too. Two that are promoted in the same instant see each other next time, and the order leaves one.
 * - Nobody is promoted either while somebody else still writes, or is being deleted together with the cloud resource.
 * - Another control plane's contenders are in no list of ours; the tags that the cloud reports tell of them.
 */
export function judge({ own, contenders, otherCluster, hasManagementPolicies }: Situation): Verdict {
  if (contenders === undefined) return { is: "pending" };
  if (otherCluster !== undefined && !isChosen(own)) return { is: "theirs", cluster: otherCluster };

  const self = own && selfOf(own, contenders);
  const others = contenders.filter(({ uid }) => uid !== own?.uid);
  if (self !== undefined) return judgeListed(self, others);

  const [first = others[0]] = living(others);
  return judgeUnlisted(first, own, hasManagementPolicies);
}

function judgeListed(self: Contender, others: readonly Contender[]): Verdict {
  if (self.isDeleting) return { is: "deleting" };
  const [first = self, ...rest] = living([self, ...others]);
  if (first !== self) return theirs(first, self, false);

  const inTheWay = self.isMarked ? undefined : others.find(isInTheWay);
  return inTheWay === undefined ? { is: "ours", others: rest } : theirs(inTheWay, self, true);
}

/** Who may own, in this order. */
const living = (contenders: readonly Contender[]): readonly Contender[] =>
  contenders.filter(({ isDeleting }) => !isDeleting).sort(byPrecedence);

/** Whether an operator moved ownership here. */
const isChosen = (own: Contender | undefined): boolean => own !== undefined && own.takeOwnership !== "";

/** Ours as it is in the list. Of the observed and the listed one either may be the older: both have to say that it owns. */
function selfOf(own: Contender, contenders: readonly Contender[]): Contender | undefined {
  const listed = contenders.find(({ uid }) => uid === own.uid);
  if (listed === undefined) return undefined;
  return { ...own, isMarked: own.isMarked && listed.isMarked, isDeleting: own.isDeleting || listed.isDeleting };
}

/** Not created, or not labelled yet, or the list is older than that. */
function judgeUnlisted(first: Contender | undefined, own: Contender | undefined, canObserve: boolean): Verdict {
  if (first?.isMarked === true && !first.isDeleting && first.id !== own?.id) return theirs(first, own, false);
  // What cannot merely observe has no other way to start than as the owner, if nobody else is there.
  if (own !== undefined || canObserve) return { is: "free" };
  return first === undefined ? { is: "ours", others: [] } : theirs(first, own, false);
}

const isInTheWay = ({ isWriting, isDeleting, isDeletingWithIt }: Contender): boolean =>
  isWriting || (isDeleting && isDeletingWithIt);

const theirs = (owner: Contender, own: Contender | undefined, isNext: boolean): Verdict => ({
  is: "theirs",
  owner,
  isAcknowledged: own !== undefined && owner.acknowledged.includes(own.name),
  isNext,
});
