import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import type { Document } from "../../../model/document.ts";
import { findGrantedAccess, findShareAccess, findUnaccepting } from "../access.ts";
import { type Cause, isWaiting, type Judged, type Share } from "../judgement.ts";
import { type Grant, isOfKind, lookUpRecorded, toGrant } from "../recorded.ts";
import { findSource } from "../source.ts";
import { type ObservedCopy, theSame } from "./observed.ts";

/** The reason why a copy is not written. `refused`: the resource that copies are made from now does not grant it. */
export type KeptFor = Cause | "refused";

/**
 * Decides whether a copy that is not written in this call stays: it lives as long as the grant that it was made under.
 *
 * The XR's present fields do not count, because the consumer writes them. The shared resource that is recorded on what
 * we composed is asked for by name, and its grant is judged for the copy's namespace, which has to accept it still. A copy without a
 * record is one of the present shared resource.
 *
 * - Granted and accepted, or not known: it stays. Either taken back: it goes, even while nothing is known of what the XR names now.
 * - The shared resource is gone, or names another Secret than the copy reads: `onSourceMissing`.
 */
export function isKept(copy: ObservedCopy, cause: KeptFor, share: Judged): boolean {
  const { shared, judgement } = share;
  // The resource that copies are made from now, whose grant for this copy has been judged in this call already.
  const now = judgement.copies.is === "copy" ? judgement.copies.origin : undefined;
  if (isWaiting(judgement)) return true;
  const former = findFormer(copy, shared, now);
  if (former.length === 0 && isTaken(cause, share)) return false;
  // Asked for together with the Namespace: the calls to come may need it.
  const grant = judgeOrigins(copy, [...former, ...copy.earlier], share);
  return (cause === "unknown" || isAccepted(copy, share)) && grant !== "ended";
}

/** Tells whether what the present shared resource has delivered is taken back. */
const isTaken = (cause: KeptFor, { shared }: Share): boolean =>
  cause === "refused" || (cause === "gone" && shared.connection?.onSourceMissing === "Delete");

/**
 * Finds the shared resource that a copy was made from, if that is another one than now. A team may edit a Secret in its own namespace,
 * with the record on it, and Crossplane looks up what the record names: so on a Secret a record of another kind does not count. Only
 * we edit an Object.
 */
function findFormer({ origin, isSecret }: ObservedCopy, shared: SharedResource, now: Reference | undefined) {
  if (origin === undefined || (isSecret && !isOfKind(origin, shared))) return [];
  return now !== undefined && isSameResource(origin, now) ? [] : [origin];
}

/** Tells whether the namespace of a copy accepts it, or cannot be asked. */
function isAccepted({ target }: ObservedCopy, { shared: { connection }, call }: Share): boolean {
  if (target === undefined) return true;
  // Of two copies in one namespace, one may take it from a field that a team writes.
  const isListed = (connection?.copies ?? []).some(
    ({ namespaces, secretName }) =>
      namespaces?.is === "literal" &&
      [namespaces.value].flat().includes(target.namespace) &&
      (secretName.is !== "literal" || secretName.value === target.name),
  );
  return findUnaccepting(target.namespace, isListed, call)?.is !== "NamespaceNotAccepting";
}

/** Judges the grants of all origins for one copy: each may still be in it. All are asked for at once. */
export function judgeOrigins(copy: ObservedCopy, origins: readonly Reference[], share: Share): Grant {
  const grants = origins.map((origin) => judgeOrigin(copy, origin, share));
  return (["ended", "pending"] as const).find((grant) => grants.includes(grant)) ?? "stands";
}

function judgeOrigin(copy: ObservedCopy, origin: Reference, share: Share): Grant {
  const found = lookUpRecorded(origin, share);
  if (found === "gone") return toGrant(share.shared.connection?.onSourceMissing === "Keep");
  return typeof found === "string" ? found : judgeRecorded(copy, origin, found, share);
}

function judgeRecorded(copy: ObservedCopy, origin: Reference, found: Document, { shared, call }: Share): Grant {
  const { target, source } = copy;
  const named = shared.connection && findSource(found, shared.connection.secretRef, target?.namespace, call);
  if (named?.is === "pending") return "pending";
  const secret = named?.is === "named" ? named.secret : undefined;
  // A share that needs no grant, such as one of this XR itself, gives none for what another share has copied.
  const isOurs = isOfKind(origin, shared) || isSameResource(origin, call.composite);
  const namespaces = target === undefined ? [] : [target.namespace];
  const access = (isOurs ? findShareAccess : findGrantedAccess)(shared, found, secret ?? source, namespaces, call);
  if (access.is === "pending") return "pending";
  if (!namespaces.every((each) => access.isGranted(each))) return "ended";
  // The record counts as far as it fits what the copy really reads.
  const isFitting = theSame([secret, source]) !== undefined;
  return toGrant(isFitting || origin !== copy.origin || shared.connection?.onSourceMissing === "Keep");
}
