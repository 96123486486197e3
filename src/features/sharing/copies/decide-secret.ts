import { formatSecret } from "../../../crossplane/copies.ts";
import { isBeingDeleted, readAnnotation } from "../../../crossplane/metadata.ts";
import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import { lazy } from "../../../model/once.ts";
import { decideBy, when } from "../../../model/rules.ts";
import { SHARED_FROM } from "../../../ownership/annotations.ts";
import type { Copying, Judged, NamedCopy, Target } from "../judgement.ts";
import { prefetch } from "../prefetch.ts";
import { isRefusal, type SharingReason } from "../reasons.ts";
import type { Grant } from "../recorded.ts";
import { type Composed, giveUpCopy, keepCopy, writeCopy } from "./compose-object.ts";
import { type Contents, TOO_LARGE } from "./contents.ts";
import { isKept, judgeOrigins, type KeptFor } from "./kept.ts";
import { findFailure, findStale, isLimited, isMoving, isReady, isReleased, type ObservedCopy } from "./observed.ts";
import { isOwner } from "./owned.ts";
import type { Row } from "./rows.ts";
import { findTaker, findTarget, type Taker } from "./taker.ts";

/** The decision on a target or a copy. Crossplane deletes an observed copy that is not composed again. */
export interface Decision extends Partial<Composed> {
  readonly reason?: SharingReason;
  /** The Secret, if the share has it from now on. */
  readonly taken?: string;
}

/** A share that has a source. */
export interface CopyingShare extends Judged {
  readonly copying: Copying;
  contentsOf(copy: NamedCopy): Contents;
}

/** A target Secret with the facts that rules decide by. Functions look up a fact when a rule first asks for it. */
interface Case {
  readonly row: Row;
  readonly share: CopyingShare;
  readonly contents: () => Contents;
  /** The Secret; undefined where there is none. */
  readonly found: () => Document | "pending" | undefined;
  /** The other writer that has it. */
  readonly taker: () => Taker | "pending" | undefined;
  /** The former shared resources whose values our copy may still hold, and whether all their grants stand. */
  readonly former: () => { readonly origins: readonly Reference[]; readonly grant: Grant };
}

type Decide = (secret: Case) => readonly Decision[];

/**
 * Decides by the first rule that fits. `taking`: the share has the Secret, and all other copies of it are given up. A
 * copy that is given up leaves its Secret.
 */
const decide = decideBy<Case, readonly Decision[]>(
  () => [
    when(mayNotBeWritten, keepWhileGranted), // the owner does not grant it, or its namespace does not accept it
    when(isOfAnotherCopy, leaveToHolder), // of another share or way to deliver, or of an earlier step
    when(hasNoContents, keepWithoutContents), // not known, missing, or too large
    when(isNewOfWhatIsBeingDeleted, keepTillDeletion),
    when(isNotLookedUp, keepTillLookedUp),
    when(isAnothers, leaveToTaker), // it exists without our mark, or another XR of our claim has it
    when(holdsWhatIsGrantedNoMore, taking(drop)), // it is created anew
    when(mayHoldWhatIsGrantedNoMore, taking(keep)), // that grant is not known yet
    when(isHeldByAnObject, taking(wait)), // of another name, which may still delete it
    when(mayHaveBeenGivenUp, taking(observe)), // its Object may not know of it yet
  ],
  taking(write),
);

/**
 * Decides on one target Secret.
 *
 * @param room the bytes that the response has left for copies: Crossplane refuses a larger one.
 * @returns the decisions, and the bytes that the copy takes, also if only a later call writes it.
 */
export function decideSecret(row: Row, share: CopyingShare, room: number) {
  const { target, key, observed } = row;
  const found = lazy(() => findTarget(key, target, share.call));
  const secret: Case = {
    row,
    share,
    contents: lazy(() => {
      const contents = share.contentsOf(target.copy);
      return contents.is === "known" && contents.bytes > room ? { is: "broken", reason: TOO_LARGE } : contents;
    }),
    found,
    taker: lazy(() =>
      findTaker(found(), observed !== undefined && isMoving(observed, share.copying.origin), share.call),
    ),
    former: lazy(() => {
      const origins = observed ? findStale(observed, share.copying.origin) : [];
      return { origins, grant: observed ? judgeOrigins(observed, origins, share) : "stands" };
    }),
  };
  const decisions = decide(secret);
  const contents = mayNotBeWritten(secret) || isOfAnotherCopy(secret) ? undefined : secret.contents();
  return { decisions, bytes: contents?.is === "known" ? contents.bytes : 0 };
}

/** Keeps the copies of a share that has no source. */
export const keepAll = (copies: readonly ObservedCopy[], cause: KeptFor, share: Judged): readonly Decision[] =>
  copies.filter((copy) => isKept(copy, cause, share)).map(keepCopy);

/** Keeps each copy by the grant that it was made under. */
const keepFor = ({ row, share }: Case, cause: KeptFor, ...reasons: readonly SharingReason[]): readonly Decision[] => [
  ...keepAll(row.copies, cause, share),
  ...reasons.map((reason) => ({ reason })),
];

const mayNotBeWritten = ({ row }: Case): boolean => row.target.refusal !== undefined;

function keepWhileGranted(secret: Case): readonly Decision[] {
  const { refusal } = secret.row.target;
  return keepFor(secret, refusal && isRefusal(refusal) ? "refused" : "unknown");
}

const isOfAnotherCopy = ({ row }: Case): boolean => row.holder !== undefined;

