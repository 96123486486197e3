import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import { type Composite, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import {
  ALLOWED_NAMESPACE_SELECTOR,
  ALLOWED_NAMESPACES,
  askReferenceGrants,
  formatGrantee,
  type Grantee,
  grantsOf,
  type NamespaceGrant,
  readNamespaceGrant,
  type SecretGrants,
} from "../../crossplane/grants.ts";
import { matchesLabels } from "../../crossplane/label-selector.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { quote } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { DNS_LABEL } from "../../model/names.ts";
import { once } from "../../model/once.ts";
import type { Call } from "../feature.ts";
import { listNamespaces, lookUpNamespace } from "./namespaces.ts";
import type { SharingReason } from "./reasons.ts";

type PendingReason = Extract<
  SharingReason,
  { is: "WaitingForRequiredResources" | "NamespaceNotReadable" | "ReferenceGrantsNotInstalled" }
>;

type ShareAccess =
  | { readonly is: "pending"; readonly reason: PendingReason }
  | {
      readonly is: "known";
      isGranted(namespace: string): boolean;
      /** Describes how the owner grants access to these namespaces. */
      remedy(namespaces: readonly string[]): string;
    };

export type KnownShareAccess = Extract<ShareAccess, { is: "known" }>;

/** @param namespaces the consumers' namespaces: only these are looked up if a label selector decides. */
type FindShareAccess = (
  shared: SharedResource,
  resource: Document,
  secret: SecretName | undefined,
  namespaces: readonly string[],
  call: Call,
) => ShareAccess;

/** Finds the access to a share. The source Secret is required afterwards, so that it is not read without a grant. */
export const findShareAccess: FindShareAccess = (shared, ...asking) =>
  shared.select.by === "self" || shared.grant === "None"
    ? { is: "known", isGranted: () => true, remedy: () => "" }
    : findGrantedAccess(shared, ...asking);

/** Finds the access by grants: by ReferenceGrant if the share says so, else by annotation. */
export const findGrantedAccess: FindShareAccess = (shared, resource, secret, namespaces, call) => {
  if (shared.grant !== "ReferenceGrant" || secret === undefined) return annotationAccess(resource, namespaces, call);
  const name = `shared-resource/${shared.name}/reference-grants`;
  const answer = askReferenceGrants(name, secret, call.request, call.requirements);
  switch (answer.is) {
    case "resolved":
      return referenceAccess(answer.items, secret, call.composite);
    case "notServed":
      return { is: "pending", reason: { is: "ReferenceGrantsNotInstalled" } };
    case "pending":
      return { is: "pending", reason: { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" } };
  }
};

/** Finds the access by the annotations of the shared resource, which its consumers cannot write. */
function annotationAccess(resource: Document, namespaces: readonly string[], call: Call): ShareAccess {
  const { names, isForAll, selector } = readNamespaceGrant(resource);
  const asking = [...new Set(namespaces)].filter((namespace) => DNS_LABEL.test(namespace) && !names.has(namespace));
  const looked = selector === undefined || isForAll ? [] : asking.map((namespace) => lookUpNamespace(namespace, call));
  const unknown = looked.find(({ is }) => is !== "known");
  if (unknown !== undefined) return { is: "pending", reason: toPendingReason(unknown) };
  const matching = new Set(
    looked.flatMap(({ namespace, found }) =>
      selector !== undefined && found !== undefined && matchesLabels(found, selector) ? [namespace] : [],
    ),
  );
  return {
    is: "known",
    isGranted: (namespace) => isForAll || names.has(namespace) || matching.has(namespace),
    remedy: (refused) =>
      `add ${listNamespaces(refused)} to its annotation ${ALLOWED_NAMESPACES}${explainInvalid(readNamespaceGrant(resource))}`,
  };
}

/** Quotes what the owner has misspelt, so that it is corrected and not added a second time. */
function explainInvalid({ invalidName, invalidSelector }: NamespaceGrant): string {
  const name = invalidName === undefined ? "" : `, separated by commas, in which ${quote(invalidName)} is no namespace`;
  if (invalidSelector === undefined) return name;
  return `${name}, or correct ${ALLOWED_NAMESPACE_SELECTOR}: ${quote(invalidSelector)} is no label selector`;
}

const toPendingReason = ({ is, namespace }: ReturnType<typeof lookUpNamespace>): PendingReason =>
  is === "unreadable"
    ? { is: "NamespaceNotReadable", namespaces: [namespace] }
    : { is: "WaitingForRequiredResources", wanted: `Namespace ${namespace}` };

/** Finds the access by the ReferenceGrants for a Secret, to the namespace of the XR or claim, or without one to the copy's. */
function referenceAccess(items: readonly Document[], secret: SecretName, composite: Composite): KnownShareAccess {
  const accesses = accessesOf(composite)(items);
  const key = `${secret.namespace}/${secret.name}`;
  const access = accesses.get(key) ?? toReferenceAccess(grantsOf(items, secret), composite);
  accesses.set(key, access);
  return access;
}

/** The accesses of one XR, by list of grants and then by Secret: there may be a thousand copies of one Secret. */
const accessesOf = once((_composite: Composite) =>
  once((_items: readonly Document[]) => new Map<string, KnownShareAccess>()),
);

function toReferenceAccess({ all, named }: SecretGrants, composite: Composite): KnownShareAccess {
  const kinds = consumerKinds(composite);
  const own = consumerNamespace(composite);
  // One namespace is looked up in each grant, many in a set of all grants.
  const sets = [all, ...(own === undefined ? [named.flat()] : named)].map(toGranteeSet);
  const isGrantee = (namespace: string): boolean =>
    sets.some((keys) => kinds.some((kind) => keys.has(formatGrantee({ kind, namespace }))));
  const isOwnGranted = own !== undefined && isGrantee(own);
  return {
    is: "known",
    isGranted: own === undefined ? isGrantee : () => isOwnGranted,
    remedy: (namespaces) =>
      `create a ReferenceGrant beside its connection Secret, from ${kinds.join(" or ")} in ${own ?? listNamespaces(namespaces)}`,
  };
}

const toGranteeSet = once((grantees: readonly Grantee[]): ReadonlySet<string> => new Set(grantees.map(formatGrantee)));

/** Lists the kinds that a ReferenceGrant may name for this XR: its own, and its claim's, which teams know. */
const consumerKinds = ({ apiVersion, kind, claim }: Composite): readonly string[] =>
  (claim === undefined ? [kind] : [kind, claim.kind]).map((name) => toGroupKind(name, toApiGroup(apiVersion)));
