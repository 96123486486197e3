import type { SecretName } from "../../../crossplane/copies.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { groupBy } from "../../../model/group-by.ts";
import { DOMAIN } from "../../../model/names.ts";
import type { Call } from "../../feature.ts";
import { formatSecret } from "../source.ts";
import type { Judgement } from "../verdict.ts";
import { findDestinations } from "./destinations.ts";
import { findCopies, isPublisher, isReleased, type ObservedCopy } from "./observed.ts";
import { toKey } from "./write.ts";

export interface JudgedShare {
  readonly shared: SharedResource;
  readonly judgement: Judgement;
}

/** The copy that has a Secret, by its name in the Composition, and who made it, in words. */
interface Possession {
  readonly key: string;
  readonly maker: string;
}

/** The copies that are there, and whose they are. */
export interface Survey {
  readonly byKey: ReadonlyMap<string, ObservedCopy>;
  readonly bySecret: ReadonlyMap<string, readonly ObservedCopy[]>;
  /** By the name of the share that decides about them. */
  readonly byShare: ReadonlyMap<string, readonly ObservedCopy[]>;
  /** Whose copy has which Secret; those that are composed in this call are added. Two writers would never come to rest. */
  readonly possessions: Map<string, Possession>;
}

/** Finds which share decides about each copy that is there. */
export function survey(shares: readonly JudgedShare[], copies: readonly ObservedCopy[], call: Call): Survey {
  const byShare = new Map(shares.map(({ shared }) => [shared.name, [] as ObservedCopy[]]));
  const orphans: ObservedCopy[] = [];
  for (const copy of copies) (byShare.get(copy.share) ?? orphans).push(copy);
  adopt(orphans, shares, byShare, call);
  const byKey = new Map(copies.map((copy) => [copy.key, copy]));
  const bySecret = groupBy(copies, ({ target }) => target && formatSecret(target));
  return { byKey, bySecret, byShare, possessions: findPossessions(shares, byShare, call) };
}

/**
 * The context key under which a step leaves the names of the copies that it has dropped. Desired no more, they look like those of
 * a share that was renamed, and a later step with the same destination must not judge them by a grant of its own.
 */
const DROPPED = `${DOMAIN}/dropped-copies`;

function droppedBefore({ request }: Call): ReadonlySet<unknown> {
  const names = request.context.at([DROPPED]);
  return new Set(Array.isArray(names) ? names : []);
}

/** The context entry for later steps; none where nothing was dropped. */
export function keepDropped(dropped: readonly string[], call: Call): readonly (readonly [string, readonly string[]])[] {
  if (dropped.length === 0) return [];
  const before = [...droppedBefore(call)].filter((name) => typeof name === "string");
  return [[DROPPED, [...new Set([...before, ...dropped])].sort()]];
}

/** A share that was renamed still decides about the copies at its destinations; those of earlier steps are left to them. */
function adopt(
  orphans: readonly ObservedCopy[],
  shares: readonly JudgedShare[],
  byShare: ReadonlyMap<string, ObservedCopy[]>,
  call: Call,
): void {
  if (orphans.length === 0) return;
  const wanted = shares.flatMap((share) =>
    listDestinations(share, call).map((destination) => [formatSecret(destination), share.shared.name] as const),
  );
  // The first in the input has it.
  const owners = new Map(wanted.reverse());
  const dropped = droppedBefore(call);
  for (const copy of orphans) {
    const owner = copy.target && owners.get(formatSecret(copy.target));
    const isOfEarlierStep = call.request.desired.resources.has(copy.key) || dropped.has(copy.key);
    if (owner !== undefined && !isOfEarlierStep) byShare.get(owner)?.push(copy);
  }
}

function listDestinations({ shared, judgement: { verdict } }: JudgedShare, call: Call): readonly SecretName[] {
  if (verdict.is === "copy") return verdict.destinations.map(({ destination }) => destination);
  const found = findDestinations(shared.connection?.copies ?? [], call);
  return found.is === "set" ? found.value.destinations : [];
}

/** Earlier steps have what they desire, and shares have what is there of them; the first in the input where there are two. */
function findPossessions(
  shares: readonly JudgedShare[],
  byShare: ReadonlyMap<string, readonly ObservedCopy[]>,
  { request }: Call,
): Map<string, Possession> {
  const possessions = new Map<string, Possession>();
  for (const { key, share, target } of findCopies(request.desired.resources)) {
    if (target === undefined || byShare.has(share)) continue;
    possessions.set(formatSecret(target), { key, maker: `shared resource ${share} of an earlier step` });
  }
  for (const { shared, judgement } of shares) {
    const held = (byShare.get(shared.name) ?? []).filter((copy) => !isDroppable(copy));
    possessAll(possessions, held, shared.name, keysByDestination(shared.name, judgement));
  }
  return possessions;
}

function possessAll(
  possessions: Map<string, Possession>,
  copies: readonly ObservedCopy[],
  share: string,
  keys: ReadonlyMap<string, string>,
): void {
  for (const { key, target } of copies) {
    if (target === undefined || possessions.has(formatSecret(target))) continue;
    possess(possessions, target, keys.get(formatSecret(target)) ?? key, share);
  }
}

/** The name of the copy that a share is to compose for each Secret: what is there of it may still have another name. */
function keysByDestination(share: string, { verdict }: Judgement): ReadonlyMap<string, string> {
  const destinations = verdict.is === "copy" ? verdict.destinations : [];
  return new Map(
    destinations.map(({ destination }) => [formatSecret(destination), toKey(share, destination)] as const).reverse(),
  );
}

/** Notes that a copy has a Secret. */
export function possess(possessions: Map<string, Possession>, secret: SecretName, key: string, share: string): void {
  possessions.set(formatSecret(secret), { key, maker: `shared resource ${share} of this XR` });
}

/** Tells whether an Object can be dropped without its Secret, because its provider has read that it only observes. */
const isDroppable = ({ resource }: ObservedCopy): boolean => !isPublisher(resource) && isReleased(resource.document);

/** Tells whether another copy has to wait until this one has released their Secret. */
export const isInTheWay = (copy: ObservedCopy): boolean =>
  copy.resource.document.at(["kind"]) !== "Secret" && !isDroppable(copy);
