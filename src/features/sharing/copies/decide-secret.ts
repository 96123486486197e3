import { formatSecret } from "../../../crossplane/copies.ts";
import { isBeingDeleted, readAnnotation } from "../../../crossplane/metadata.ts";
import { isSameResource } from "../../../crossplane/references.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import { lazy } from "../../../model/once.ts";
import { decideBy } from "../../../model/rules.ts";
import { SHARED_FROM } from "../../../ownership/annotations.ts";
import type { Call } from "../../feature.ts";
import type { Copying, Grant, Judged, JudgedTarget, NamedCopy, Target } from "../judgement.ts";
import { prefetch } from "../prefetch.ts";
import { isRefusal, type SharingReason } from "../reasons.ts";
import { isCopyKept, judgeOrigins, type KeptFor } from "../recorded.ts";
import { type Composed, giveUpCopy, keepCopy, keepToDelete, type WrittenCopy, writeCopy } from "./compose-object.ts";
import { bytesAround, type Contents, TOO_LARGE } from "./contents.ts";
import { findOtherWriter, findTarget, isOwnCopy, type OtherWriter } from "./foreign-secret.ts";
import {
  findFailure,
  findStale,
  isLimited,
  isMoving,
  isPublisher,
  isReady,
  isReleased,
  type ObservedCopy,
} from "./observed.ts";
import { isOnlyOwner, isOwner } from "./owned.ts";

/** The decision on a target or a copy. Crossplane deletes an observed copy that is not composed again. */
export interface Decision extends Partial<Composed> {
  readonly reason?: SharingReason;
  /** The target Secret (`formatSecret`), if the share writes it from now on. */
  readonly taken?: string;
}

/** A share that has a source. */
interface CopyingShare extends Judged {
  readonly copying: Copying;
  contentsOf(copy: NamedCopy): Contents;
}

/** A target Secret, and the observed copies of it. */
interface Row extends Pick<WrittenCopy, "key" | "observed"> {
  readonly target: JudgedTarget;
  /** The observed copies that this row decides about. Each copy is in one row only. */
  readonly copies: readonly ObservedCopy[];
  /** Names who writes the Secret, if that is not this row's copy. */
  readonly writer: string | undefined;
  /** True if an observed Object could still delete the Secret: see `isReleased`. */
  readonly isHeld: boolean;
}

/** A target Secret with the facts that rules decide by. Facts that are functions are looked up when first needed. */
interface Case extends Row {
  readonly share: CopyingShare;
  readonly contents: () => Contents;
  /** The observed Secret; undefined if it does not exist, or goes with an Object of `copies` that publishes it. */
  readonly found: () => Document | "pending" | undefined;
  readonly otherWriter: () => OtherWriter | "pending" | undefined;
}

type Decisions = readonly Decision[];

const decide = decideBy<Case, Decisions>(
  () => [
    keepRefused, // the copy is not granted, or its namespace does not accept it, or that is not known
    leaveToOtherCopy, // another share, another copy of this share or an earlier step writes the Secret
    keepWithoutContents, // the contents are unknown, missing or too large
    keepTillDeletion, // the shared resource is being deleted, and no new copy of it is made
    keepTillLookedUp, // the Secret, or the claim that decides which XR writes it, is not known yet
    leaveForeignSecret, // the Secret does not belong to this XR, or another XR of the same claim writes it
  ],
  take,
);

/** A target Secret that this share writes from now on, with all facts looked up. */
interface Own extends WrittenCopy, Pick<Row, "isHeld"> {
  /** The grants of the `earlier` shared resources. */
  readonly grant: Grant;
}

const decideOwn = decideBy<Own, Decisions>(
  () => [
    dropUngranted, // the copy holds values that are no longer granted: the next reconcile makes a new one
    keepUnknown, // it is not known yet whether the values in the copy are still granted
    waitForObject, // another Object of this XR may still delete the Secret
    observeFirst, // the Object of the copy may be a former one that is being deleted
  ],
  write,
);

/**
 * @param room the bytes that the response has left for copies.
 * @returns the decisions, and the bytes that the copy takes in the response, even if only a later call writes it.
 */
