import type { Reference } from "../../../crossplane/references.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import type { Call } from "../../feature.ts";
import type { Resolved } from "../../value.ts";
import { type Data, formatSecret } from "../source.ts";
import type { Copying, Destination, JudgedDestination, NamedCopy, Part, SharingReason } from "../verdict.ts";
import { nameKeys } from "./destinations.ts";
import { type ConnectedShare, keepGranted, keepUntilKnown, rewrite, withoutLeave } from "./judge-kept.ts";
import { drop, giveUp } from "./keep.ts";
import type { ObservedCopy } from "./observed.ts";
import { isInTheWay, type JudgedShare, possess, type Survey, survey } from "./survey.ts";
import { copyTo, type Outcome, toKey } from "./write.ts";

/** Delivers the copies of all shares. Kept copies are decided first: nothing new may take their Secrets. */
export function deliver(
  shares: readonly JudgedShare[],
  observed: readonly ObservedCopy[],
  call: Call,
): readonly Delivery[] {
  const scene = survey(shares, observed, call);
  const copiesOf = ({ shared }: JudgedShare): readonly ObservedCopy[] => scene.byShare.get(shared.name) ?? [];
  const kept = new Map(shares.map((share) => [share, toDelivery(keepAll(share, scene, call), copiesOf(share))]));
  return shares.map((share) => {
    const { shared, judgement } = share;
    if (judgement.verdict.is !== "copy" || !isConnected(shared)) return kept.get(share) ?? toDelivery([], []);
    return toDelivery(copyAll(shared, judgement.verdict, scene, call), copiesOf(share));
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
    ...details.map(({ keys }) => ({ details: findShownDetails(nameKeys(keys, call), call) })),
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
  const { reason } = outcome;
  const part = act(outcome, { key, destination, copies, observed }, copying, shared, scene, call);
  return merge([{ reasons: reason === undefined ? [] : [reason] }, part]);
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
      const kept = copies.map((copy) =>
        outcome.cause === "unknown"
          ? keepUntilKnown(copy, original.origin, shared, call)
          : keepGranted(copy, outcome.cause, original.origin, shared, call),
      );
      const isKept = outcome.cause !== "gone" || shared.connection.onSourceMissing === "Keep";
      const isDetails = destination.copy.via === "CompositeConnectionDetails" && isKept;
      return merge([
        ...kept,
        { details: isDetails ? findShownDetails({ is: "set", value: destination.copy.keys }, call) : new Map() },
      ]);
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
 * Finds the connection details that this XR shows already and that may be the copy's: those of the keys that it lists, or all
 * where it lists none or where their names are not known. What an earlier step desires is newer than what is shown.
 */
function findShownDetails(keys: Resolved<NamedCopy["keys"]>, { request }: Call): Data {
  const desired = request.desired.composite.connectionDetails;
  const shown = request.observed.composite.connectionDetails;
  const listed = keys.is === "set" && keys.value && new Set(keys.value.map(({ to }) => to));
  const details = new Map<string, string>();
  for (const [key, value] of shown) {
    if (desired.has(key) || (listed && !listed.has(key))) continue;
    details.set(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"));
  }
  return details;
}

/** The outcome for one shared resource's connection Secret, and the reasons why copies are missing. */
export interface Delivery {
  /** Leaving out a resource that was composed before deletes it, and the copy with it. */
  readonly resources: ReadonlyMap<string, ResourceEdit>;
  /** The names in the Composition of those that are left out: no later step may take them over. */
  readonly dropped: readonly string[];
  /** Connection details of this XR. */
  readonly details: Data;
  readonly reasons: readonly SharingReason[];
  /** The resource that a copy was made from before, where it is another one now. */
  readonly before: Reference | undefined;
}

/** Puts parts together. */
const merge = (parts: readonly Part[]): Part => ({
  edits: parts.flatMap(({ edits = [] }) => edits),
  details: mergeDetails(parts),
  reasons: parts.flatMap(({ reasons = [] }) => reasons),
  before: parts.find(({ before }) => before !== undefined)?.before,
});

/** As they are where only one part has any: there may be many. */
function mergeDetails(parts: readonly Part[]): Data {
  const all = parts.flatMap(({ details }) => (details === undefined || details.size === 0 ? [] : [details]));
  const [first = new Map<string, string>()] = all;
  return all.length < 2 ? first : new Map(all.flatMap((details) => [...details]));
}

/**
 * Makes a delivery of all parts of a share; all copies that are waited for are one reason.
 *
 * @param copies those of the share that are there.
 */
function toDelivery(parts: readonly Part[], copies: readonly ObservedCopy[]): Delivery {
  const { edits = [], details = new Map(), reasons = [], before } = merge(parts);
  const resources = new Map(edits);
  const waiting = reasons.flatMap((reason) => (reason.is === "WaitingForCopies" ? reason.targets : []));
  return {
    resources,
    dropped: copies.flatMap(({ key }) => (resources.get(key)?.is === "set" ? [] : [key])),
    details,
    reasons: [
      ...reasons.filter(({ is }) => is !== "WaitingForCopies"),
      ...(waiting.length === 0 ? [] : [{ is: "WaitingForCopies", targets: waiting } as const]),
    ],
    before,
  };
}
