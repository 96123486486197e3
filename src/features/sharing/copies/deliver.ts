import { type Draft, type ResourceEdit, withResources } from "../../../model/draft.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Bindings } from "../../../records/record.ts";
import type { Call } from "../../feature.ts";
import type { Judged } from "../judgement.ts";
import { joinReasons, type SharingReason } from "../reasons.ts";
import type { Composed } from "./compose-object.ts";
import { contentsFor } from "./contents.ts";
import { countKept, type Decision, decideSecret, keepAll } from "./decide-secret.ts";
import { findCopies, type ObservedCopy } from "./observed.ts";
import { assignCopies, formatMaker, gatherRows } from "./rows.ts";

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
  const assigned = assignCopies(shares, findCopies(call.request.observed.resources), earlier, call);
  let room = MAX_COPIES_BYTES;
  const edits: (readonly [string, ResourceEdit])[] = [];
  const delivered: Delivered[] = [];
  for (const share of shares) {
    const { name } = share.shared;
    const copies = assigned.byShare.get(name) ?? [];
    const { decisions, bytes } = decideShare(share, assigned, room);
    room -= bytes;
    for (const { taken } of decisions) if (taken !== undefined) assigned.holders.set(taken, formatMaker(name));
    // Removes the share's copies that an earlier step desires. The decisions add those that are written or kept.
    const dropped = copies.filter(({ key }) => call.request.desired.resources.has(key));
    edits.push(...dropped.map(({ key }) => [key, { is: "removed" }] as const));
    edits.push(...decisions.flatMap(({ resource }) => (resource ? [resource] : [])));
    const reasons = joinReasons([...share.judgement.reasons, ...decisions.flatMap(({ reason }) => reason ?? [])]);
    delivered.push({ ...share, delivery: { copies, reasons, made: decisions.flatMap(({ made = [] }) => made) } });
  }
  return { draft: withResources(draft, edits), shares: delivered };
}

/** Decides Secret by Secret. Copies in no row are deleted. @param room the bytes that the response has left for copies */
function decideShare(share: Judged, assigned: ReturnType<typeof assignCopies>, room: number) {
  const { shared, call } = share;
  const { copies: copying } = share.judgement;
  if (shared.connection === undefined || copying.is === "nothing") return { decisions: [], bytes: 0 };
  if (copying.is !== "copy") {
    const kept = keepAll(assigned.byShare.get(shared.name) ?? [], copying.is, share);
    return { decisions: kept, bytes: countKept(kept) };
  }
  const having = { ...share, copying, contentsOf: contentsFor(copying, call) };
  const decisions: Decision[] = [];
  let bytes = 0;
  for (const row of gatherRows(shared.name, copying.targets, assigned)) {
    const decided = decideSecret(row, having, room - bytes);
    decisions.push(...decided.decisions);
    bytes += decided.bytes;
  }
  return { decisions, bytes };
}
