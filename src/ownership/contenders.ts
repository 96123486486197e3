import { readCreationTime } from "../crossplane/managed-resource.ts";
import { EXTERNAL_NAME, readAnnotation } from "../crossplane/metadata.ts";
import { stringAt } from "../model/document.ts";
import { once } from "../model/once.ts";
import { CLUSTER } from "./annotations.ts";
import { allowsDeletion, byPrecedence, type Contender } from "./contender.ts";

/** Contenders for one cloud resource. What is found in a list is computed once for all resources of an XR that share the list. */
export type Contenders = readonly Contender[];

/** The contenders for the cloud resource of one of our resources. */
export interface Found {
  /** The same list for all our resources that declare the cloud resource. It may lack our resource, or have it in another version. */
  readonly all: Contenders;
  /** Our resource, as the rules count it among the contenders: see `asListed` and `asObserved`. */
  readonly listed: Contender | undefined;
}

/** Counts ours as the answer lists it; undefined while the answer lacks it. */
export const asListed = (all: Contenders | undefined, own: Contender | undefined): Found | undefined =>
  all && { all, listed: own && indexByUid(all).get(own.uid) };

/** Counts ours as it is observed, whether the answer lists it or not. */
export const asObserved = (all: Contenders | undefined, own: Contender | undefined): Found | undefined =>
  all && { all, listed: own };

/** Computes once for each list of three or more contenders. For one or two, the usual case, remembering takes longer than computing. */
function forMany<Made>(compute: (all: Contenders) => Made): (all: Contenders) => Made {
  const remembered = once(compute);
  return (all) => (all.length > 2 ? remembered(all) : compute(all));
}

/** Finds the contenders that may own, sorted by precedence. */
export const findLiving = forMany((all: Contenders) => all.filter(isLiving).sort(byPrecedence));

/** Tells whether a contender may own. Without a controller, as after a restore, it may if it is marked as the owner, or writes. */
export const isLiving = (one: Contender): boolean =>
  !one.isDeleting && (one.isMarked || one.isWriting || one.isControlled);

/** Tells whether a contender writes, has no controller, and is not being deleted. Only a person, or a restore of its XR, can stop it. */
export const isOrphan = ({ isControlled, isDeleting, isWriting }: Contender): boolean =>
  isWriting && !isControlled && !isDeleting;

/** Finds the contenders that block a promotion: they write, or are being deleted together with the cloud resource. */
export const findInTheWay = forMany((all: Contenders) =>
  all.filter((one) => one.isWriting || (one.isDeleting && one.mayDelete)),
);

export const findCreated = forMany((all: Contenders) => all.filter(({ isCreated }) => isCreated));

export const indexByUid = forMany((all: Contenders) => new Map(all.map((contender) => [contender.uid, contender])));

export const listNames = forMany((all: Contenders): ReadonlySet<string> => new Set(all.map(({ name }) => name)));

/** Lists the names of control planes that the contenders record. */
export const listClusters = forMany(
  (all: Contenders): ReadonlySet<string> =>
    new Set(all.flatMap(({ document }) => readAnnotation(document, CLUSTER) ?? [])),
);

/** Lists the names of control planes that contenders marked as owners record. */
export const listOwnersClusters = forMany((all: Contenders) => listClusters(all.filter(({ isMarked }) => isMarked)));

export const isAnyInvolved = forMany((all: Contenders) => all.some(isInvolved));

/** Tells whether a contender writes or created the cloud resource, records its owner, or has TAKE_OWNERSHIP or ALLOW_DELETE. */
export const isInvolved = (one: Contender): boolean =>
  one.isWriting || allowsDeletion(one) || one.knowsOwner || one.takeOwnership !== "";

/** Finds the first contender with another UID. */
export const firstOther = (contenders: Contenders, uid: string | undefined): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);

/**
 * Finds the external name of an association, which the provider makes up, and without which it finds nothing; undefined if no contender has
 * it. Prefers a contender that has found the association.
 *
 * @param owner the owner, if it is not ours.
 * @param isMoving true if ours still has the name of the association that it declared before.
 */
export function findAssociationName(
  all: Contenders,
  own: Contender | undefined,
  owner: Contender | undefined,
  isMoving: boolean,
): string | undefined {
  const ours = isMoving ? undefined : own;
  const other = firstOther(findNamed(all), own?.uid);
  const creator = owner && readCreationTime(owner.document) !== undefined ? owner : undefined;
  const found = [creator, ours, owner, other].find((one) => one?.observation === "present" && nameOf(one));
  const named = found ?? [owner, ours, other].find((one) => one && nameOf(one));
  return named && nameOf(named);
}

/** Reads the external name, but not of what a provider has neither found nor created: that name came from an owner that is gone. */
const nameOf = ({ document, observation }: Contender): string | undefined =>
  observation === "absent" && readCreationTime(document) === undefined ? undefined : stringAt(document, EXTERNAL_NAME);

/** Finds the contenders that have an external name; first those that have found the cloud resource. */
const findNamed = forMany((all: Contenders) => all.filter(nameOf).sort((a, b) => rankFound(a) - rankFound(b)));

const rankFound = ({ observation }: Contender): number => Number(observation !== "present");
