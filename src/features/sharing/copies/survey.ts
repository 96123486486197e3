import type { SharedResource } from "../../../input/shared-resource.ts";
import type { Call } from "../../feature.ts";
import { formatSecret, type SecretName } from "../source.ts";
import type { Judgement } from "../verdict.ts";
import { findDestinations } from "./destination.ts";
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

/** Finds the copies that are there, and which share decides about each. */
export function survey(shares: readonly JudgedShare[], call: Call): Survey {
  const copies = findCopies(call.request.observed.resources);
  const byShare = new Map(shares.map(({ shared }) => [shared.name, [] as ObservedCopy[]]));
  const orphans: ObservedCopy[] = [];
  for (const copy of copies) (byShare.get(copy.share) ?? orphans).push(copy);
  adopt(orphans, shares, byShare, call);
  const byKey = new Map(copies.map((copy) => [copy.key, copy]));
  return { byKey, bySecret: groupBySecret(copies), byShare, possessions: findPossessions(shares, byShare, call) };
}

/** A share that was renamed still decides about the copies at its destinations; those of earlier steps are left to them. */
function adopt(
  orphans: readonly ObservedCopy[],
  shares: readonly JudgedShare[],
  byShare: ReadonlyMap<string, ObservedCopy[]>,
  call: Call,
): void {
  if (orphans.length === 0) return;
  const owners = new Map<string, string>();
  for (const share of shares) {
    for (const destination of destinationsOf(share, call)) {
      const secret = formatSecret(destination);
      if (!owners.has(secret)) owners.set(secret, share.shared.name);
    }
  }
  for (const copy of orphans) {
    const owner = copy.target && owners.get(formatSecret(copy.target));
    const isOfEarlierStep = call.request.desired.resources.has(copy.key);
    if (owner !== undefined && !isOfEarlierStep) byShare.get(owner)?.push(copy);
  }
}

function destinationsOf({ shared, judgement: { verdict } }: JudgedShare, call: Call): readonly SecretName[] {
  if (verdict.is === "copy") return verdict.destinations.map(({ destination }) => destination);
  const found = findDestinations(shared.connection?.copies ?? [], call);
  return found.is === "set" ? found.value.destinations : [];
}

function groupBySecret(copies: readonly ObservedCopy[]): ReadonlyMap<string, readonly ObservedCopy[]> {
  const groups = new Map<string, ObservedCopy[]>();
  for (const copy of copies) {
    if (copy.target === undefined) continue;
    const secret = formatSecret(copy.target);
    const group = groups.get(secret);
    if (group === undefined) groups.set(secret, [copy]);
    else group.push(copy);
  }
  return groups;
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
    const destinations = judgement.verdict.is === "copy" ? judgement.verdict.destinations : [];
    const keys = new Map(
      destinations.map(({ destination }) => [formatSecret(destination), toKey(shared.name, destination)]),
    );
    for (const copy of byShare.get(shared.name) ?? []) {
      const secret = copy.target && formatSecret(copy.target);
      if (copy.target === undefined || secret === undefined || isDroppable(copy) || possessions.has(secret)) continue;
      possess(possessions, copy.target, keys.get(secret) ?? copy.key, shared.name);
    }
  }
  return possessions;
}

export function possess(possessions: Map<string, Possession>, secret: SecretName, key: string, share: string): void {
  possessions.set(formatSecret(secret), { key, maker: `shared resource ${share} of this XR` });
}

/** Whether an Object can go without its Secret, since its provider has read that it observes only. */
export const isDroppable = ({ resource }: ObservedCopy): boolean =>
  !isPublisher(resource) && isReleased(resource.document);

/** Whether another copy has to wait until this one has let go of their Secret. */
export const isInTheWay = (copy: ObservedCopy): boolean =>
  copy.resource.document.at(["kind"]) !== "Secret" && !isDroppable(copy);
