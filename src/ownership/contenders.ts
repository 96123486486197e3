import { byPrecedence, type Contender, isNamed } from "./contender.ts";

/** All contenders of one cloud resource, sorted once for all resources of an XR that declare it. */
export class Contenders {
  readonly all: readonly Contender[];
  readonly byUid: ReadonlyMap<string, Contender>;
  /** The contenders that may own, the owner first. */
  readonly living: readonly Contender[];
  #named: readonly Contender[] | undefined;
  #names: ReadonlySet<string> | undefined;
  #inTheWay: readonly Contender[] | undefined;
  #created: readonly Contender[] | undefined;
  #areInvolved: boolean | undefined;

  constructor(all: readonly Contender[]) {
    this.all = all;
    this.byUid = new Map(all.map((contender) => [contender.uid, contender]));
    this.living = all.filter(isLiving).sort(byPrecedence);
  }

  /** The contenders that have an external name, those that have found the cloud resource first. */
  get named(): readonly Contender[] {
    this.#named ??= this.all.filter(isNamed).sort((a, b) => rankFound(a) - rankFound(b));
    return this.#named;
  }

  get names(): ReadonlySet<string> {
    this.#names ??= new Set(this.all.map(({ name }) => name));
    return this.#names;
  }

  /** The contenders that block a promotion: they write, or are being deleted together with the cloud resource. */
  get inTheWay(): readonly Contender[] {
    this.#inTheWay ??= this.all.filter(
      (contender) => contender.isWriting || (contender.isDeleting && contender.isDeletingWithIt),
    );
    return this.#inTheWay;
  }

  get created(): readonly Contender[] {
    this.#created ??= this.all.filter(({ isCreated }) => isCreated);
    return this.#created;
  }

  /** True if one of them does more than observe the cloud resource. */
  get areInvolved(): boolean {
    this.#areInvolved ??= this.all.some(isInvolved);
    return this.#areInvolved;
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
