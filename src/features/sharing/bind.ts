import { consumerNamespace } from "../../crossplane/composite.ts";
import { isSameResource, type Reference, resourceKey, toReference } from "../../crossplane/references.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { groupBy } from "../../model/collections.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { hashText } from "../../model/hash.ts";
import { admissionSubject, askAnswer } from "../../ownership/answer.ts";
import { isFull, readLoad } from "../../ownership/capacity.ts";
import { type Binding, type Bindings, MAX_BINDINGS, recordOf } from "../../ownership/record.ts";
import type { Call } from "../feature.ts";
import { findShareAccess } from "./access.ts";
import type { Delivery } from "./copies/deliver.ts";
import { findCopied } from "./copies/observed.ts";
import { isOfKind, judgeBound } from "./copies/recorded.ts";
import { resolveTargets } from "./copies/targets.ts";
import type { Found, Lookup } from "./find.ts";
import { type Judged, type Judgement, type Share, withoutCopies } from "./verdict.ts";

/** Resolves a share, without recorded bindings to other kinds: a team may write them, and Crossplane would look them up. */
export function toShare(shared: SharedResource, recorded: Bindings, call: Call): Share {
  const before = isBound(shared) ? (recorded.get(shared.name) ?? []) : [];
  return {
    shared,
    targets: resolveTargets(shared.connection?.copies ?? [], call),
    before: before.filter(({ resource }) => isOfKind(resource, shared)),
    own: consumerNamespace(call.composite),
    call,
  };
}

/** Tells whether a share is bound to one resource: not to this XR itself, or to a list for later steps. */
const isBound = ({ select }: SharedResource): boolean =>
  select.by === "name" || (select.by === "labels" && select.maxMatch === 1);

export const findBinding = (resource: Reference, bindings: readonly Binding[]): Binding | undefined =>
  bindings.find((binding) => isSameResource(binding.resource, resource));

/** Says of the resource that the XR names now what the record is to say. */
export function toWanted(resource: Reference, isGranted: boolean, before: readonly Binding[]): Judgement["wanted"] {
  if (isGranted) return { resource, access: "Granted" };
  const known = findBinding(resource, before);
  return { resource, access: known === undefined || known.access === "Requested" ? "Requested" : "Revoked" };
}

/**
 * Chooses the member of a pool that the XR proposes itself to, where it can among those that grant access and have capacity left.
 *
 * @param sorted the members that match, in order; the XR is served by none of them yet.
 */
export function chooseMember(share: Share, sorted: readonly Document[], name: string): Lookup {
  const { shared, own, call } = share;
  const open: Document[] = [];
  for (const item of sorted) {
    const access = own === undefined ? undefined : findShareAccess(shared, item, undefined, [own], call);
    if (access?.is === "pending") return withoutCopies("unknown", access.reason);
    if (!isFull(item) && access?.isGranted(own ?? "*") !== false) open.push(item);
  }
  const chosen = [findProposed(share, sorted, open) ?? findPreferred(shared, open) ?? sorted[0]];
  return { is: "found", resources: chosen.filter((item) => item !== undefined), name };
}

/**
 * Finds the member that the XR has proposed itself to before, while that one has room or has admitted it, or no other has room. The XR
 * was never served there, so nothing moves.
 */
function findProposed(share: Share, sorted: readonly Document[], open: readonly Document[]): Document | undefined {
  const [last] = share.before;
  const proposed = sorted.find((item) => last !== undefined && isSameResource(toReference(item), last.resource));
  if (proposed === undefined || open.length === 0 || open.includes(proposed)) return proposed;
  return judgeAdmission(proposed, share) === "refused" ? undefined : proposed;
}

/** The first, or the least used; one that does not say how full it is comes last. */
function findPreferred({ select }: SharedResource, open: readonly Document[]): Document | undefined {
  const isByLoad = select.by === "labels" && select.prefer === "LeastUsed";
  const toRank = (item: Document): number => {
    const load = readLoad(item);
    return load === undefined ? Number.MAX_SAFE_INTEGER : isByLoad ? load : 0;
  };
  return [...open].sort((a, b) => toRank(a) - toRank(b))[0];
}

/** Judges by the answer of the resource whether it has admitted the XR with the ticket in its record. */
function judgeAdmission(resource: Document, { shared, before, call }: Share): "pending" | "admitted" | "refused" {
  const { composite, requirements } = call;
  const subject = admissionSubject(composite.namespace, recordOf(composite), shared.name);
  const answer = askAnswer(resource, subject, requirements);
  if (answer === "pending") return "pending";
  const ticket = findBinding(toReference(resource), before)?.ticket;
  return ticket !== undefined && answer?.ticket === ticket ? "admitted" : "refused";
}

