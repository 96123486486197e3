import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import { type Composite, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import {
  ALLOWED_NAMESPACES,
  askReferenceGrants,
  findGranteeKeys,
  isNamespaceGranted,
  isReferenceGranted,
  readAccepted,
  readNamespaceGrant,
} from "../../crossplane/grants.ts";
import { matchesLabels } from "../../crossplane/label-selector.ts";
import { toNamespaceRequirement } from "../../crossplane/requirement-names.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { DNS_LABEL } from "../../model/names.ts";
import { type Call, isUnreadable } from "../feature.ts";
import type { Target } from "./judgement.ts";
import { listNamespaces, type SharingReason } from "./reasons.ts";

type ShareAccess =
  | { readonly is: "pending"; readonly reason: SharingReason } // it is not known who has access
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
  if (answer.is === "resolved") return referenceAccess(answer.items, secret, call.composite);
  const waiting = { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" } as const;
  return { is: "pending", reason: answer.is === "pending" ? waiting : { is: "ReferenceGrantsNotInstalled" } };
};

/** Finds the access by the annotations of the shared resource, which its consumers cannot write. */
function annotationAccess(resource: Document, namespaces: readonly string[], call: Call): ShareAccess {
  const grant = readNamespaceGrant(resource);
  const { names, isForAll, selector, faults } = grant;
  const asking = [...new Set(namespaces)].filter((namespace) => DNS_LABEL.test(namespace) && !names.has(namespace));
  const looked = selector === undefined || isForAll ? [] : asking.map((namespace) => lookUpNamespace(namespace, call));
  const matching = new Set<string>();
  for (const each of looked) {
    if (each.is === "pending") return each;
    if (each.found && selector && matchesLabels(each.found, selector)) matching.add(each.namespace);
  }
  return {
    is: "known",
    isGranted: (namespace) => isNamespaceGranted(grant, namespace, matching),
    remedy: (refused) => {
      // Whom else the owner grants is not the business of a team without a grant.
      const misspelt = faults().length > 0 ? ", of whose grants one is misspelt and grants nothing" : "";
      return `add ${listNamespaces(refused)} to its annotation ${ALLOWED_NAMESPACES}${misspelt}`;
    },
  };
}

const NAMESPACE_REQUIREMENT = "namespace/";

/** Looks up a Namespace by its name. `found` is undefined if it does not exist. */
function lookUpNamespace(namespace: string, call: Call) {
  const requirement = toNamespaceRequirement(`${NAMESPACE_REQUIREMENT}${namespace}`, { name: namespace });
  const pending = (reason: SharingReason) => ({ is: "pending", reason }) as const;
  if (isUnreadable(requirement, NAMESPACE_REQUIREMENT, call))
    return pending({ is: "NamespaceNotReadable", namespaces: [namespace] });
  const answer = call.requirements.ask(requirement);
  if (answer.is === "pending") return pending({ is: "WaitingForRequiredResources", wanted: `Namespace ${namespace}` });
  const found = answer.items.find((item) => stringAt(item, ["metadata", "name"]) === namespace);
  return { is: "known", namespace, found } as const;
}

/**
 * Judges whether copies may be put into a namespace.
 *
 * - The consumer's own namespace always accepts its copies.
 * - Every namespace accepts copies from the platform: if the Composition names it as a literal, or for an XR without a namespace and
 *   without a claim.
 * - Other namespaces come from a field that a tenant may write. Their annotation decides: a new Secret can do harm in a namespace.
 *
 * @param isPlatforms true for a literal namespace of the Composition.
 * @returns the reason why it does not accept them, or why that is not known.
 */
export function findUnaccepting(namespace: string, isPlatforms: boolean, call: Call): SharingReason | undefined {
  const consumer = consumerNamespace(call.composite);
  if (isPlatforms || consumer === undefined || consumer === namespace) return undefined;
  const looked = lookUpNamespace(namespace, call);
  if (looked.is === "pending") return looked.reason;
  const accepted = looked.found && readAccepted(looked.found);
  return accepted !== undefined && (accepted.has("*") || accepted.has(consumer))
    ? undefined
    : { is: "NamespaceNotAccepting", namespaces: [namespace], consumer };
}

/** Judges whether the namespace of a target accepts its copy. */
export const findTargetUnaccepting = ({ namespace, copy: { namespaces } }: Target, call: Call) =>
  findUnaccepting(namespace, namespaces === undefined || namespaces.is === "literal", call);

/** Finds the access by the ReferenceGrants for a Secret, to the namespace of the XR or claim, or without one to the copy's. */
function referenceAccess(items: readonly Document[], secret: SecretName, composite: Composite): KnownShareAccess {
  const own = consumerNamespace(composite);
  const { apiVersion, claim } = composite;
  // The kinds that a ReferenceGrant may name for this XR: its own, and its claim's, which teams know.
  const names = claim === undefined ? [composite.kind] : [composite.kind, claim.kind];
  const kinds = names.map((name) => toGroupKind(name, toApiGroup(apiVersion)));
  const granted = findGranteeKeys(items, secret);
  return {
    is: "known",
    isGranted: (namespace) => {
      const grantees = kinds.map((kind) => ({ kind, namespace: own ?? namespace }));
      return isReferenceGranted(grantees, granted);
    },
    remedy: (namespaces) =>
      `create a ReferenceGrant beside its connection Secret, from ${kinds.join(" or ")} in ${own ?? listNamespaces(namespaces)}`,
  };
}
