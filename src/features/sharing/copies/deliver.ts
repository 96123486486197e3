import { formatSecret } from "../../../crossplane/copies.ts";
import { groupBy } from "../../../model/collections.ts";
import { brief } from "../../../model/condition.ts";
import { type Draft, type ResourceEdit, withResources } from "../../../model/draft.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Bindings } from "../../../records/record.ts";
import type { Call } from "../../feature.ts";
import type { Judged } from "../judgement.ts";
import { joinReasons, type SharingReason } from "../reasons.ts";
import type { Composed } from "./compose-object.ts";
import { contentsFor } from "./contents.ts";
import { copyName } from "./copy-name.ts";
import { countKept, type Decision, decideSecret, dropCopy, keepAll } from "./decide-secret.ts";
import { findCopies, isReleased, type ObservedCopy } from "./observed.ts";

export interface Delivered extends Judged {
  readonly delivery: {
    /** The observed copies that the share decides about. */
    readonly copies: readonly ObservedCopy[];
    /** The target Secrets that are written or kept, each with the shared resource of its values. */
    readonly made: Composed["made"];
    readonly reasons: readonly SharingReason[];
  };
}

/**
 * Delivers the copies of all shares. Shares that come first in the input have precedence, for a Secret and for the bytes that
 * the response has left. A Secret that a share already writes stays with that share.
 *
 * @param earlier the bindings of earlier steps' shares, from the desired record.
 */
export function withCopies(draft: Draft, shares: readonly Judged[], earlier: Bindings, call: Call) {
  const assigned = assignCopies(shares, earlier, call);
  let room = MAX_COPIES_BYTES;
  const edits: (readonly [string, ResourceEdit])[] = [];
  const delivered: Delivered[] = [];
  for (const share of shares) {
    const { name } = share.shared;
    const copies = assigned.byShare.get(name) ?? [];
    const { decisions, bytes } = decideShare(share, assigned, room);
    room -= bytes;
    for (const { taken } of decisions) if (taken !== undefined) assigned.writers.set(taken, nameWriter(name));
    // Removes the share's copies that an earlier step desires. The decisions add those that are written or kept.
    const dropped = copies.filter(({ key }) => call.request.desired.resources.has(key));
    edits.push(...dropped.map(({ key }) => [key, { is: "removed" }] as const));
    edits.push(...decisions.flatMap(({ resource }) => (resource ? [resource] : [])));
    const reasons = joinReasons([...share.judgement.reasons, ...decisions.flatMap(({ reason }) => reason ?? [])]);
    delivered.push({ ...share, delivery: { copies, reasons, made: decisions.flatMap(({ made = [] }) => made) } });
  }
  return { draft: withResources(draft, edits), shares: delivered };
}

/**
 * Decides target by target. Of two targets with the same Secret, the first gets the Secret and its observed copies. Observed
 * copies of no target are deleted.
 *
 * @param room the bytes that the response has left for copies.
 */
function decideShare(share: Judged, { byShare, bySecret, writers }: Assigned, room: number) {
  const { connection, name } = share.shared;
  const { copies: copying } = share.judgement;
  const ofShare = byShare.get(name) ?? [];
  if (connection === undefined || copying.is === "nothing") return { decisions: [], bytes: 0 };
  if (copying.is !== "copy") {
    const kept = keepAll(ofShare, copying.is, share);
    return { decisions: kept, bytes: countKept(kept) };
  }
  const having = { ...share, copying, contentsOf: contentsFor(copying, share.call) };
  const self = nameWriter(name);
  const own = new Map(ofShare.map((copy) => [copy.key, copy]));
  const unassigned = new Set(ofShare);
  const named = new Set<string>();
  const decisions: Decision[] = [];
  let bytes = 0;
  for (const target of copying.targets) {
    const key = copyName(name, target);
    const secret = formatSecret(target);
    const observed = own.get(key);
    const ofSecret = bySecret.get(secret) ?? [];
    const candidates = new Set([...(observed ? [observed] : []), ...ofSecret]);
    const copies = [...candidates].filter((copy) => unassigned.delete(copy));
    const other = writers.get(secret) === self ? undefined : writers.get(secret);
    const writer = named.has(secret) ? self : other;
    const isHeld = ofSecret.some((copy) => !copy.isSecret && !isReleased(copy));
    named.add(secret);
    const decided = decideSecret({ target, key, observed, copies, writer, isHeld }, having, room - bytes);
    decisions.push(...decided.decisions);
    bytes += decided.bytes;
  }
  return { decisions: [...decisions, ...[...unassigned].flatMap((copy) => dropCopy(copy, share.call))], bytes };
}

const nameWriter = (share: string): string => `shared resource ${share} of this XR`;

/**
 * Assigns each observed copy to a share, and each Secret to the one share that writes it. Two writers would overwrite each
 * other for ever.
 */
function assignCopies(shares: readonly Judged[], earlier: Bindings, { request: { observed, desired } }: Call) {
  const copies = findCopies(observed.resources);
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
  // The writer of each Secret. withCopies adds those of the Secrets that this call composes.
  const writers = new Map<string, string>();
  const addWriter = ({ target }: ObservedCopy, writer: string) => {
    if (target !== undefined && !writers.has(formatSecret(target))) writers.set(formatSecret(target), writer);
  };
  // First the copies that earlier steps desire, then the observed copies by the order of shares in the input.
  for (const copy of findCopies(desired.resources))
    if (!names.has(copy.share)) addWriter(copy, `shared resource ${brief(copy.share)} of an earlier step`);
  for (const name of names)
    for (const copy of byShare.get(name) ?? []) if (!isReleased(copy)) addWriter(copy, nameWriter(name));
  return { byShare, bySecret: groupBy(copies, ({ target }) => target && formatSecret(target)), writers };
}

type Assigned = ReturnType<typeof assignCopies>;
