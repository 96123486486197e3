import type { Copy } from "../../../input/connection.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import type { Call } from "../../feature.ts";
import { type Origin, originKey } from "../origin.ts";
import type { SharingReason } from "../reason.ts";
import { formatSecret } from "../source.ts";
import type { Copying, JudgedDestination, NotCopying } from "../verdict.ts";
import { withEarlier } from "./composed.ts";
import type { Data } from "./contents.ts";
import type { Destination } from "./destination.ts";
import { keep, release } from "./keep.ts";
import { type ConnectedShare, judgeKept, judgeOrigins } from "./kept.ts";
import type { ObservedCopy } from "./observed.ts";
import { type Delivery, merge, type Part, toDelivery } from "./part.ts";
import { findStale } from "./progress.ts";
import { isInTheWay, type JudgedShare, possess, type Survey, survey } from "./survey.ts";
import { copyTo, type Outcome, toKey } from "./write.ts";

/** Acts on the verdicts. What is kept has its Secret before anything new is written. */
export function deliver(shares: readonly JudgedShare[], call: Call): readonly Delivery[] {
  const scene = survey(shares, call);
  const kept = new Map(shares.map((share) => [share, toDelivery(keepAll(share, scene, call))]));
  return shares.map((share) => {
    const { shared, judgement } = share;
    if (judgement.verdict.is !== "copy" || !isConnected(shared)) return kept.get(share) ?? toDelivery([]);
    return toDelivery(copyAll(shared, judgement.verdict, scene, call));
  });
}

const isConnected = (shared: JudgedShare["shared"]): shared is ConnectedShare => shared.connection !== undefined;

/** Keeps what may be kept of a shared resource's copies while nothing new can be copied. */
function keepAll({ shared, judgement: { verdict } }: JudgedShare, scene: Survey, call: Call): readonly Part[] {
  const copies = scene.byShare.get(shared.name) ?? [];
  if (verdict.is === "copy") return [];
  const reasons = verdict.is === "nothing" || verdict.reason === undefined ? [] : [verdict.reason];
  if (verdict.is === "nothing" || !isConnected(shared)) return [...copies.map((copy) => drop(copy, call)), { reasons }];
  const { onSourceMissing, copies: wanted } = shared.connection;
  const isDropped = verdict.is === "gone" && onSourceMissing === "Delete";
  const details = wanted.filter(({ via }) => via === "CompositeConnectionDetails" && !isDropped);
  return [
    ...copies.map((copy) => keepGranted(copy, verdict.is, undefined, shared, call)),
    ...details.map((copy) => ({ details: shownDetails(copy, call) })),
    { reasons },
  ];
}

function copyAll(shared: ConnectedShare, copying: Copying, scene: Survey, call: Call): readonly Part[] {
  const left = new Map((scene.byShare.get(shared.name) ?? []).map((copy) => [copy.key, copy]));
  const seen = new Set<string>();
  const parts = copying.destinations.map((judged) => {
    const { destination } = judged;
    const key = toKey(shared.name, destination);
    if (destination.copy.via !== "CompositeConnectionDetails" && seen.has(key)) return taken(destination, shared.name);
    seen.add(key);
    const copies = findOwn(destination, shared.name, left, scene);
    for (const { key } of copies) left.delete(key);
    return deliverTo(judged, copies, shared, copying, scene, call);
  });
  return [{ reasons: copying.reasons }, ...parts, ...[...left.values()].map((copy) => drop(copy, call))];
}

/** The copies at a destination that its share decides about: the one of that name first, then those that it follows. */
function findOwn(
  destination: Destination,
  share: string,
  left: ReadonlyMap<string, ObservedCopy>,
  { bySecret }: Survey,
): readonly ObservedCopy[] {
  const key = toKey(share, destination);
  const own = left.get(key);
  const others = (bySecret.get(formatSecret(destination)) ?? []).filter((copy) => copy !== own && left.has(copy.key));
  return own === undefined ? others : [own, ...others];
}

function deliverTo(
  { destination, leave }: JudgedDestination,
  copies: readonly ObservedCopy[],
  shared: ConnectedShare,
  copying: Copying,
  scene: Survey,
  call: Call,
): Part {
  if (leave !== "granted") {
    return merge(copies.map((copy) => withoutLeave(copy, leave, copying, shared, call)));
  }
  const key = toKey(shared.name, destination);
  const isDetails = destination.copy.via === "CompositeConnectionDetails";
  const possession = isDetails ? undefined : scene.possessions.get(formatSecret(destination));
  if (possession !== undefined && possession.key !== key) {
    const reason: SharingReason = { is: "TargetTaken", target: destination, holder: possession.maker };
    return merge([{ reasons: [reason] }, ...copies.map((copy) => giveUp(copy, call))]);
  }
  const observed = scene.byKey.get(key);
  const outcome = copyTo(key, destination, copying, observed, call);
  const { requirements, reason } = outcome;
  const part = act(outcome, { key, destination, copies, observed }, copying, shared, scene, call);
  return merge([{ requirements, reasons: reason === undefined ? [] : [reason] }, part]);
}

const taken = (target: Destination, share: string): Part => ({
  reasons: [{ is: "TargetTaken", target, holder: `shared resource ${share} of this XR` }],
});

