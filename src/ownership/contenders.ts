import { readAnnotation } from "../crossplane/metadata.ts";
import { once } from "../model/once.ts";
import { CLUSTER } from "./annotations.ts";
import { byPrecedence, type Contender, isNamed } from "./contender.ts";

/** All contenders of one cloud resource. What is asked below is computed once for all resources of an XR that declare it. */
export type Contenders = readonly Contender[];

/** Computes once for each list of three or more: for the usual one or two, remembering takes longer than computing. */
function forMany<Made>(compute: (all: Contenders) => Made): (all: Contenders) => Made {
  const remembered = once(compute);
  return (all) => (all.length > 2 ? remembered(all) : compute(all));
}

/** Sorts the contenders that may own, the owner first. */
export const findLiving = forMany((all: Contenders) => all.filter(isLiving).sort(byPrecedence));

/** Tells whether the contender may own: one without a controller only if it owned or wrote before a restore. */
export const isLiving = (one: Contender): boolean =>
  !one.isDeleting && (one.isMarked || one.isWriting || one.isControlled);

/** Tells whether a writer has no XR that could stop it; only a person, or the restore of its XR, can. */
export const isOrphan = ({ isControlled, isDeleting, isWriting }: Contender): boolean =>
  isWriting && !isControlled && !isDeleting;

/** Finds the contenders that block a promotion: they write, or are being deleted together with the cloud resource. */
export const findInTheWay = forMany((all: Contenders) =>
  all.filter((one) => one.isWriting || (one.isDeleting && one.isDeletingWithIt)),
);

export const findCreated = forMany((all: Contenders) => all.filter(({ isCreated }) => isCreated));

/** Sorts the contenders that have an external name, those that have found the cloud resource first. */
export const findNamed = forMany((all: Contenders) => all.filter(isNamed).sort((a, b) => rankFound(a) - rankFound(b)));

const rankFound = ({ observation }: Contender): number => Number(observation !== "present");

export const indexByUid = forMany((all: Contenders) => new Map(all.map((contender) => [contender.uid, contender])));

export const listNames = forMany((all: Contenders): ReadonlySet<string> => new Set(all.map(({ name }) => name)));

/** Lists the names of control planes that they record. */
export const listClusters = forMany(
  (all: Contenders): ReadonlySet<string> =>
    new Set(all.flatMap(({ document }) => readAnnotation(document, CLUSTER) ?? [])),
);

/** Tells whether one of them does more than observe the cloud resource. */
export const areInvolved = forMany((all: Contenders) => all.some(isInvolved));

/** Tells whether the contender created or writes the cloud resource, records its owner, or was chosen by an operator. */
export const isInvolved = ({ isWriting, isCreated, knowsOwner, takeOwnership }: Contender): boolean =>
  isWriting || isCreated || knowsOwner || takeOwnership !== "";

/** Finds the first contender with another UID. */
export const firstOther = (contenders: Contenders, uid: string | undefined): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);
