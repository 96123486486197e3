import { groupKindOf } from "../../crossplane/api-group.ts";
import { canSelectNamespaces } from "../../crossplane/generation.ts";
import { FOR_ALL } from "../../crossplane/grants.ts";
import { isSameResource, type Reference, toReference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { findBinding } from "../../records/record.ts";
import { findShareAccess } from "./access.ts";
import { type BoundResource, type Grant, isWaiting, type Judged, type Judgement } from "./judgement.ts";
import { findSource } from "./source.ts";

/** A share after the look-up of its selector, and before its judgement. */
type Looked = Omit<Judged, "judgement">;

export const toGrant = (isStanding: boolean): Grant => (isStanding ? "stands" : "ended");

export const isOfKind = (resource: Reference, shared: SharedResource): boolean =>
  groupKindOf(resource) === groupKindOf(shared);

/** Looks up a recorded shared resource. Crossplane v1 cannot look up a namespaced one: its grant `stands`. */
export function lookUpRecorded(
  resource: Reference,
  { shared, lookup, call }: Looked,
): Document | "stands" | "pending" | "gone" {
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
  const found = lookUpRecorded(resource, share);
  if (typeof found === "string") return { is: found };
  const copied = findBinding(resource, before)?.secrets.map(({ namespace }) => namespace) ?? [];
  const namespaces = own === undefined ? [...targets.namespaces, ...copied, FOR_ALL] : [own];
  const { secretRef } = shared.connection ?? {};
  const isByReference = shared.grant === "ReferenceGrant" && secretRef !== undefined;
  // Never pending: the input allows no ReferenceGrant with perConsumer.
  const source = isByReference ? findSource(found, secretRef, undefined, call) : undefined;
  const secret = source?.is === "named" ? source.secret : undefined;
  if (isByReference && secret === undefined) return { is: "gone" };
  const access = findShareAccess(shared, found, secret, namespaces, call);
  if (access.is === "pending") return { is: "pending" };
  return { is: toGrant(namespaces.some((each) => access.isGranted(each))), found };
}

/**
 * Keeps an XR bound to resources of its record while their grants stand, if the XR now names no resource, or one without
 * a grant. A named resource with a grant replaces all others. While the judgement waits for a look-up, all bindings stay.
 *
 * Only the first granted binding of the record is for fields; the others are only for copies. If no fields are served now,
 * they are
 *
 * - `refused` if the grant of the first granted binding has ended, even if the XR names no resource now;
 * - `refused` if the named resource refuses them, and the XR had access to it before;
 * - `refused` if the named resource refuses them, and no bound resource exists: a team may record one that never existed;
 * - else `held`.
 */
export function hold(judged: Judgement, share: Looked): Judgement {
  const { copies, fields, named } = judged;
  const { before } = share;
  if (isWaiting(judged)) return { ...judged, stay: before };
  if (named?.access === "Granted" || fields.is === "served") return judged;
  const granted = before.filter(({ access }) => access === "Granted");
  const others = granted.filter(({ resource }) => !named || !isSameResource(resource, named.resource));
  const held = others
    .map((binding) => ({ binding, bound: judgeBound(binding.resource, share) }))
    .filter(({ bound }) => bound.is !== "ended");
  const requests = copies.is === "unknown" ? before.filter(({ access }) => access !== "Granted") : [];
  const stay = [...requests, ...held.map(({ binding }) => binding)];

  // Fields come from granted[0]. If it is not held, its grant has ended, or it is the named resource, which refuses.
  const [first] = held;
  if (first?.binding !== granted[0]) return { ...judged, fields: { is: "refused", resources: [] }, stay };
  const isRefused =
    fields.is === "refused" && (named?.access === "Revoked" || held.every(({ bound }) => bound.is === "gone"));
  return { ...judged, fields: isRefused ? fields : { is: "held", bound: first?.bound }, stay };
}