interface Place {
  readonly key: string;
  readonly destination: Destination;
  readonly copies: readonly ObservedCopy[];
  readonly observed: ObservedCopy | undefined;
}

function act(
  outcome: Outcome,
  { key, destination, copies, observed }: Place,
  { original }: Copying,
  shared: ConnectedShare,
  scene: Survey,
  call: Call,
): Part {
  switch (outcome.is) {
    case "published":
      return { details: outcome.data };
    case "givenUp":
      return merge(copies.map((copy) => giveUp(copy, call)));
    case "held": {
      const kept = copies.map((copy) => keepGranted(copy, outcome.cause, original.origin, shared, call));
      const isKept = outcome.cause !== "gone" || shared.connection.onSourceMissing === "Keep";
      const isDetails = destination.copy.via === "CompositeConnectionDetails" && isKept;
      return merge([...kept, { details: isDetails ? shownDetails(destination.copy, call) : new Map() }]);
    }
    case "written": {
      possess(scene.possessions, destination, key, shared.name);
      const others = copies.filter((copy) => copy !== observed).map((copy) => giveUp(copy, call));
      if (observed !== undefined)
        return merge([...others, rewrite(observed, outcome.edit, original.origin, shared, call)]);
      const neighbours = scene.bySecret.get(formatSecret(destination)) ?? [];
      return merge(neighbours.some(isInTheWay) ? others : [...others, { edits: [[key, outcome.edit]] }]);
    }
  }
}

/**
 * Writes a copy that is there. Where it is made from another resource now, the Secret may hold what the one before granted,
 * until the provider has written it anew, which it cannot while the new source is not there. Without a grant for that the
 * copy goes first.
 */
function rewrite(copy: ObservedCopy, edit: ResourceEdit, now: Origin, shared: ConnectedShare, call: Call): Part {
  const stale = findStale(copy, now);
  if (stale.length === 0) return { edits: [[copy.key, edit]], before: changedOrigin(copy, now) };
  const { isKept, isPending, requirements } = judgeOrigins(copy, stale, shared, call);
  if (!isKept) {
    const reasons: SharingReason[] =
      copy.target === undefined ? [] : [{ is: "WaitingForCopies", targets: [copy.target] }];
    return { ...drop(copy, call), requirements, reasons };
  }
  if (isPending) return { edits: [[copy.key, keep(copy)]], requirements };
  return { edits: [[copy.key, withEarlier(edit, stale)]], requirements, before: changedOrigin(copy, now) };
}

const changedOrigin = ({ origin }: ObservedCopy, now: Origin): Origin | undefined =>
  origin !== undefined && originKey(origin) !== originKey(now) ? origin : undefined;

/**
 * Judges a copy whose destination has no leave (any more). What another resource granted is judged by that one: whoever asks
 * for a resource that is not granted loses nothing. A copy from before origins were recorded stays where only the namespace's
 * word is missing, which nobody asked for then.
 */
function withoutLeave(
  copy: ObservedCopy,
  leave: Exclude<JudgedDestination["leave"], "granted">,
  { original }: Copying,
  shared: ConnectedShare,
  call: Call,
): Part {
  if (leave === "unknown" || leave === "unreadable") return keepGranted(copy, "unknown", undefined, shared, call);
  if (leave === "tooLarge") return keepGranted(copy, "broken", original.origin, shared, call);
  if (copy.origin === undefined && leave === "notAccepted") return keepGranted(copy, "broken", undefined, shared, call);
  if (copy.origin === undefined || originKey(copy.origin) === originKey(original.origin)) return drop(copy, call);
  return keepGranted(copy, "broken", undefined, shared, call);
}

/** Keeps a copy as far as the grant that it was made under goes. */
function keepGranted(
  copy: ObservedCopy,
  cause: NotCopying["is"],
  granted: Origin | undefined,
  shared: ConnectedShare,
  call: Call,
): Part {
  const { isKept, requirements } = judgeKept(copy, cause, granted, shared, call);
  if (!isKept) return { ...drop(copy, call), requirements };
  return { edits: [[copy.key, keep(copy)]], requirements };
}

/** Leaves a copy out, also where an earlier step of this function has kept it. */
const drop = ({ key }: ObservedCopy, { request }: Call): Part => ({
  edits: request.desired.resources.has(key) ? [[key, { is: "removed" }]] : [],
});

function giveUp(copy: ObservedCopy, call: Call): Part {
  const edit = release(copy);
  return edit === undefined ? drop(copy, call) : { edits: [[copy.key, edit]] };
}

/**
 * The connection details that this XR shows already; where no keys are listed, all of them may be the copy's. What an earlier
 * step desires is newer than what is shown.
 */
function shownDetails({ keys }: Copy, { request }: Call): Data {
  const desired = request.desired.composite.connectionDetails;
  const shown = request.observed.composite.connectionDetails;
  const listed = keys && new Set(keys.map(({ to }) => to));
  const details = new Map<string, string>();
  for (const [key, value] of shown) {
    if (desired.has(key) || listed?.has(key) === false) continue;
    details.set(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"));
  }
  return details;
}
