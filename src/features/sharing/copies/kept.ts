import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import type { Document } from "../../../model/document.ts";
import { findGrantedAccess, findNamespaceRefusal, findShareAccess } from "../access.ts";
import { type Cause, isWaiting, type Judged, type Share } from "../judgement.ts";
import { type Grant, isOfKind, lookUpRecorded, toGrant } from "../recorded.ts";
import { findSource, isSameSecret } from "../source.ts";
import type { ObservedCopy } from "./observed.ts";

/** The cause for which a copy is not written. `refused`: it is not granted, or its namespace does not accept it. */
export type KeptFor = Cause | "refused";

/**
 * Decides whether a copy that this call does not write stays.
 *
 * - It stays while its namespace accepts it and its shared resource grants it, or while either is not known.
 * - It goes once either is revoked, even while the resource that the XR names now is not known.
 * - `onSourceMissing` decides if its shared resource is gone, or names another Secret than the copy reads.
 *
 * Its shared resource is the one recorded on the composed resource, else the present one. The consumer writes the XR's
 * fields, so these do not count.
 */
export function isKept(copy: ObservedCopy, cause: KeptFor, share: Judged): boolean {
  const { shared, judgement } = share;
  if (isWaiting(judgement)) return true;
  // The grant of the present shared resource has been judged in this call already.
  const now = judgement.copies.is === "copy" ? judgement.copies.origin : undefined;
  const { origin, isSecret, earlier } = copy;
  // A team may edit a Secret with its record. A recorded resource of another kind is not looked up.
  const isRecorded = origin !== undefined && !(isSecret && !isOfKind(origin, shared));
  const isFormer = isRecorded && !(now !== undefined && isSameResource(origin, now));
  const isEnded = cause === "refused" || (cause === "gone" && shared.connection?.onSourceMissing === "Delete");
  if (!isFormer && isEnded) return false;
  // Looked up before the Namespace is judged, so that one call requires both: Crossplane calls six times at most.
  const grant = judgeOrigins(copy, isFormer ? [origin, ...earlier] : earlier, share);
  return (cause === "unknown" || isAccepted(copy, share)) && grant !== "ended";
}

/** Tells whether the namespace of a copy accepts it, or is not known to refuse it. */
function isAccepted({ target }: ObservedCopy, { shared: { connection }, call }: Share): boolean {
  if (target === undefined) return true;
  // A literal namespace accepts copies of the listed name. One of another name may come from a tenant's field.
  const isListed = (connection?.copies ?? []).some(
    ({ namespaces, secretName }) =>
      namespaces?.is === "literal" &&
      [namespaces.value].flat().includes(target.namespace) &&
      (secretName.is !== "literal" || secretName.value === target.name),
  );
  return findNamespaceRefusal(target.namespace, isListed, call)?.is !== "NamespaceNotAccepting";
}

/** Judges the grants of all shared resources whose values a copy may hold, and looks all of them up at once. */
export function judgeOrigins(copy: ObservedCopy, origins: readonly Reference[], share: Share): Grant {
  const grants = origins.map((origin) => judgeOrigin(copy, origin, share));
  return (["ended", "pending"] as const).find((grant) => grants.includes(grant)) ?? "stands";
}

function judgeOrigin(copy: ObservedCopy, origin: Reference, share: Share): Grant {
  const found = lookUpRecorded(origin, share);
  if (found === "gone") return toGrant(share.shared.connection?.onSourceMissing === "Keep");
  return typeof found === "string" ? found : judgeRecorded(copy, origin, found, share);
}

/** Judges the grant of a recorded shared resource that exists to the copy's namespace. */
function judgeRecorded(copy: ObservedCopy, origin: Reference, found: Document, { shared, call }: Share): Grant {
  const { target, source } = copy;
  const named = shared.connection && findSource(found, shared.connection.secretRef, target?.namespace, call);
  if (named?.is === "pending") return "pending";
  const secret = named?.is === "named" ? named.secret : undefined;
  const namespaces = target === undefined ? [] : [target.namespace];
  // `grant: None` and `select.self` count for this share's own resources, not for those of a share that it takes over.
  const isOwn = isOfKind(origin, shared) || isSameResource(origin, call.composite);
  const findAccess = isOwn ? findShareAccess : findGrantedAccess;
  const access = findAccess(shared, found, secret ?? source, namespaces, call);
  if (access.is === "pending") return "pending";
  if (!namespaces.every(access.isGranted)) return "ended";
  // The grant covers only the Secret that the shared resource names now. A copy no longer reads a former one's.
  const isFormer = copy.origin === undefined || !isSameResource(origin, copy.origin);
  const isNamed = secret !== undefined && source !== undefined && isSameSecret(secret, source);
  return toGrant(isFormer || isNamed || shared.connection?.onSourceMissing === "Keep");
}
