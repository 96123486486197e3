import { formatSecret } from "../../../crossplane/copies.ts";
import { groupBy } from "../../../model/collections.ts";
import { brief } from "../../../model/condition.ts";
import type { Bindings } from "../../../records/record.ts";
import type { Call } from "../../feature.ts";
import type { Judged, JudgedTarget } from "../judgement.ts";
import { copyName } from "./copy-name.ts";
import { findCopies, isReleased, type ObservedCopy } from "./observed.ts";

export const formatMaker = (share: string): string => `shared resource ${share} of this XR`;

/**
 * Assigns each observed copy to a share, and each Secret to one maker, the share that writes it. Two makers would overwrite
 * each other for ever.
 */
export function assignCopies(
  shares: readonly Judged[],
  copies: readonly ObservedCopy[],
  earlier: Bindings,
  { request: { desired } }: Call,
) {
  const names = new Set(shares.map(({ shared }) => shared.name));
  const targeted = shares.flatMap(({ shared, targets }) =>
    targets.list.map((target) => [formatSecret(target), shared.name] as const),
  );
  const shareByTarget = new Map(targeted.reverse()); // the first share in the input wins
  const findShare = ({ key, share, target }: ObservedCopy): string | undefined => {
    if (names.has(share) || earlier.has(share) || desired.resources.has(key)) return share;
    // The copy's share was renamed or removed. A share that has the copy's Secret as a target takes the copy over.
    return target && shareByTarget.get(formatSecret(target));
  };
  // A share's own copies come before those that it takes over: the first binding decides on fields.
  const ownFirst = copies.toSorted((a, b) => Number(names.has(b.share)) - Number(names.has(a.share)));
  const byShare = groupBy(ownFirst, findShare);
  // The maker of each Secret. withCopies adds those of the Secrets that this call composes.
  const holders = new Map<string, string>();
  const hold = ({ target }: ObservedCopy, maker: string) => {
    if (target !== undefined && !holders.has(formatSecret(target))) holders.set(formatSecret(target), maker);
  };
  // First the copies that earlier steps desire, then the observed copies by the order of shares in the input.
  for (const copy of findCopies(desired.resources))
    if (!names.has(copy.share)) hold(copy, `shared resource ${brief(copy.share)} of an earlier step`);
  for (const name of names)
    for (const copy of byShare.get(name) ?? []) if (!isReleased(copy)) hold(copy, formatMaker(name));
  return { byShare, bySecret: groupBy(copies, ({ target }) => target && formatSecret(target)), holders };
}

export interface Row {
  readonly target: JudgedTarget;
  /** The copy's name in the Composition. */
  readonly key: string;
  readonly observed: ObservedCopy | undefined;
  /** The observed copies of the Secret that this share decides about. Each copy is in one row only. */
  readonly copies: readonly ObservedCopy[];
  /** Names who writes the Secret, if that is not this row's copy. */
  readonly holder: string | undefined;
  /** True if an observed Object could still delete the Secret: see `isReleased`. */
  readonly isHeld: boolean;
}

/** Makes the rows of a share's targets. Of two targets with the same Secret, the first gets it and its copies. */
export function gatherRows(
  share: string,
  targets: readonly JudgedTarget[],
  assigned: ReturnType<typeof assignCopies>,
): readonly Row[] {
  const { byShare, bySecret, holders } = assigned;
  const maker = formatMaker(share);
  const own = new Map(byShare.get(share)?.map((copy) => [copy.key, copy]));
  const unassigned = new Set(own.values());
  const named = new Set<string>();
  const rows: Row[] = [];
  for (const target of targets) {
    const key = copyName(share, target);
    const secret = formatSecret(target);
    const observed = own.get(key);
    const ofSecret = bySecret.get(secret) ?? [];
    const candidates = new Set([...(observed ? [observed] : []), ...ofSecret]);
    const copies = [...candidates].filter((copy) => unassigned.has(copy));
    const holder = holders.get(secret) === maker ? undefined : holders.get(secret);
    const isHeld = ofSecret.some((copy) => !copy.isSecret && !isReleased(copy));
    rows.push({ target, key, observed, copies, holder: named.has(secret) ? maker : holder, isHeld });
    for (const copy of copies) unassigned.delete(copy);
    named.add(secret);
  }
  return rows;
}