function leaveToHolder(secret: Case): readonly Decision[] {
  const { copies, holder } = secret.row;
  const found = copies.some(({ document }) => isOwner(document)) ? secret.found() : undefined;
  return found === "pending" ? keepFor(secret, "unknown") : leaveTo({ holder, isRival: false }, found, secret);
}

const hasNoContents = ({ contents }: Case): boolean => contents().is !== "known";

function keepWithoutContents(secret: Case): readonly Decision[] {
  const { row, share } = secret;
  const contents = secret.contents();
  if (contents.is === "unknown") prefetch(share, { is: "source", key: row.key, target: row.target });
  return contents.is === "known" ? [] : keepFor(secret, contents.is, contents.reason);
}

function isNewOfWhatIsBeingDeleted({ row: { observed }, share: { copying } }: Case): boolean {
  const { origin: now, isBeingDeleted: isGoing } = copying;
  // A copy without a record may be one of this resource.
  return isGoing && !(observed && isSameResource(observed.origin ?? now, now));
}

const keepTillDeletion = (secret: Case): readonly Decision[] =>
  keepFor(secret, "broken", { is: "BeingDeleted", shared: secret.share.copying.origin.name });

const isNotLookedUp = ({ found, taker }: Case): boolean => found() === "pending" || taker() === "pending";

const keepTillLookedUp = (secret: Case): readonly Decision[] =>
  keepFor(secret, "unknown", { is: "WaitingForRequiredResources", wanted: "Secret" });

const isAnothers = ({ taker }: Case): boolean => taker() !== undefined;

function leaveToTaker(secret: Case): readonly Decision[] {
  const taker = secret.taker();
  return typeof taker === "object" ? leaveTo(taker, toFound(secret), secret) : [];
}

const leaveTo = (taker: Taker, found: Document | undefined, { row }: Case): readonly Decision[] => [
  ...row.copies.flatMap((copy) => giveUpCopy(copy, found, false)),
  { reason: { is: "TargetTaken", target: row.target, ...taker } },
];

function toFound({ found }: Case): Document | undefined {
  const secret = found();
  return secret === "pending" ? undefined : secret;
}

/** Takes the Secret: gives up its other copies, and keeps its type, since Kubernetes refuses another one. */
function taking(act: Decide): Decide {
  return (secret) => {
    const { row } = secret;
    const { target, copies, observed } = row;
    const found = toFound(secret);
    const type = (found && stringAt(found, ["type"])) ?? target.copy.type;
    const kept = { ...secret, row: { ...row, target: { ...target, copy: { ...target.copy, type } } } };
    const others = copies.filter((copy) => copy !== observed).flatMap((copy) => giveUpCopy(copy, found, true));
    const isKept = type !== target.copy.type;
    return [
      ...others,
      ...act(kept),
      {
        taken: formatSecret(target),
        ...(isKept && { reason: { is: "TypeKept", target, type, wanted: target.copy.type } as const }),
      },
    ];
  };
}

const holdsWhatIsGrantedNoMore = ({ former }: Case): boolean => former().grant === "ended";

const drop = (secret: Case): readonly Decision[] => [{ reason: toWait(secret) }];

const mayHoldWhatIsGrantedNoMore = ({ former }: Case): boolean => former().grant === "pending";

const keep = (secret: Case): readonly Decision[] => {
  const { observed } = secret.row;
  return observed === undefined ? [] : [keepCopy(observed), ...waitIfUnready(secret)];
};

const isHeldByAnObject = ({ row }: Case): boolean => row.observed === undefined && row.isHeld;

const wait = ({ row }: Case): readonly Decision[] => [{ reason: { is: "WaitingForCopies", targets: [row.target] } }];

/**
 * Tells whether an Object has to observe first. Crossplane v2 derives an Object's name from its XR and its name in the
 * Composition: one that is composed anew may have been given up a moment ago, and still be being deleted. With all
 * policies its provider would delete the Secret. Over an existing copy of the source, an Object therefore begins as an
 * observer until its provider has read that.
 *
 * A copy of another source may go: its grant may have been taken back, and an observer would leave it there.
 */
function mayHaveBeenGivenUp(secret: Case): boolean {
  const { row, share } = secret;
  const { target, observed } = row;
  if (!isWriter(target)) return false;
  if (observed !== undefined)
    return isLimited(observed) && (!isReleased(observed) || isBeingDeleted(observed.document));
  const found = toFound(secret);
  return found !== undefined && readAnnotation(found, SHARED_FROM) === formatSecret(share.copying.source);
}

/** Tells whether the copy is written by an Object that deletes its Secret with itself. */
const isWriter = ({ copy: { via } }: Target): boolean => via === "Object";

const observe = (secret: Case): readonly Decision[] => [compose(secret, true), ...wait(secret)];

function write(secret: Case): readonly Decision[] {
  return [compose(secret, false), ...waitIfUnready(secret)];
}

function compose(secret: Case, isObserver: boolean): Decision {
  const { row, share, contents, former } = secret;
  const made = contents();
  const data = made.is === "known" ? made.data : new Map<string, string>();
  return writeCopy({ ...share, isObserver, row, found: toFound(secret), data, earlier: former().origins });
}

function waitIfUnready(secret: Case): readonly Decision[] {
  const { observed } = secret.row;
  return observed && isReady(observed) && !mayHaveBeenGivenUp(secret) ? [] : [{ reason: toWait(secret) }];
}

/** Makes the reason to wait, or the provider's fault if it cannot write the copy. */
function toWait(secret: Case): SharingReason {
  const { observed, target } = secret.row;
  const failure = observed && !mayHaveBeenGivenUp(secret) ? findFailure(observed, target) : undefined;
  return failure ?? { is: "WaitingForCopies", targets: [target] };
}
