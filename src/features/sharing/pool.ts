import { isBeingDeleted, isPaused, readUid } from "../../crossplane/metadata.ts";
import { isSameResource, toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import type { Document } from "../../model/document.ts";
import { hashText } from "../../model/hash.ts";
import { admissionSubject, askAnswer } from "../../records/answer.ts";
import { isFull, readLoad } from "../../records/capacity.ts";
import { findBinding, recordId } from "../../records/record.ts";
import { findShareAccess } from "./access.ts";
import { type Found, type Judgement, type Lookup, type Share, unfound, withoutCopies } from "./judgement.ts";

/**
 * Chooses the member of a pool that the XR asks for admission: if possible, one that grants access and has room.
 *
 * @param sorted the members that match, in order. None of them serves the XR yet.
 */
export function chooseMember(share: Share, sorted: readonly Document[], name: string): Lookup {
  const { shared, own, call } = share;
  // An XR without a namespace may have access by the namespaces of its copies, which are judged after the choice.
  const asking = own === undefined ? [] : [own];
  const open: Document[] = [];
  for (const item of sorted) {
    const access = findShareAccess(shared, item, undefined, asking, call);
    if (access.is === "pending") return unfound("unknown", access.reason);
    if (hasRoom(item) && asking.every(access.isGranted)) open.push(item);
  }
  // A member without a load may have no `consumers.capacity`, and then it admits nobody. Nor does one that is paused.
  const admitting = open.filter((item) => readLoad(item) !== undefined && !isPaused(item));
  const best = admitting.length > 0 ? admitting : open;
  const chosen = [findAsked(share, sorted, best) ?? findPreferred(shared, best) ?? sorted[0]];
  return { is: "found", resources: chosen.filter((item) => item !== undefined), name };
}

/** Tells whether a member can admit an XR. One that is being deleted cannot, since Crossplane does not run its pipeline. */
const hasRoom = (member: Document): boolean => !isFull(member) && !isBeingDeleted(member);

/**
 * Finds the member that the XR asked before; undefined if the XR has to ask another, since that member is not in `best` and
 * has not admitted the XR, but other members are in `best`. Nothing moves: the former member never served the XR.
 *
 * @param best the members that grant access and have room: if possible, only those that seem to admit XRs now.
 */
function findAsked(share: Share, sorted: readonly Document[], best: readonly Document[]): Document | undefined {
  const [last] = share.before;
  const asked = sorted.find((item) => last !== undefined && isSameResource(toReference(item), last.resource));
  if (asked === undefined || best.length === 0 || best.includes(asked)) return asked;
  return judgeAdmission(asked, share) === "refused" ? undefined : asked;
}

/** Finds the first member or, with `prefer: LeastUsed`, the least used. */
function findPreferred({ select }: SharedResource, best: readonly Document[]): Document | undefined {
  if (select.by !== "labels" || select.prefer !== "LeastUsed") return best[0];
  return [...best].sort((a, b) => (readLoad(a) ?? 0) - (readLoad(b) ?? 0))[0];
}

/** Judges whether a member has admitted the XR. If so, its answer repeats the ticket in the XR's record. */
function judgeAdmission(resource: Document, { shared, before, call }: Share): "pending" | "admitted" | "refused" {
  const { composite, requirements } = call;
  const subject = admissionSubject(composite.namespace, recordId(composite), shared.name);
  const answer = askAnswer(resource, subject, requirements);
  if (answer === "pending") return "pending";
  const ticket = findBinding(toReference(resource), before)?.ticket;
  return ticket !== undefined && answer?.ticket === ticket ? "admitted" : "refused";
}

/** Makes a new ticket for each member that the XR asks: an answer to an earlier ticket must not admit the XR. */
function toTicket({ before, call }: Share): string {
  const numbers = before.map(({ ticket }) => Number(ticket?.split(".")[1] ?? 0));
  const uid = readUid(call.composite.document) ?? "";
  return `${hashText(uid, 16)}.${Math.max(0, ...numbers) + 1}`;
}

/**
 * Serves an XR only from the member of a pool that has admitted the XR. The XR's record alone does not prove an admission,
 * since a team may edit it. If only the record says that the XR is served, as right after a restore, the XR keeps its copies
 * and fields, and gets nothing new.
 */
export function withAdmission(judged: Judgement, share: Share, { resources: [resource], name }: Found): Judgement {
  const { select } = share.shared;
  const isPool = select.by === "labels" && select.prefer !== undefined;
  if (!isPool || judged.named === undefined || resource === undefined) return judged;
  const known = findBinding(judged.named.resource, share.before);
  const named = { ...judged.named, ticket: known?.ticket ?? toTicket(share) };
  if (named.access !== "Granted") return { ...judged, named };
  const admission = judgeAdmission(resource, share);
  if (admission === "admitted") return { ...judged, named };
  if (admission === "pending")
    return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: "the admission of this XR" });
  const reason = { is: hasRoom(resource) ? "WaitingForAdmission" : "NoCapacity", wanted: name } as const;
  const access = known?.access ?? "Requested";
  return { ...withoutCopies("broken", reason), named: { ...named, access } };
}