/** Makes a new ticket for each proposal, so that no answer to an earlier one counts: its place may be another XR's by now. */
function toTicket({ before, call }: Share): string {
  const proposals = before.map(({ ticket }) => Number(ticket?.split(".")[1] ?? 0));
  const uid = stringAt(call.composite.document, ["metadata", "uid"]) ?? "";
  return `${hashText(uid, 16)}.${Math.max(0, ...proposals) + 1}`;
}

/**
 * Serves an XR only from the member of a pool that has admitted it. An XR that was served and has no answer, as right after a restore,
 * keeps what it has and gets nothing new: a team may write into its record that it was served.
 */
export function withAdmission(judged: Judgement, share: Share, { resources: [resource], name }: Found): Judgement {
  const { select } = share.shared;
  const isPool = select.by === "labels" && select.prefer !== undefined;
  if (!isPool || judged.wanted === undefined || resource === undefined) return judged;
  const known = findBinding(judged.wanted.resource, share.before);
  const wanted = { ...judged.wanted, ticket: known?.ticket ?? toTicket(share) };
  const admission = wanted.access === "Granted" ? judgeAdmission(resource, share) : "admitted";
  if (admission === "admitted") return { ...judged, wanted };
  if (admission === "pending")
    return withoutCopies("unknown", { is: "WaitingForRequiredResources", wanted: "its admission" });
  const reason = { is: isFull(resource) ? "NoCapacity" : "WaitingForAdmission", wanted: name } as const;
  const access = known?.access ?? "Requested";
  return { ...withoutCopies(access === "Granted" ? "unknown" : "broken", reason), wanted: { ...wanted, access } };
}

/**
 * Keeps an XR bound to the resource that served it, while that grant stands, if the XR now names none or one that it may not use. The
 * XR's fields come from the first binding in its record (only copies come from the others). They are refused once that grant is
 * revoked, even if the XR names nothing now.
 */
export function withHeld(judged: Judgement, share: Share): Judgement {
  const { wanted } = judged;
  const { targets, before, own } = share;
  const isServed = wanted?.access === "Granted";
  if (judged.is === "unknown" || (isServed && targets.details.length === 0)) return judged;
  const isHeld = ({ resource, secrets }: Binding): boolean => {
    const asking =
      own === undefined ? [...targets.namespaces, ...secrets.map(({ namespace }) => namespace), "*"] : [own];
    return judgeBound(resource, asking, share) !== "ended";
  };
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter(({ resource }) => !wanted || !isSameResource(resource, wanted.resource));
  const held = others.filter(isHeld);
  const isEnded = granted[0] !== held[0];
  const isRefused = isEnded || (judged.isRefused && (wanted?.access === "Revoked" || held.length === 0));
  return {
    ...judged,
    held: held.map(({ resource }) => resource),
    // Connection details of the XR have no record of their own: they may be of any resource that it was bound to.
    hasLost: held.length < others.length,
    isRefused: isServed ? judged.isRefused : isRefused,
  };
}

/** Binds a share to the resource that the XR names, and to those whose grants stand or whose copies are kept. */
export function bind(
  { shared, targets, before, judgement: { is, wanted, held = [] } }: Judged,
  { made, copies: observed }: Pick<Delivery, "made" | "copies">,
): readonly Binding[] {
  if (!isBound(shared)) return [];
  const copies = groupBy(made, ({ origin }) => resourceKey(origin));
  const credentialFor = shared.connection?.secretRef.perConsumer === true ? targets.namespaces[0] : undefined;
  const toBinding = ({ resource, access, ticket }: NonNullable<typeof wanted>): Binding => {
    const secrets = (copies.get(resourceKey(resource)) ?? []).flatMap(({ secret }) => secret ?? []);
    const copied = findCopied(observed, resource) ?? findBinding(resource, before)?.copied;
    return {
      resource,
      access,
      secrets,
      credentialFor,
      copied: credentialFor === undefined ? undefined : copied,
      ticket,
    };
  };
  // The resource that the XR names replaces those that it held on to; only copies may still come from these.
  const granted = [...(wanted?.access === "Granted" ? [] : held), ...made.map(({ origin }) => origin)];
  const all = [
    ...(wanted ? [wanted] : []),
    ...(is === "unknown" ? before : []),
    ...granted.map((resource) => ({
      resource,
      access: "Granted" as const,
      ticket: findBinding(resource, before)?.ticket,
    })),
  ];
  const distinct = groupBy(all, ({ resource }) => resourceKey(resource));
  return [...distinct.values()].slice(0, MAX_BINDINGS).flatMap((same) => same.slice(0, 1).map(toBinding));
}
