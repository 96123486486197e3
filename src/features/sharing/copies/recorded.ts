import { toApiGroup } from "../../../crossplane/api-group.ts";
import { canSelectNamespaces } from "../../../crossplane/composite.ts";
import { isSameResource, type Reference, toReference } from "../../../crossplane/references.ts";
import { toRequirement } from "../../../crossplane/requirement-names.ts";
import type { Connection } from "../../../input/connection.ts";
import type { SharedResource } from "../../../input/shared-resource.ts";
import { type Document, stringAt } from "../../../model/document.ts";
import type { Call } from "../../feature.ts";
import { findGrantedAccess, findShareAccess, findUnaccepting } from "../access.ts";
import { findSource, isSameSecret } from "../source.ts";
import type { Cause } from "../verdict.ts";
import { isSecret, type ObservedCopy } from "./observed.ts";

export interface ConnectedShare extends SharedResource {
  readonly connection: Connection;
}

export const isConnected = (shared: SharedResource): shared is ConnectedShare => shared.connection !== undefined;

export interface ShareInCall {
  readonly shared: ConnectedShare;
  readonly call: Call;
}

/** The reason why a copy is not written. `refused`: of the resource that copies are made from now. */
export type KeptFor = Cause | "refused";

/** A grant: `pending` while an answer is missing. */
type Grant = "stands" | "pending" | "ended";

const toGrant = (isStanding: boolean): Grant => (isStanding ? "stands" : "ended");

/**
 * Decides whether a copy that is not written in this call stays: it lives as long as the grant that it was made under.
 *
 * The XR's present fields do not count, because the consumer writes them. The shared resource that is recorded on what
 * we composed is asked for by name, and its grant is judged for the copy's namespace, which has to accept it still. A copy without a
 * record is one of the present shared resource.
 *
 * - Granted and accepted, or not known yet: it stays. Either taken back: it goes.
 * - The shared resource is gone, or names another Secret than the copy reads: `onSourceMissing`.
 *
 * @param now the resource that copies are made from now, whose grant for this copy has been judged in this call already.
 */
export function isKept(copy: ObservedCopy, cause: KeptFor, now: Reference | undefined, share: ShareInCall): boolean {
  const origin = originOf(copy, share.shared) ?? now;
  const isPresent = origin === undefined || (now !== undefined && isSameResource(origin, now));
  const former = isPresent ? copy.earlier : [origin, ...copy.earlier];
  if (cause === "unknown") {
    if (now !== undefined) judgeOrigins(copy, former, share); // asks for what the calls to come may need
    return true;
  }
  if (isPresent && isTaken(cause, share)) return false;
  const grant = judgeOrigins(copy, former, share); // asked for together with the Namespace
  return isAccepted(copy, share) && grant !== "ended";
}

/** Tells whether what the present shared resource has delivered is taken back. */
const isTaken = (cause: KeptFor, { shared }: ShareInCall): boolean =>
  cause === "refused" || (cause === "gone" && shared.connection.onSourceMissing === "Delete");

/** Tells whether the namespace of a copy accepts it, or cannot be asked. */
function isAccepted({ target }: ObservedCopy, { shared, call }: ShareInCall): boolean {
  if (target === undefined) return true;
  const isListed = shared.connection.copies.some(
    ({ namespaces }) => namespaces?.is === "literal" && [namespaces.value].flat().includes(target.namespace),
  );
  return findUnaccepting(target.namespace, isListed, call)?.is !== "NamespaceNotAccepting";
}

/** Judges the grants of all origins for one copy: each may still be in it. All are asked for at once. */
export function judgeOrigins(copy: ObservedCopy, origins: readonly Reference[], share: ShareInCall): Grant {
  const grants = origins.map((origin) => judgeOrigin(copy, origin, share));
  return (["ended", "pending"] as const).find((grant) => grants.includes(grant)) ?? "stands";
}

