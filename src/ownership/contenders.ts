import { byPrecedence, type Contender, isNamed } from "./contender.ts";

/** All contenders of one cloud resource, sorted once for all resources of an XR that declare it. */
export class Contenders {
  readonly all: readonly Contender[];
  readonly byUid: ReadonlyMap<string, Contender>;
  /** The contenders that may own, the owner first. */
  readonly living: readonly Contender[];
  /** The contenders that have an external name, those that have found the cloud resource first. */
  readonly named: readonly Contender[];
  readonly names: ReadonlySet<string>;
  /** The contenders that block a promotion: they write, or are being deleted together with the cloud resource. */
  readonly inTheWay: readonly Contender[];
  readonly created: readonly Contender[];
  /** True if one of them does more than observe the cloud resource. */
  readonly areInvolved: boolean;

  constructor(all: readonly Contender[]) {
    this.all = all;
    this.byUid = new Map(all.map((contender) => [contender.uid, contender]));
    this.living = all.filter(isLiving).sort(byPrecedence);
    this.named = all.filter(isNamed).sort((a, b) => rankFound(a) - rankFound(b));
    this.names = new Set(all.map(({ name }) => name));
    this.inTheWay = all.filter((one) => one.isWriting || (one.isDeleting && one.isDeletingWithIt));
    this.created = all.filter(({ isCreated }) => isCreated);
    this.areInvolved = all.some(isInvolved);
  }
}

/** Tells whether the contender may own: one without a controller only if it owned or wrote before a restore. */
export const isLiving = ({ isDeleting, isControlled, isMarked, isWriting }: Contender): boolean =>
  !isDeleting && (isControlled || isMarked || isWriting);

const rankFound = ({ observation }: Contender): number => Number(observation !== "present");

/** Finds the first contender with another UID. */
export const firstOther = (contenders: readonly Contender[], uid: string): Contender | undefined =>
  contenders.find((contender) => contender.uid !== uid);

/** Tells whether the contender created or writes the cloud resource, records its owner, or was chosen by an operator. */
export const isInvolved = ({ isWriting, isCreated, knowsOwner, takeOwnership }: Contender): boolean =>
  isWriting || isCreated || knowsOwner || takeOwnership !== "";