export function decideSecret(row: Row, share: CopyingShare, room: number) {
  const { target, key, observed, copies, writer } = row;
  const around = bytesAround(target, share.call);
  const found = lazy(() => {
    const secret = findTarget(key, target, share.call);
    const isPublished = typeof secret === "object" && copies.some((copy) => isPublishedBy(copy, secret));
    return isPublished ? undefined : secret;
  });
  const contents = lazy((): Contents => {
    const made = share.contentsOf(target.copy);
    return made.is === "known" && made.bytes + around > room ? { is: "broken", reason: TOO_LARGE } : made;
  });
  const otherWriter = lazy(() =>
    findOtherWriter(found(), observed !== undefined && isMoving(observed, share.copying.origin), share.call),
  );
  const decisions = decide({ ...row, share, contents, found, otherWriter });
  const made = target.refusal === undefined && writer === undefined ? contents() : undefined;
  return { decisions, bytes: Math.max(made?.is === "known" ? made.bytes + around : 0, countKept(decisions)) };
}

const isPublishedBy = (copy: ObservedCopy, secret: Document): boolean =>
  isPublisher(copy) && isOnlyOwner(copy.document, secret);

/** Counts the bytes of copies that are composed as they are observed. */
export const countKept = (decisions: Decisions): number => decisions.reduce((total, { bytes = 0 }) => total + bytes, 0);

/** Keeps those copies that `isCopyKept` lets stay, although this call does not write them, and drops the others. */
export const keepAll = (copies: readonly ObservedCopy[], cause: KeptFor, share: Judged): Decisions =>
  copies.flatMap((copy) => (isCopyKept(copy, cause, share) ? [keepCopy(copy)] : dropCopy(copy, share.call)));

/**
 * Drops a copy: Crossplane deletes it with its Secret. An Object that only observes, as while it hands the Secret over, would leave
 * the Secret of this XR there. So it first gets the policy Delete.
 */
export function dropCopy(copy: ObservedCopy, call: Call): Decisions {
  if (!isLimited(copy) || isPublisher(copy) || isOwner(copy.document)) return []; // Kubernetes deletes what an Object owns
  const isOwn = isOwnCopy(copy, call);
  if (isOwn === "pending") return [keepCopy(copy)];
  return isOwn ? [keepToDelete(copy)] : [];
}

const keepFor = ({ copies, share }: Case, cause: KeptFor, ...reasons: readonly SharingReason[]): Decisions => [
  ...keepAll(copies, cause, share),
  ...reasons.map((reason) => ({ reason })),
];

function keepRefused(secret: Case): Decisions | undefined {
  const { refusal } = secret.target;
  return refusal && keepFor(secret, isRefusal(refusal) ? "refused" : "unknown");
}

function leaveToOtherCopy(secret: Case): Decisions | undefined {
  const { copies, writer } = secret;
  if (writer === undefined) return undefined;
  // Only an Object that owns the Secret may have to wait for another owner, so only then is the Secret looked up.
  const found = copies.some(({ document }) => isOwner(document)) ? secret.found() : undefined;
  return found === "pending" ? keepFor(secret, "unknown") : leaveTo({ writer, isRival: false }, found, secret);
}

function keepWithoutContents(secret: Case): Decisions | undefined {
  const { share, key, target } = secret;
  const contents = secret.contents();
  if (contents.is === "known") return undefined;
  if (contents.is === "unknown") prefetch(share, { is: "source", key, target });
  return keepFor(secret, contents.is, contents.reason);
}

function keepTillDeletion(secret: Case): Decisions | undefined {
  const { observed, share } = secret;
  const { origin: now, isBeingDeleted: isGoing } = share.copying;
  // A copy that records no shared resource counts as made from this one.
  const isNew = observed === undefined || !isSameResource(observed.origin ?? now, now);
  return isGoing && isNew ? keepFor(secret, "broken", { is: "BeingDeleted", shared: now.name }) : undefined;
}

function keepTillLookedUp(secret: Case): Decisions | undefined {
  const isPending = secret.found() === "pending" || secret.otherWriter() === "pending";
  return isPending ? keepFor(secret, "unknown", { is: "WaitingForRequiredResources", wanted: "Secret" }) : undefined;
}

function leaveForeignSecret(secret: Case): Decisions | undefined {
  const other = secret.otherWriter();
  return typeof other === "object" ? leaveTo(other, toFound(secret), secret) : undefined;
}

