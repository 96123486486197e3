import { consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource, type Reference, toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { hashText } from "../../model/hash.ts";
import { admissionSubject, askAnswer } from "../../ownership/answer.ts";
import { isFull, readLoad } from "../../ownership/capacity.ts";
import { type Binding, recordOf } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { findShareAccess } from "./access.ts";
import type { Lookup } from "./find.ts";
import { type Judgement, withoutCopies } from "./verdict.ts";

const isPool = ({ select }: SharedResource): boolean => select.by === "labels" && select.prefer !== undefined;

/**
 * Chooses the member of a pool that the XR proposes itself to. It stays with the one that it has proposed itself to before while that
 * one has room or has admitted it, or no other has room; it was never served there, so nothing moves.
 *
 * @param sorted the members that match, in order; the XR is served by none of them yet.
 */
export function chooseMember(
  shared: SharedResource,
  sorted: readonly Document[],
  wanted: string,
  before: readonly Binding[],
  call: Call,
): Lookup {
  const { open, pending } = findOpen(shared, sorted, call);
  if (pending !== undefined) return { is: "unknown", reason: pending };
  const [last] = before;
  const proposed = sorted.find((item) => last !== undefined && isSameResource(toReference(item), last.resource));
  const isKept =
    proposed !== undefined &&
    (open.length === 0 || open.includes(proposed) || judgeAdmission(shared, proposed, before, call).is !== "refused");
  const chosen = isKept ? proposed : (preferred(shared, open) ?? sorted[0]);
  return { is: "found", resources: chosen === undefined ? [] : [chosen], name: wanted };
}

/** Finds the members that grant access to the XR and have capacity left, as far as they say. */
function findOpen(shared: SharedResource, members: readonly Document[], call: Call) {
  const own = consumerNamespace(call.composite);
  if (own === undefined) return { open: members.filter((item) => !isFull(item)) };
  const judged = members.map((item) => ({ item, access: findShareAccess(shared, item, undefined, [own], call) }));
  const pending = judged.flatMap(({ access }) => (access.is === "pending" ? [access.reason] : []))[0];
  const open = judged.filter(({ item, access }) => access.is === "known" && access.isGranted(own) && !isFull(item));
  return { open: open.map(({ item }) => item), pending };
}

/** The first, or the least used; one that does not say how full it is comes last. */
const preferred = ({ select }: SharedResource, open: readonly Document[]): Document | undefined =>
  select.by === "labels" && select.prefer === "LeastUsed"
    ? [...open].sort((a, b) => toRank(a) - toRank(b))[0]
    : (open.find((item) => readLoad(item) !== undefined) ?? open[0]);

const toRank = (item: Document): number => readLoad(item) ?? Number.MAX_SAFE_INTEGER;

/** Judges by the answer of the resource whether it has admitted the XR with the ticket in its record. */
function judgeAdmission(shared: SharedResource, resource: Document, before: readonly Binding[], call: Call) {
  const { composite, requirements } = call;
  const subject = admissionSubject(composite.namespace, recordOf(composite), shared.name);
  const answer = askAnswer(resource, subject, requirements);
  if (answer === "pending") return { is: "pending" as const };
  const ticket = findBinding(toReference(resource), before)?.ticket;
  return { is: ticket !== undefined && answer?.ticket === ticket ? ("admitted" as const) : ("refused" as const) };
}

const findBinding = (resource: Reference, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isSameResource(binding.resource, resource));

/** Makes a new ticket for each proposal, so that no answer to an earlier one counts: its place may be another XR's by now. */
function toTicket(resource: Reference, before: readonly Binding[], { composite }: Call): string {
  const known = findBinding(resource, before)?.ticket;
  if (known !== undefined) return known;
  const proposals = before.map(({ ticket }) => Number(ticket?.split(".")[1] ?? 0));
  const uid = stringAt(composite.document, ["metadata", "uid"]) ?? "";
  return `${hashText(uid, 16)}.${Math.max(0, ...proposals) + 1}`;
}

/**
 * Serves an XR only from the member of a pool that has admitted it. An XR that was served and has no answer, as right after a restore,
 * keeps what it has and gets nothing new: a team may write into its record that it was served.
 */
export function withAdmission(
  judged: Judgement,
  shared: SharedResource,
  lookup: Lookup,
  before: readonly Binding[],
  call: Call,
): Judgement {
  if (!isPool(shared) || judged.wanted === undefined || lookup.is !== "found") return judged;
  const [resource] = lookup.resources;
  if (resource === undefined) return judged;
  const wanted = { ...judged.wanted, ticket: toTicket(judged.wanted.resource, before, call) };
  if (!wanted.isGranted) return { ...judged, wanted };
  const { is } = judgeAdmission(shared, resource, before, call);
  if (is === "admitted") return { ...judged, wanted };
  const isServed = findBinding(wanted.resource, before)?.access === "Granted";
  if (is === "pending") return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: "its admission" });
  const reason = { is: isFull(resource) ? "NoCapacity" : "WaitingForAdmission", wanted: lookup.name } as const;
  if (isServed) return { ...withoutCopies("unknown", reason), wanted };
  return { ...withoutCopies("broken", reason), wanted: { ...wanted, isGranted: false } };
}
