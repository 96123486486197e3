import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import type { Document } from "../../../model/document.ts";
import { findGrantedAccess, findNamespaceRefusal, findShareAccess } from "../access.ts";
import { type Cause, isWaiting, type Judged, type Share } from "../judgement.ts";
import { type Grant, isOfKind, lookUpRecorded, toGrant } from "../recorded.ts";
import { findSource } from "../source.ts";
import { type ObservedCopy, theSame } from "./observed.ts";

/** The cause for which a copy is not written. `refused`: the present shared resource does not grant it. */
export type KeptFor = Cause | "refused";

/**
 * Decides whether a copy that is not written in this call stays: while the grant stands that it was made under, and its
 * namespace accepts it.
 *
 * The XR's present fields do not count, since the consumer writes them: the shared resource that is recorded on the
 * composed resource is looked up, and judged for the copy's namespace. A copy without a record counts as one of the
 * present shared resource.
 *
 * - Granted and accepted, or not known: it stays. Either taken back: it goes, also while the resource that the XR names
 *   is not known.
 * - The shared resource is gone, or names another Secret than the copy reads: `onSourceMissing` decides.
 */
export function isKept(copy: ObservedCopy, cause: KeptFor, share: Judged): boolean {
  const { shared, judgement } = share;
  // The grant of the present shared resource has been judged in this call already.
  const now = judgement.copies.is === "copy" ? judgement.copies.origin : undefined;
  if (isWaiting(judgement)) return true;
  const { origin, isSecret, earlier } = copy;
  // A team may edit a Secret with its record. A recorded resource of another kind is not looked up.
  const isRecorded = origin !== undefined && !(isSecret && !isOfKind(origin, shared));
  const isFormer = isRecorded && !(now !== undefined && isSameResource(origin, now));
  const isTaken = cause === "refused" || (cause === "gone" && shared.connection?.onSourceMissing === "Delete");
  if (!isFormer && isTaken) return false;
  // Asked for together with the Namespace, since Crossplane calls six times at most.
  const grant = judgeOrigins(copy, isFormer ? [origin, ...earlier] : earlier, share);
  return (cause === "unknown" || isAccepted(copy, share)) && grant !== "ended";
}

/** Tells whether the namespace of a copy accepts it, or is not known to refuse it. */
function isAccepted({ target }: ObservedCopy, { shared: { connection }, call }: Share): boolean {
  if (target === undefined) return true;
  // Of two copies in one namespace, one may come from a field that a team writes.
  const isListed = (connection?.copies ?? []).some(
    ({ namespaces, secretName }) =>
      namespaces?.is === "literal" &&
      [namespaces.value].flat().includes(target.namespace) &&
      (secretName.is !== "literal" || secretName.value === target.name),
  );
  return findNamespaceRefusal(target.namespace, isListed, call)?.is !== "NamespaceNotAccepting";
}

/** Judges the grants of all origins whose values a copy may hold. Asks for all of them at once. */
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
  // The record counts only if it fits the Secret that the copy reads. Of a former shared resource the copy reads no more.
  const isFitting = theSame([secret, source]) !== undefined;
  const isFormer = copy.origin === undefined || !isSameResource(origin, copy.origin);
  return toGrant(isFitting || isFormer || shared.connection?.onSourceMissing === "Keep");
}