const leaveTo = (other: OtherWriter, found: Document | undefined, { copies, target }: Case): Decisions => [
  ...copies.flatMap((copy) => giveUpCopy(copy, found, "another")),
  { reason: { is: "TargetTaken", target, ...other } },
];

function toFound({ found }: Case): Document | undefined {
  const secret = found();
  return secret === "pending" ? undefined : secret;
}

/**
 * Takes the Secret for this share: gives up all other copies of it. With `via: ConnectionSecret` it drops them with the Secret, which
 * the provider would refuse to write. Keeps the Secret's type, which Kubernetes does not change.
 */
function take(secret: Case): Decisions {
  const { key, target, copies, observed, isHeld, share } = secret;
  const found = toFound(secret);
  const contents = secret.contents();
  const wanted = target.copy.type;
  const type = (found && stringAt(found, ["type"])) ?? wanted;
  const earlier = observed ? findStale(observed, share.copying.origin) : [];
  const others = copies.filter((copy) => copy !== observed && target.copy.via !== "ConnectionSecret");
  const own = decideOwn({
    ...{ ...share, key, observed, isHeld, found, earlier },
    former: observed ?? copies[0],
    target: { ...target, copy: { ...target.copy, type } },
    data: contents.is === "known" ? contents.data : new Map(),
    grant: observed ? judgeOrigins(observed, earlier, share) : "stands",
  });
  const reason = { is: "TypeKept", target, type, wanted } as const;
  const givenUp = others.flatMap((copy) => giveUpCopy(copy, found, "thisShare"));
  return [...givenUp, ...own, { taken: formatSecret(target), ...(type !== wanted && { reason }) }];
}

function dropUngranted(secret: Own): Decisions | undefined {
  const { observed, grant, call } = secret;
  if (grant !== "ended") return undefined;
  return [...(observed ? dropCopy(observed, call) : []), { reason: toWait(secret) }];
}

function keepUnknown(secret: Own): Decisions | undefined {
  const { observed, grant } = secret;
  if (grant !== "pending" || observed === undefined) return undefined;
  return [keepCopy(observed), ...waitIfUnready(secret)];
}

const waitForObject = ({ observed, isHeld, target }: Own): Decisions | undefined =>
  observed === undefined && isHeld ? waitFor(target) : undefined;

const waitFor = (target: Target): Decisions => [{ reason: { is: "WaitingForCopies", targets: [target] } }];

const observeFirst = (secret: Own): Decisions | undefined =>
  mayHaveBeenGivenUp(secret) ? [writeCopy(secret, "observe"), ...waitFor(secret.target)] : undefined;

/**
 * Tells whether the copy's Object has to observe first. Crossplane v2 derives the name of an Object from the XR and the
 * copy's name in the Composition. So a new Object may be a former one that was given up and is still being deleted, and with
 * the policy Delete its provider would delete the Secret. The new Object only observes until its provider has read its policies.
 *
 * A Secret with values of another source may be deleted: its grant may have been taken back, and an observer would leave it.
 */
function mayHaveBeenGivenUp({ target, observed, found, copying }: Own): boolean {
  if (target.copy.via !== "Object") return false; // only an Object deletes its Secret with itself
  if (observed !== undefined)
    return isLimited(observed) && (!isReleased(observed) || isBeingDeleted(observed.document));
  return found !== undefined && readAnnotation(found, SHARED_FROM) === formatSecret(copying.source);
}

function write(secret: Own): Decisions {
  return [writeCopy(secret, "write"), ...waitIfUnready(secret)];
}

function waitIfUnready(secret: Own): Decisions {
  const { observed } = secret;
  return observed && isReady(observed) && !mayHaveBeenGivenUp(secret) ? [] : [{ reason: toWait(secret) }];
}

/** Makes the reason why the copy is not written: the provider's error, unless the Object only observed, else WaitingForCopies. */
function toWait({ observed, target }: Own): SharingReason {
  const hasWritten = observed && !(target.copy.via === "Object" && isLimited(observed));
  const failure = hasWritten ? findFailure(observed, target) : undefined;
  return failure ?? { is: "WaitingForCopies", targets: [target] };
}
