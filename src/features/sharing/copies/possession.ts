import { formatSecret } from "../../../crossplane/copies.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { groupBy } from "../../../model/collections.ts";
import type { Bindings } from "../../../ownership/record.ts";
import type { Call } from "../../feature.ts";
import type { Judgement } from "../verdict.ts";
import { copyName, findCopies, isDroppable, type ObservedCopy } from "./observed.ts";
import type { Targets } from "./targets.ts";

/** A shared resource of the input, the Secrets that are to be its copies, and the decision about it. */
export interface JudgedShare {
  readonly shared: SharedResource;
  readonly targets: Targets;
  readonly judgement: Judgement;
}

/** The copies by Secret, so that each Secret has one writer: two would overwrite each other for ever. */
export interface Possession {
  /** By the name of the share that decides about them. */
  readonly byShare: ReadonlyMap<string, readonly ObservedCopy[]>;
  readonly byKey: ReadonlyMap<string, ObservedCopy>;
  readonly bySecret: ReadonlyMap<string, readonly ObservedCopy[]>;
  /** By Secret, the copy that has it, by its name in the Composition; those that are composed in this call are added. */
  readonly holders: Map<string, { readonly key: string; readonly maker: string }>;
}

export function findPossession(
  shares: readonly JudgedShare[],
  copies: readonly ObservedCopy[],
  earlier: Bindings,
  call: Call,
): Possession {
  const byShare = new Map(shares.map(({ shared }) => [shared.name, [] as ObservedCopy[]]));
  const orphans = copies.filter((copy) => byShare.get(copy.share)?.push(copy) === undefined);
  adopt(orphans.filter(isNoStepsOf(earlier, call)), shares, byShare);
  return {
    byShare,
    byKey: new Map(copies.map((copy) => [copy.key, copy])),
    bySecret: groupBy(copies, ({ target }) => target && formatSecret(target)),
    holders: findHolders(shares, byShare, call),
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

/** Finds the holder of each Secret: the copy that an earlier step desires, else an observed copy of the first share in the input. */
function findHolders(
  shares: readonly JudgedShare[],
  byShare: Possession["byShare"],
  { request }: Call,
): Possession["holders"] {
  const ofSteps = findCopies(request.desired.resources)
    .filter(({ share }) => !byShare.has(share))
    .map(({ target, key, share }) => ({ target, key, maker: `shared resource ${share} of an earlier step` }));
  const ofShares = shares.flatMap((share) => {
    const names = nameCopies(share);
    const copies = (byShare.get(share.shared.name) ?? []).filter((copy) => !isDroppable(copy));
    return copies.map(({ target, key }) => {
      const name = target && names.get(formatSecret(target));
      return { target, key: name ?? key, maker: formatMaker(share.shared) };
    });
  });
  const held = [...ofSteps, ...ofShares].flatMap(({ target, ...holder }) =>
    target === undefined ? [] : [[formatSecret(target), holder] as const],
  );
  return new Map(held.reverse());
}

/** The names of the copies that a share is to compose, by Secret: the one that exists may still have another name. */
function nameCopies({ shared, judgement }: JudgedShare): ReadonlyMap<string, string> {
  const targets = judgement.is === "copy" ? judgement.targets : [];
  return new Map(targets.map((target) => [formatSecret(target), copyName(shared.name, target)] as const).reverse());
}

export const formatMaker = ({ name }: SharedResource): string => `shared resource ${name} of this XR`;