function judgeOrigin(copy: ObservedCopy, origin: Reference, share: ShareInCall): Grant {
  const { shared, call } = share;
  const recorded = lookUpRecorded(origin, shared, call);
  switch (recorded.is) {
    case "unknown":
      return "stands";
    case "pending":
      return "pending";
    case "gone":
      return toGrant(shared.connection.onSourceMissing === "Keep");
    case "found":
      return judgeFound(copy, origin, recorded.document, share);
  }
}

/** A recorded shared resource; unknown where this version of Crossplane cannot look it up. */
type Recorded = { readonly is: "unknown" | "pending" | "gone" } | { readonly is: "found"; readonly document: Document };

function lookUpRecorded(
  resource: Reference,
  shared: SharedResource,
  { request, composite, requirements }: Call,
): Recorded {
  const { kind, namespace, name } = resource;
  if (namespace !== undefined && !canSelectNamespaces(request, composite)) return { is: "unknown" };
  // An API version that was recorded long ago may not be served any more; the one of the input is.
  const { apiVersion } = isOfKind(resource, shared) ? shared : resource;
  const selector = { apiVersion, kind, namespace, match: { name } };
  const answer = requirements.ask(toRequirement(`shared-resource/${shared.name}/recorded`, selector));
  if (answer.is === "pending") return answer;
  const document = answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === namespace);
  return document === undefined ? { is: "gone" } : { is: "found", document };
}

/** Judges the grant of a bound resource to one of the namespaces. It stands if the resource, or its Secret's name, is gone. */
export function judgeBound(
  resource: Reference,
  shared: SharedResource,
  namespaces: readonly string[],
  call: Call,
): Grant {
  const recorded = lookUpRecorded(resource, shared, call);
  if (recorded.is !== "found") return recorded.is === "pending" ? "pending" : "stands";
  const { document } = recorded;
  const source = shared.connection && findSource(document, shared.connection.secretRef, namespaces[0], call);
  const secret = source?.is === "named" ? source.secret : undefined;
  if (shared.grant === "ReferenceGrant" && secret === undefined) return "stands";
  const access = findShareAccess(shared, document, secret, namespaces, call);
  return access.is === "pending" ? "pending" : toGrant(namespaces.some((each) => access.isGranted(each)));
}

function judgeFound(copy: ObservedCopy, origin: Reference, found: Document, { shared, call }: ShareInCall): Grant {
  const { target, source } = copy;
  const { secretRef, onSourceMissing } = shared.connection;
  const named = findSource(found, secretRef, target?.namespace, call);
  if (named.is === "pending") return "pending";
  const secret = named.is === "named" ? named.secret : undefined;
  // A share that needs no grant, such as one of this XR itself, gives none for what another share has copied.
  const isOurs = isOfKind(origin, shared) || isSameResource(origin, toReference(call.composite.document));
  const namespaces = target === undefined ? [] : [target.namespace];
  const access = (isOurs ? findShareAccess : findGrantedAccess)(shared, found, secret ?? source, namespaces, call);
  if (access.is === "pending") return "pending";
  if (!namespaces.every((each) => access.isGranted(each))) return "ended";
  // The record counts as far as it fits what the copy really reads.
  const isFitting = secret !== undefined && source !== undefined && isSameSecret(secret, source);
  return toGrant(isFitting || origin !== copy.origin || onSourceMissing === "Keep");
}

/**
 * Finds the shared resource that a copy was made from. A team may edit a Secret in its own namespace, with the record on it, and
 * Crossplane looks up what the record names: so on a Secret a record of another kind does not count. Only we edit an Object.
 */
const originOf = ({ origin, resource }: ObservedCopy, shared: ConnectedShare): Reference | undefined =>
  origin !== undefined && isSecret(resource.document) && !isOfKind(origin, shared) ? undefined : origin;

export const isOfKind = (origin: Reference, { apiVersion, kind }: SharedResource): boolean =>
  kind === origin.kind && toApiGroup(apiVersion) === toApiGroup(origin.apiVersion);
