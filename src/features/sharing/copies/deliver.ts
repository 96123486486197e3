import { formatSecret } from "../../../crossplane/copies.ts";
import type { ResourceEdit } from "../../../model/draft.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Bindings } from "../../../records/record.ts";
import type { Call } from "../../feature.ts";
import type { Judged } from "../judgement.ts";
import { joinReasons } from "../reasons.ts";
import { contentsFor, type Room } from "./contents.ts";
import { type Decision, decideSecret, keepAll } from "./decide-secret.ts";
import type { ObservedCopy } from "./observed.ts";
import { findPossession, formatMaker, gatherRows, type Possession } from "./rows.ts";

/** The composed resources of one share, and the reasons why copies are missing. */
export type Delivery = ReturnType<typeof deliverCopies>[number];

/**
 * Delivers the copies of all shares: each takes its Secrets in the order of the input, after those that have them already.
 *
 * @param earlier the shares of earlier steps, by their record.
 */
export function deliverCopies(
  shares: readonly Judged[],
  observed: readonly ObservedCopy[],
  earlier: Bindings,
  call: Call,
) {
  const possession = findPossession(shares, observed, earlier, call);
  const room = { left: MAX_COPIES_BYTES };
  return shares.map((share) => {
    const copies = possession.byShare.get(share.shared.name) ?? [];
    const decisions = decideShare(share, copies, possession, room);
    // An earlier step of this function may have kept a copy that this one drops.
    const kept = copies.filter(({ key }) => call.request.desired.resources.has(key));
    const dropped = kept.map(({ key }): readonly [string, ResourceEdit] => [key, { is: "removed" }]);
    return {
      copies, // that the share decides about
      resources: new Map([...dropped, ...decisions.flatMap(({ resource }) => (resource ? [resource] : []))]),
      reasons: joinReasons([...share.judgement.reasons, ...decisions.flatMap(({ reason }) => reason ?? [])]),
      // The Secrets of the copies that are written or kept, and the shared resource that each is made from.
      made: decisions.flatMap(({ made = [] }) => made),
    };
  });
}

/** Decides Secret by Secret. Copies at no target are dropped. A Secret that the share takes is no later share's. */
function decideShare(share: Judged, copies: readonly ObservedCopy[], possession: Possession, room: Room) {
  const { shared, call } = share;
  const { copies: copying } = share.judgement;
  if (shared.connection === undefined || copying.is === "nothing") return [];
  if (copying.is !== "copy") return keepAll(copies, copying.is, share);
  const having = { ...share, copying, contentsOf: contentsFor(copying, room, call) };
  const decisions: Decision[] = [];
  for (const row of gatherRows(shared.name, copying.targets, possession)) {
    const decided = decideSecret(row, having);
    decisions.push(...decided);
    if (decided.some(({ isTaken }) => isTaken))
      possession.holders.set(formatSecret(row.target), formatMaker(shared.name));
  }
  return decisions;
}
