import { groupKindOf } from "../../crossplane/api-group.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { canSelectNamespaces } from "../../crossplane/generation.ts";
import type { Reference } from "../../crossplane/references.ts";
import { toRequirement } from "../../crossplane/requirement-names.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { findShareAccess } from "./access.ts";
import type { Share } from "./judgement.ts";
import { findSource } from "./source.ts";

/** The state of a recorded grant. `pending`: an answer is missing. */
export type Grant = "stands" | "pending" | "ended";

export const toGrant = (isStanding: boolean): Grant => (isStanding ? "stands" : "ended");

export const isOfKind = (resource: Reference, shared: SharedResource): boolean =>
  groupKindOf(resource) === groupKindOf(shared);

/** Looks up a recorded shared resource. `stands`: this version of Crossplane cannot look it up. */
export function lookUpRecorded(resource: Reference, { shared, call }: Share): Document | "stands" | "pending" | "gone" {
  const { request, composite, requirements } = call;
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
 * Judges the grant of a resource that the XR is bound to: to the consumer's namespace, or without one to any namespace
 * of its copies. `gone`: nothing is left to ask for a grant, which does not count as taken back.
 *
 * @param copies the copies that the record lists.
 */
export function judgeBound(
  resource: Reference,
  copies: readonly SecretName[],
  share: Share,
): { readonly is: Grant | "gone"; readonly found?: Document } {
  const { shared, targets, own, call } = share;
  const found = lookUpRecorded(resource, share);
  if (typeof found === "string") return { is: found };
  const copied = copies.map(({ namespace }) => namespace);
  const namespaces = own === undefined ? [...targets.namespaces, ...copied, "*"] : [own];
  const source = shared.connection && findSource(found, shared.connection.secretRef, namespaces[0], call);
  const secret = source?.is === "named" ? source.secret : undefined;
  if (shared.grant === "ReferenceGrant" && secret === undefined) return { is: "gone" };
  const access = findShareAccess(shared, found, secret, namespaces, call);
  if (access.is === "pending") return { is: "pending" };
  return { is: toGrant(namespaces.some((each) => access.isGranted(each))), found };
}
