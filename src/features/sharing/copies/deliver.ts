import { formatSecret } from "../../../crossplane/copies.ts";
import { isBeingDeleted, readAnnotation } from "../../../crossplane/metadata.ts";
import { isSameResource } from "../../../crossplane/references.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import { SHARED_FROM } from "../../../ownership/annotations.ts";
import type { Bindings } from "../../../ownership/record.ts";
import type { Call } from "../../feature.ts";
import { isRefusal, joinReasons, type SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import type { Copying, Judged, Judgement, NamedCopy, Target } from "../verdict.ts";
import { type Composed, giveUpCopy, keepCopy, writeCopy } from "./compose-object.ts";
import { type Contents, contentsFor, type Room } from "./contents.ts";
import { findFailure, findStale, isLimited, isReady, isReleased, type ObservedCopy } from "./observed.ts";
import { isOwner } from "./owned.ts";
import { findTarget, isKept, judgeOrigins, type KeptFor } from "./recorded.ts";
import { findTaker, type Taker } from "./taker.ts";
import { findPossession, formatMaker, gatherRows, type Possession, type Row } from "./targets.ts";

/** The composed resources of one share, and the reasons why copies are missing. */
export type Delivery = ReturnType<typeof deliverCopies>[number];

/** The decision on a target, or on a copy. An observed copy that is not composed again is deleted. */
interface Decision extends Partial<Composed> {
  readonly reason?: SharingReason;
}

interface DecidingShare extends Judged {
  readonly possession: Possession;
}

/** A share that has a source. */
interface CopyingShare extends DecidingShare {
  readonly judgement: Judgement & Copying;
  contentsOf(copy: NamedCopy): Contents;
}

/**
 * Delivers the copies of all shares: each takes its Secrets in the order of the input, after those that have them already.
 *
 * @param earlier the shares of earlier steps, by their record.
 */
export function deliverCopies(
  shares: readonly Judged[],
  observed: readonly ObservedCopy[],
  earlier: Bindings,
  call: Call,
) {
  const possession = findPossession(shares, observed, earlier, call);
  const room = { left: MAX_COPIES_BYTES };
  return shares.map((share) => {
    const copies = possession.byShare.get(share.shared.name) ?? [];
    const decisions = decideShare({ ...share, possession }, copies, room);
    // An earlier step of this function may have kept a copy that this one drops.
    const kept = copies.filter(({ key }) => call.request.desired.resources.has(key));
    const dropped = kept.map(({ key }): readonly [string, ResourceEdit] => [key, { is: "removed" }]);
    return {
      copies, // that the share decides about
      resources: new Map([...dropped, ...decisions.flatMap(({ resource }) => (resource ? [resource] : []))]),
      reasons: joinReasons([...share.judgement.reasons, ...decisions.flatMap(({ reason }) => reason ?? [])]),
      // The Secrets of the copies that are written or kept, and the shared resource that each is made from.
      made: decisions.flatMap(({ made = [] }) => made),
    };
  });
}

/** Decides Secret by Secret. Copies at no target are dropped. */
function decideShare(share: DecidingShare, copies: readonly ObservedCopy[], room: Room): readonly Decision[] {
  const { shared, judgement, possession, call } = share;
  if (shared.connection === undefined || judgement.is === "nothing") return [];
  if (judgement.is !== "copy") return keepGranted(copies, judgement.is, share);
  const copying = { ...share, judgement, contentsOf: contentsFor(judgement, room, call) };
  return gatherRows(shared.name, judgement.targets, possession).flatMap((row) => decideSecret(row, copying));
}

/**
 * Decides what becomes of one target Secret. The first line that fits:
 *
 * | the Secret                                                        | its copy               |
 * |-------------------------------------------------------------------|------------------------|
 * | may not be written to: not granted, not accepted                 | keep while granted     |
 * | has another copy: of another share or way, or of an earlier step  | leave alone            |
 * | is to hold what is not known, not there, or too large             | keep while granted     |
 * | is to be new, and its shared resource is being deleted            | keep while granted     |
 * | is not looked up yet                                              | keep while granted     |
 * | exists without our mark, or another XR of our claim has it        | leave alone            |
 * | may hold what another resource granted, and grants no more        | drop, then create anew |
 * | may, and that grant is not known yet                              | keep                   |
 * | has no copy of that name, and an Object that may still delete it  | drop: compose none yet |
 * | has an Object that may have been given up and not know of it yet  | observe first          |
 * | else                                                              | write                  |
 *
 * Kept while granted: each copy for itself, by the grant that it was made under (isKept). Left alone, and from `drop` on: all
 * other copies of the Secret are given up, and none is deleted with its Secret.
 */
function decideSecret(row: Row, share: CopyingShare): readonly Decision[] {
  const { target, holder } = row;
  const { refusal, copy } = target;
  if (refusal !== undefined) return keepRow(row, isRefusal(refusal) ? "refused" : "unknown", share);
  if (holder !== undefined) return leaveToHolder(row, holder, share);
  const contents = share.contentsOf(copy);
  if (contents.is !== "known") {
    // Asked for with the source: Crossplane calls a step six times at most, and a copy that moves needs nearly all of them.
    if (contents.is === "unknown") findTarget(row.key, target, share.call);
    return keepRow(row, contents.is, share, contents.reason);
  }
  return decideCopy(row, contents.data, share);
}

const leaveAlone = ({ target, copies }: Row, taker: Taker, found: Document | undefined): readonly Decision[] => [
  ...copies.flatMap((copy) => giveUpCopy(copy, found, false)),
  { reason: { is: "TargetTaken", target, ...taker } },
];

function leaveToHolder(row: Row, holder: string, share: CopyingShare): readonly Decision[] {
  const found = row.copies.some(({ document }) => isOwner(document))
    ? findTarget(row.key, row.target, share.call)
    : undefined;
  return found === "pending" ? keepRow(row, "unknown", share) : leaveAlone(row, { holder, isRival: false }, found);
}

function decideCopy(wanted: Row, data: Data, share: CopyingShare): readonly Decision[] {
  const { target, observed, copies } = wanted;
  const { origin: now, isBeingDeleted: isGoing } = share.judgement;
  // A copy without a record may be one of this resource.
  const isOfNow = observed !== undefined && isSameResource(observed.origin ?? now, now);
  if (isGoing && !isOfNow) return keepRow(wanted, "broken", share, { is: "BeingDeleted", shared: now.name });
  const found = findTarget(wanted.key, target, share.call);
  const taker = findTaker(found, share.call);
  if (found === "pending" || taker === "pending")
    return keepRow(wanted, "unknown", share, { is: "WaitingForRequiredResources", wanted: "Secret" });
  if (taker !== undefined) return leaveAlone(wanted, taker, found);
  share.possession.holders.set(formatSecret(target), formatMaker(share.shared.name));
  const { row, reason } = keepType(wanted, found);
  const written = { ...share, row, found, data };
  const others = copies.filter((copy) => copy !== observed);
  const own = observed ? decideUpdate(observed, written) : decideNew(written);
  return [...others.flatMap((copy) => giveUpCopy(copy, found, true)), ...own, ...reason];
}

/** Keeps the type of a Secret that exists: Kubernetes refuses to change it, and would refuse new values with it. */
function keepType(row: Row, found: Document | undefined): { readonly row: Row; readonly reason: readonly Decision[] } {
  const { target } = row;
  const { type: wanted } = target.copy;
  const type = (found && stringAt(found, ["type"])) ?? wanted;
  if (type === wanted) return { row, reason: [] };
  const kept = { ...row, target: { ...target, copy: { ...target.copy, type } } };
  return { row: kept, reason: [{ reason: { is: "TypeKept", target, type, wanted } }] };
}

/** A copy that is to be written. `found`: the Secret, if there is one with our mark. */
type Writing = CopyingShare & { readonly row: Row; readonly found: Document | undefined; readonly data: Data };

function decideNew(writing: Writing): readonly Decision[] {
  const { row, found, judgement } = writing;
  const waiting: Decision = { reason: { is: "WaitingForCopies", targets: [row.target] } };
  if (row.isHeld) return [waiting];
  const isOurs = found !== undefined && readAnnotation(found, SHARED_FROM) === formatSecret(judgement.source);
  return [writeCopy({ ...writing, isObserver: isOurs && isWriter(row.target), earlier: [] }), waiting];
}

function decideUpdate(copy: ObservedCopy, writing: Writing): readonly Decision[] {
  const { row, judgement } = writing;
  const earlier = findStale(copy, judgement.origin);
  const grant = judgeOrigins(copy, earlier, writing);
  const isObserver = isWriter(row.target) && !mayWriteAgain(copy);
  const failure = isObserver ? undefined : findFailure(copy, row.target);
  const waiting: SharingReason = { is: "WaitingForCopies", targets: [row.target] };
  if (grant === "ended") return [{ reason: failure ?? waiting }];
  const own = grant === "pending" ? keepCopy(copy) : writeCopy({ ...writing, isObserver, earlier });
  return !isObserver && isReady(copy) ? [own] : [own, { reason: failure ?? waiting }];
}

/** Tells whether an Object writes its Secret, and deletes it with itself. */
const isWriter = ({ copy: { via } }: Target): boolean => via === "Object";

/**
 * Tells whether an Object that observes may have all policies. Crossplane v2 derives its name from its XR and its name in the
 * Composition, so one that is composed anew may be the one that was given up a moment ago and is still being deleted: with all
 * policies its provider would then delete the Secret. Over a Secret that exists, an Object therefore begins as an observer, and
 * writes once its provider has read that and it is not being deleted.
 *
 * A copy of another Secret may go: its grant may have been taken back, and an Object that became an observer while it is being
 * deleted would leave it there.
 */
const mayWriteAgain = (copy: ObservedCopy): boolean =>
  !isLimited(copy) || (isReleased(copy) && !isBeingDeleted(copy.document));

const keepRow = (
  { copies }: Row,
  cause: KeptFor,
  share: CopyingShare,
  ...reasons: readonly SharingReason[]
): readonly Decision[] => [...keepGranted(copies, cause, share), ...reasons.map((reason) => ({ reason }))];

/** Keeps copies as long as nothing new can be written and their grants stand. */
const keepGranted = (copies: readonly ObservedCopy[], cause: KeptFor, share: Judged): readonly Composed[] =>
  copies.filter((copy) => isKept(copy, cause, share)).map(keepCopy);
