import { isSameResource, type Reference } from "../../../crossplane/references.ts";
import { findGrantedAccess, findNamespaceRefusal, findShareAccess } from "../access.ts";
import { type Cause, type Grant, isWaiting, type Judged, type Share } from "../judgement.ts";
import { isOfKind, lookUpRecorded, toGrant } from "../recorded.ts";
import { findSource, isSameSecret } from "../source.ts";
import type { ObservedCopy } from "./observed.ts";

/** The cause for which a copy is not written. `refused`: it is not granted, or its namespace does not accept it. */
export type KeptFor = Cause | "refused";

/**
 * Decides whether a copy that is not written in this call stays: while its grant stands and its namespace accepts it.
 *
 * The consumer writes the XR's fields, so these do not decide. The shared resource that the copy's annotation records is
 * looked up, and has to grant access to the copy's namespace. A copy without that annotation counts as made from the
 * shared resource that the XR names now.
 *
 * - Granted and accepted, or unknown: the copy stays.
 * - Grant or acceptance taken back: it goes, even while the resource that the XR names now is unknown.
 * - The recorded resource is gone, or names another Secret than the copy reads: `onSourceMissing` decides.
 */
export function isKept(copy: ObservedCopy, cause: KeptFor, share: Judged): boolean {
  const { shared, judgement } = share;
  if (isWaiting(judgement)) return true;
  const { origin, isSecret, earlier } = copy;
  const now = judgement.copies.is === "copy" ? judgement.copies.origin : undefined;
  // A team may edit the annotations of a Secret, so an origin of another kind than the share's is not looked up.
  const mayBeForged = isSecret && origin !== undefined && !isOfKind(origin, shared);
  // The grant of the resource that the XR names now has been judged already: `cause` tells the result.
  const isPresent = now !== undefined && origin !== undefined && isSameResource(origin, now);
  const isFormer = origin !== undefined && !mayBeForged && !isPresent;
  const isTakenBack = cause === "refused" || (cause === "gone" && shared.connection?.onSourceMissing === "Delete");
  if (!isFormer && isTakenBack) return false;
  // The copy's origin and its earlier ones are looked up in the same call, since Crossplane calls six times at most.
  const grant = judgeOrigins(copy, isFormer ? [origin, ...earlier] : earlier, share);
  return isAccepted(copy, share) && grant !== "ended";
}

/** Tells whether the namespace of a copy accepts it. While that is unknown, it counts as accepted. */
function isAccepted({ target }: ObservedCopy, { shared: { connection }, call }: Share): boolean {
  if (target === undefined) return true;
  // The Secret's name has to fit, too: this may be another copy, which got its namespace from a field of the XR.
  const isListed = (connection?.copies ?? []).some(
    ({ namespaces, secretName }) =>
      namespaces?.is === "literal" &&
      [namespaces.value].flat().includes(target.namespace) &&
      (secretName.is !== "literal" || secretName.value === target.name),
  );
  return findNamespaceRefusal(target.namespace, isListed, call)?.is !== "NamespaceNotAccepting";
}

/** Judges the grants of all shared resources whose values a copy may hold. Looks all of them up in one call. */
export function judgeOrigins(copy: ObservedCopy, origins: readonly Reference[], share: Judged): Grant {
  const grants = origins.map((origin) => judgeOrigin(copy, origin, share));
  return (["ended", "pending"] as const).find((grant) => grants.includes(grant)) ?? "stands";
}

/** Judges one origin of a copy: it has to grant access to the copy's namespace, then to name the copy's source Secret. */
function judgeOrigin({ target, source, ...copy }: ObservedCopy, origin: Reference, share: Judged): Grant {
  const { shared, call } = share;
  const isKeptWithoutSource = shared.connection?.onSourceMissing === "Keep";
  const found = lookUpRecorded(origin, share);
  if (found === "gone") return toGrant(isKeptWithoutSource);
  if (typeof found === "string") return found;
  const named = shared.connection && findSource(found, shared.connection.secretRef, target?.namespace, call);
  if (named?.is === "pending") return "pending";
  const namedSecret = named?.is === "named" ? named.secret : undefined;
  // `grant: None` is only for resources of the share's kind. One of another kind, from which another share copied, needs a grant.
  const findAccess =
    isOfKind(origin, shared) || isSameResource(origin, call.composite) ? findShareAccess : findGrantedAccess;
  const namespaces = target === undefined ? [] : [target.namespace];
  const access = findAccess(shared, found, namedSecret ?? source, namespaces, call);
  if (access.is === "pending") return "pending";
  if (!namespaces.every((each) => access.isGranted(each))) return "ended";
  // The copy's annotation may be forged, so the resource that it records has to name the Secret that the copy reads. The
  // Secrets of `earlier` resources are not recorded.
  const isPresent = copy.origin !== undefined && isSameResource(origin, copy.origin);
  const isSourceNamed = namedSecret !== undefined && source !== undefined && isSameSecret(namedSecret, source);
  return toGrant(!isPresent || isSourceNamed || isKeptWithoutSource);
}
