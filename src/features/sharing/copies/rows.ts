import { formatSecret } from "../../../crossplane/copies.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { groupBy } from "../../../model/collections.ts";
import type { Bindings } from "../../../ownership/record.ts";
import type { Call } from "../../feature.ts";
import type { JudgedTarget, Judgement } from "../verdict.ts";
import { copyName, findCopies, isDroppable, isSecret, type ObservedCopy } from "./observed.ts";
import type { Targets } from "./targets.ts";

/** A shared resource of the input, the Secrets that are to be its copies, and the decision about it. */
export interface JudgedShare {
  readonly shared: SharedResource;
  readonly targets: Targets;
  readonly judgement: Judgement;
}

/** All that may want or hold one target Secret. */
export interface Row {
  readonly target: JudgedTarget;
  /** The name in the Composition of the copy that is to have the Secret. */
  readonly key: string;
  readonly observed: ObservedCopy | undefined;
  /** The observed copies of the Secret that its share decides about, `observed` first; the others are given up for it. */
  readonly copies: readonly ObservedCopy[];
  /** The maker of another copy that has the Secret. */
  readonly holder: string | undefined;
  /** True if an Object that is not released still holds the Secret. */
  readonly isHeld: boolean;
}

/** The copies by Secret, so that each Secret has one writer: two would overwrite each other for ever. */
export interface Possession {
  /** By the name of the share that decides about them. */
  readonly byShare: ReadonlyMap<string, readonly ObservedCopy[]>;
  readonly bySecret: ReadonlyMap<string, readonly ObservedCopy[]>;
  /** By Secret, the maker of the copy that has it; those that are composed in this call are added. */
  readonly holders: Map<string, string>;
}

export const formatMaker = (share: string): string => `shared resource ${share} of this XR`;

export function findPossession(
  shares: readonly JudgedShare[],
  copies: readonly ObservedCopy[],
  earlier: Bindings,
  call: Call,
): Possession {
  const byShare = new Map(shares.map(({ shared }) => [shared.name, [] as ObservedCopy[]]));
  const orphans = copies.filter((copy) => byShare.get(copy.share)?.push(copy) === undefined);
  adopt(orphans.filter(isNoStepsOf(earlier, call)), shares, byShare);
  // The copy that an earlier step desires has its Secret, else an observed one of the first share in the input.
  const ofSteps = findCopies(call.request.desired.resources)
    .filter(({ share }) => !byShare.has(share))
    .map(({ target, share }) => ({ target, maker: `shared resource ${share} of an earlier step` }));
  const ofShares = [...byShare].flatMap(([share, own]) =>
    own.filter((copy) => !isDroppable(copy)).map(({ target }) => ({ target, maker: formatMaker(share) })),
  );
  const held = [...ofSteps, ...ofShares].flatMap(({ target, maker }) =>
    target === undefined ? [] : [[formatSecret(target), maker] as const],
  );
  return {
    byShare,
    bySecret: groupBy(copies, ({ target }) => target && formatSecret(target)),
    holders: new Map(held.reverse()),
  };
}

/** Tells of copies whether no earlier step decides about them: none desires the copy, or has a share of that name. */
const isNoStepsOf =
  (earlier: Bindings, { request }: Call) =>
  ({ key, share }: ObservedCopy): boolean =>
    !request.desired.resources.has(key) && !earlier.has(share);

/** A share that was renamed still decides about the copies at its targets. */
function adopt(
  orphans: readonly ObservedCopy[],
  shares: readonly JudgedShare[],
  byShare: ReadonlyMap<string, ObservedCopy[]>,
): void {
  if (orphans.length === 0) return;
  const targets = shares.flatMap((share) => share.targets.list.map((target) => [formatSecret(target), share] as const));
  // The first in the input has it.
  const owners = new Map(targets.reverse());
  for (const copy of orphans) {
    const owner = copy.target && owners.get(formatSecret(copy.target));
    if (owner !== undefined) byShare.get(owner.shared.name)?.push(copy);
  }
}

/** Gathers the rows of a share's targets, in their order, and its copies that are at no target. */
export function gatherRows(
  share: string,
  targets: readonly JudgedTarget[],
  { byShare, bySecret, holders }: Possession,
): { readonly rows: readonly Row[]; readonly left: readonly ObservedCopy[] } {
  const byKey = new Map(byShare.get(share)?.map((copy) => [copy.key, copy]));
  const left = new Map(byKey);
  const own = formatMaker(share);
  const named = new Set<string>();
  const findHolder = (secret: string): string | undefined => {
    if (named.has(secret)) return own;
    named.add(secret);
    const holder = holders.get(secret);
    return holder === own ? undefined : holder;
  };
  const rows = targets.map((target): Row => {
    const key = copyName(share, target);
    const secret = formatSecret(target);
    const observed = byKey.get(key);
    const there = bySecret.get(secret) ?? [];
    return {
      target,
      key,
      observed,
      copies: [...(observed ? [observed] : []), ...there].filter((copy) => left.delete(copy.key)), // each is in one row
      holder: target.copy.via === "CompositeConnectionDetails" ? undefined : findHolder(secret),
      isHeld: there.some((copy) => !isSecret(copy.resource.document) && !isDroppable(copy)),
    };
  });
  return { rows, left: [...left.values()] };
}
