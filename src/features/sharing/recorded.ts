import { groupKindOf } from "../../crossplane/api-group.ts";
import { canSelectNamespaces } from "../../crossplane/generation.ts";
import { FOR_ALL } from "../../crossplane/grants.ts";
import { isSameResource, type Reference, toReference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { type Binding, findBinding } from "../../records/record.ts";
import { findNamespaceRefusal, findShareAccess } from "./access.ts";
import type { ObservedCopy } from "./copies/observed.ts";
import {
  type BoundResource,
  type Cause,
  type Fields,
  type Grant,
  isWaiting,
  type Judged,
  type Judgement,
  type Share,
} from "./judgement.ts";
import { findSource, isSameSecret } from "./source.ts";

/** A share after the look-up of its selector, and before its judgement. */
type Looked = Omit<Judged, "judgement">;

/** A binding of the record whose grant has not ended. */
type Held = { readonly binding: Binding; readonly bound: BoundResource };

const toGrant = (isStanding: boolean): Grant => (isStanding ? "stands" : "ended");

export const isOfKind = (resource: Reference, shared: SharedResource): boolean =>
  groupKindOf(resource) === groupKindOf(shared);

/** Looks up a recorded shared resource. Crossplane v1 cannot look up a namespaced resource, so its grant `stands`. */
function lookUp(resource: Reference, { shared, lookup, call }: Looked): Document | "stands" | "pending" | "gone" {
  const { request, composite, requirements } = call;
  const found = lookup.is === "found" ? lookup.resources : [];
  const same = found.find((item) => isSameResource(toReference(item), resource));
  if (same !== undefined) return same;
  const { kind, namespace, name } = resource;
  if (namespace !== undefined && !canSelectNamespaces(request, composite)) return "stands";
  // The recorded API version may not be served any more; the one of the input is.
  const { apiVersion } = isOfKind(resource, shared) ? shared : resource;
  const selector = { apiVersion, kind, namespace, match: { name } };
  const answer = requirements.ask(toRequirement(`shared-resource/${shared.name}/recorded`, selector));
  if (answer.is === "pending") return "pending";
  return answer.items.find((item) => stringAt(item, ["metadata", "namespace"]) === namespace) ?? "gone";
}

/**
 * Judges the grant of a resource that the XR is bound to. The grant has to include the consumer's namespace. If the consumer
 * has none, the grant has to include a namespace of its copies, or be to all namespaces. A resource is `gone`, and its grant
 * not `ended`, if it does not exist, or if it names no Secret for a ReferenceGrant.
 */
export function judgeBound(resource: Reference, share: Looked): BoundResource {
  const { shared, targets, before, own, call } = share;
  const found = lookUp(resource, share);
  if (typeof found === "string") return { is: found };
  const copied = findBinding(resource, before)?.secrets.map(({ namespace }) => namespace) ?? [];
  const namespaces = own === undefined ? [...targets.namespaces, ...copied, FOR_ALL] : [own];
  const { secretRef } = shared.connection ?? {};
  const isByReference = shared.grant === "ReferenceGrant" && secretRef !== undefined;
  // Never pending: the input allows no ReferenceGrant with perConsumer.
  const secret = isByReference ? findSource(found, secretRef, undefined, call).secret : undefined;
  if (isByReference && secret === undefined) return { is: "gone" };
  const access = findShareAccess(shared, found, secret, namespaces, call);
  if (access.is === "pending") return { is: "pending" };
  const grant = { is: toGrant(namespaces.some((each) => access.isGranted(each))) };
  // Without grants only the selector says which resources may be read, and a team may write the record.
  return shared.grant === "None" ? grant : { ...grant, found };
}

/**
 * Keeps an XR bound to the resources of its record whose grants have not ended, if the XR now names no resource, or one
 * without a grant. A named resource with a grant replaces all others. While the judgement waits for a look-up, all bindings stay.
 */
export function hold(judged: Judgement, share: Looked): Judgement {
  const { copies, fields, named } = judged;
  const { before } = share;
  if (isWaiting(judged)) return { ...judged, stay: before };
  if (named?.access === "Granted" || fields.is === "served") return judged;
  const granted = before.filter(({ access }) => access === "Granted");
  const held = granted
    .filter(({ resource }) => !named || !isSameResource(resource, named.resource))
    .map((binding) => ({ binding, bound: judgeBound(binding.resource, share) }))
    .filter(({ bound }) => bound.is !== "ended");
  // A look-up that fails, such as of a Namespace that Crossplane may not read, leaves `named` undefined: requests stay as well.
  const requests = copies.is === "unknown" ? before.filter(({ access }) => access !== "Granted") : [];
  const stay = [...requests, ...held.map(({ binding }) => binding)];
  return { ...judged, fields: holdFields(judged, granted[0], held), stay };
}

/**
 * Decides on fields that are not served now. They are
 *
 * - `refused` if `ofFields` is not held: its grant has ended, or it is the named resource, which refuses them;
 * - `refused` if the named resource refuses them, and the XR had access to it before;
 * - `refused` if the named resource refuses them, and no held resource exists: a team may record one that never existed;
 * - else `held`.
 *
 * @param ofFields the first granted binding of the record. All others are only for copies.
 */
function holdFields({ fields, named }: Judgement, ofFields: Binding | undefined, held: readonly Held[]): Fields {
  const [first] = held;
  if (first?.binding !== ofFields) return { is: "refused", resources: [] };
  const isRefused =
    fields.is === "refused" && (named?.access === "Revoked" || held.every(({ bound }) => bound.is === "gone"));
  return isRefused ? fields : { is: "held", bound: first?.bound };
}

/** The cause for which a copy is not written. `refused`: it is not granted, or its namespace does not accept it. */
export type KeptFor = Cause | "refused";

/**
 * Decides whether a copy that is not written in this call stays. All stay while the judgement waits for a look-up. After that:
 *
 * - A copy goes if its namespace no longer accepts it, or a shared resource that its annotations record (`origin`, `earlier`)
 *   no longer grants access to that namespace. It stays while that is not known.
 * - If such a resource does not exist, or the origin names another Secret than the copy reads, `onSourceMissing` decides.
 * - For a copy without an origin, or with the one that the XR names now, `cause` takes the place of the origin's grant.
 */
export function isCopyKept(copy: ObservedCopy, cause: KeptFor, share: Judged): boolean {
  const { shared, judgement } = share;
  if (isWaiting(judgement)) return true;
  const { origin, isSecret, earlier } = copy;
  const now = judgement.copies.is === "copy" ? judgement.copies.origin : undefined;
  // A team may edit the annotations of a Secret, so an origin of another kind than the share's is not looked up.
  const mayBeForged = isSecret && origin !== undefined && !isOfKind(origin, shared);
  // The resource that the XR names now has been judged already: `cause` is the result.
  const isPresent = now !== undefined && origin !== undefined && isSameResource(origin, now);
  const isFormer = origin !== undefined && !mayBeForged && !isPresent;
  const isTakenBack = cause === "refused" || (cause === "gone" && shared.connection?.onSourceMissing === "Delete");
  if (!isFormer && isTakenBack) return false;
  // The copy's origin and its earlier ones are looked up in the same call, since Crossplane calls six times at most.
  const grant = judgeOrigins(copy, isFormer ? [origin, ...earlier] : earlier, share);
  return isAccepted(copy, share) && grant !== "ended";
}

/** Tells whether the namespace of a copy accepts the copy; true while that is not known. */
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

/** Judges one origin of a copy: the origin has to grant access to the copy's namespace, then to name the copy's source Secret. */
function judgeOrigin({ target, source, ...copy }: ObservedCopy, origin: Reference, share: Judged): Grant {
  const { shared, call } = share;
  const isKeptWithoutSource = shared.connection?.onSourceMissing === "Keep";
  const found = lookUp(origin, share);
  if (found === "gone") return toGrant(isKeptWithoutSource);
  if (typeof found === "string") return found;
  const named = shared.connection && findSource(found, shared.connection.secretRef, target?.namespace, call);
  if (named?.is === "pending") return "pending";
  // `grant: None` is only for resources of the share's kind. An origin of another kind, which another share named, needs a grant.
  const isOwnKind = isOfKind(origin, shared) || isSameResource(origin, call.composite);
  const asking = shared.grant === "None" && !isOwnKind ? ({ ...shared, grant: "Annotation" } as const) : shared;
  const namespaces = target === undefined ? [] : [target.namespace];
  const access = findShareAccess(asking, found, named?.secret ?? source, namespaces, call);
  if (access.is === "pending") return "pending";
  if (!namespaces.every((each) => access.isGranted(each))) return "ended";
  // The copy's annotation may be forged, so the origin has to name the Secret that the copy reads. The Secrets of `earlier`
  // resources are not recorded.
  const isPresent = copy.origin !== undefined && isSameResource(origin, copy.origin);
  const isSourceNamed = named?.secret !== undefined && source !== undefined && isSameSecret(named.secret, source);
  return toGrant(!isPresent || isSourceNamed || isKeptWithoutSource);
}
