import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import type { Reference } from "../../../crossplane/references.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Bindings } from "../../../ownership/record.ts";
import type { Call } from "../../feature.ts";
import { joinReasons, type SharingReason } from "../reasons.ts";
import type { Held, NamedCopy } from "../verdict.ts";
import { asDesiredBefore, asObserver, composeCopy, withEarlierOrigins, withStaleEmptied } from "./compose-object.ts";
import { contentsFor, type Room } from "./contents.ts";
import { type Cell, type CopyingShare, decideSecret } from "./decide.ts";
import { isCopyReady, isDroppable, isPublisher, isSecret, type ObservedCopy } from "./observed.ts";
import { isConnected, isKept, type KeptFor, type ShareInCall } from "./recorded.ts";
import { findPossession, formatMaker, gatherRows, type JudgedShare, type Possession, type Row } from "./rows.ts";
import type { Targets } from "./targets.ts";

/** The composed resources of one share, and the reasons why copies are missing. It grows target by target. */
export interface Delivery {
  /** The observed copies that the share decides about. Leaving one out deletes it. */
  readonly copies: readonly ObservedCopy[];
  readonly resources: Map<string, ResourceEdit>;
  readonly details: Map<string, string>;
  readonly reasons: readonly SharingReason[];
  /** The Secrets of the copies that are written or kept, and the shared resource that each is made from; details have no Secret. */
  readonly made: { readonly origin: Reference; readonly secret?: SecretName }[];
  /** True if connection details of the XR may be of another share that is refused: nothing records which are whose. */
  readonly isMixed: boolean;
}

/**
 * Delivers the copies of all shares: each takes its Secrets in the order of the input, after those that have them already.
 *
 * @param earlier the shares of earlier steps, by their record.
 */
export function deliverCopies(
  shares: readonly JudgedShare[],
  observed: readonly ObservedCopy[],
  earlier: Bindings,
  call: Call,
): readonly Delivery[] {
  const possession = findPossession(shares, observed, earlier, call);
  const room = { left: MAX_COPIES_BYTES };
  const refused = shares.filter((share) => share.targets.details.length > 0 && hasNoAccess(share));
  return shares.map((share) => {
    const { shared, judgement } = share;
    const copies = possession.byShare.get(shared.name) ?? [];
    const isMixed = refused.some((other) => other !== share);
    const delivery: Delivery = { copies, resources: new Map(), details: new Map(), reasons: [], made: [], isMixed };
    const reasons = deliverShare(share, possession, room, delivery, call);
    return { ...delivery, reasons: joinReasons([...judgement.reasons, ...reasons]) };
  });
}

const hasNoAccess = ({ judgement: { isRefused, reasons } }: JudgedShare): boolean =>
  isRefused || reasons.some(({ is }) => is === "AccessNotGranted");

/** Decides and acts, Secret by Secret. Copies at no target are dropped. */
function deliverShare(
  share: JudgedShare,
  possession: Possession,
  room: Room,
  delivery: Delivery,
  call: Call,
): readonly SharingReason[] {
  const { shared, targets, judgement } = share;
  if (!isConnected(shared) || judgement.is === "nothing") {
    settle(delivery.copies, () => "drop", delivery, call);
    return [];
  }
  if (judgement.is !== "copy") {
    const details = hasNoAccess(share) ? [] : targets.details;
    keepGranted(delivery.copies, { cause: judgement.is }, details, judgement, { shared, delivery, call });
    return [];
  }
  const work: Work = {
    shared,
    copying: judgement,
    contentsOf: contentsFor(judgement, room, call),
    possession,
    delivery,
    call,
  };
  const { rows, left } = gatherRows(shared.name, judgement.targets, possession);
  const reasons = rows.flatMap((row) => {
    const cell = decideSecret(row, work);
    actOnCell(cell, row, work);
    return cell.reasons ?? [];
  });
  settle(left, () => "drop", delivery, call);
  return reasons;
}

/** A share whose Secrets are decided about, and what is composed for it so far. */
interface Work extends CopyingShare {
  readonly possession: Possession;
  readonly delivery: Delivery;
}

function actOnCell(cell: Cell, row: Row, work: Work): void {
  const { target, observed, copies } = row;
  const { shared, possession, delivery, call } = work;
  switch (cell.is) {
    case "publish":
      for (const [name, value] of cell.data) delivery.details.set(name, value);
      break;
    case "leaveAlone":
      settle(copies, () => "giveUp", delivery, call);
      break;
    case "keepGranted": {
      const isDetails = target.copy.via === "CompositeConnectionDetails" && target.refusal === undefined;
      keepGranted(copies, cell, isDetails ? [target.copy.keys] : [], work.copying, work);
      break;
    }
    default: {
      possession.holders.set(formatSecret(target), formatMaker(shared.name));
      const own = cell.is === "keep" ? "keep" : "drop";
      settle(copies, (copy) => (copy === observed ? own : "giveUp"), delivery, call);
      if ("earlier" in cell) write(cell, row, work);
    }
  }
}

type Writing = Extract<Cell, { is: "write" | "observeFirst" }>;

function write({ is, data, earlier }: Writing, { target, key, observed }: Row, work: Work): void {
  const { copying, delivery, call } = work;
  const composed = withStaleEmptied(composeCopy(target, copying, data, call.composite), observed?.resource.document);
  const isObserver = is === "observeFirst";
  const object = withEarlierOrigins(isObserver ? asObserver(composed) : composed, earlier);
  const isWritten = !isObserver && isCopyReady(observed?.resource);
  delivery.resources.set(key, { is: "set", object, ready: isWritten ? "True" : "False" });
  for (const origin of [copying.origin, ...earlier]) delivery.made.push({ origin, secret: target });
}

/** Keeps copies, and details of the XR, as long as nothing new can be written and their grants stand. */
function keepGranted(
  copies: readonly ObservedCopy[],
  { cause, now }: { readonly cause: KeptFor; readonly now?: Reference | undefined },
  details: Targets["details"],
  { held = [], hasLost = false }: Held,
  work: ShareInCall & Pick<Work, "delivery">,
): void {
  const { shared, delivery, call } = work;
  settle(copies, (copy) => (isKept(copy, cause, now, work) ? "keep" : "drop"), delivery, call);
  if (hasLost || (cause === "gone" && shared.connection.onSourceMissing === "Delete")) return;
  for (const keys of details) keepDetails(keys, delivery, call);
  if (details.length > 0) delivery.made.push(...held.map((origin) => ({ origin })));
}

type Fate = "keep" | "drop" | "giveUp";

function settle(
  copies: readonly ObservedCopy[],
  toFate: (copy: ObservedCopy) => Fate,
  { resources, made }: Delivery,
  call: Call,
): void {
  for (const copy of copies) {
    const fate = toFate(copy);
    const edit = toEdit(copy, fate, call);
    if (edit !== undefined) resources.set(copy.key, edit);
    const { origin, target } = copy;
    if (fate === "keep" && origin !== undefined && target !== undefined) made.push({ origin, secret: target });
  }
}

/**
 * Keeps a copy as it is, or leaves it out, even if an earlier step of this function has kept it. A copy that is given up keeps its
 * Secret: its Object first only observes, and is left out when its provider has read that.
 */
function toEdit(copy: ObservedCopy, fate: Fate, { request }: Call): ResourceEdit | undefined {
  const { key, resource } = copy;
  const { document } = resource;
  if (fate === "keep")
    return { is: "set", object: asDesiredBefore(document), ready: isCopyReady(resource) ? "True" : "False" };
  const isReleased = isSecret(document) || isPublisher(resource) || isDroppable(copy);
  if (fate === "giveUp" && !isReleased)
    return { is: "set", object: asObserver(asDesiredBefore(document)), ready: "False" };
  return request.desired.resources.has(key) ? { is: "removed" } : undefined;
}

/**
 * Keeps the connection details that this XR shows already and that may be the copy's: those of its keys, or all where it lists
 * none or their names are not known. What an earlier step desires is newer than what is shown.
 */
function keepDetails(keys: NamedCopy["keys"], { details, isMixed }: Delivery, { request }: Call): void {
  if (keys === undefined && isMixed) return;
  const desired = request.desired.composite.connectionDetails;
  const listed = keys && new Set(keys.map(({ to }) => to));
  for (const [key, value] of request.observed.composite.connectionDetails) {
    if (desired.has(key) || (listed && !listed.has(key))) continue;
    details.set(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"));
  }
}
