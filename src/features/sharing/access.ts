import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import { type Composite, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import {
  ALLOWED_NAMESPACE_SELECTOR,
  ALLOWED_NAMESPACES,
  askGrants,
  FOR_ALL,
  findGranteeKeys,
  isGrantedByAnnotations,
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

export interface KnownShareAccess {
  readonly is: "known";
  readonly isGranted: (namespace: string) => boolean;
  /** Completes "its owner has to …" for namespaces without access. */
  readonly remedy: (namespaces: readonly string[]) => string;
}

type ShareAccess = KnownShareAccess | { readonly is: "pending"; readonly reason: SharingReason };

/**
 * Finds the namespaces with access to a shared resource: all of them with `grant: None`. With `grant: ReferenceGrant`, the
 * ReferenceGrants for the Secret decide. With `grant: Annotation`, or without a Secret, the annotations of the shared resource do.
 *
 * @param namespaces the namespaces to judge later by `isGranted`. Their Namespaces are looked up if the grant has a selector.
 */
export function findShareAccess(
  { name, grant }: Pick<SharedResource, "name" | "grant">,
  resource: Document,
  secret: SecretName | undefined,
  namespaces: readonly string[],
  call: Call,
): ShareAccess {
  if (grant === "None") return { is: "known", isGranted: () => true, remedy: () => "" };
  if (grant === "Annotation" || secret === undefined) return annotationAccess(resource, namespaces, call);
  const requirement = `shared-resource/${name}/reference-grants`;
  const answer = askGrants(requirement, secret, call.request, call.requirements);
  if (answer.is === "resolved") return referenceAccess(answer.items, secret, call.composite);
  const waiting = { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" } as const;
  return { is: "pending", reason: answer.is === "pending" ? waiting : { is: "ReferenceGrantsNotInstalled" } };
}

/** Finds the namespaces with access by the annotations of the shared resource. Its consumers cannot write them. */
function annotationAccess(resource: Document, namespaces: readonly string[], call: Call): ShareAccess {
  const { names, isForAll, selector, faults } = readNamespaceGrant(resource);
  const unlisted = [...new Set(namespaces)].filter((namespace) => DNS_LABEL.test(namespace) && !names.has(namespace));
  const looked =
    selector === undefined || isForAll ? [] : unlisted.map((namespace) => lookUpNamespace(namespace, call));
  const matching = new Set<string>();
  for (const each of looked) {
    if (each.is === "pending") return each;
    if (each.found && selector && matchesLabels(each.found, selector)) matching.add(each.namespace);
  }
  return {
    is: "known",
    isGranted: (namespace) => matching.has(namespace) || isGrantedByAnnotations({ names, isForAll }, namespace),
    remedy: (refused) => {
      // A fault is not quoted: it may name other teams.
      const invalid =
        faults().length > 0 ? ", and to correct a grant in its annotations that is misspelt or invalid" : "";
      const labelled =
        selector && `, or the Namespace needs the labels of its annotation ${ALLOWED_NAMESPACE_SELECTOR}`;
      return `add ${listNamespaces(refused)} to its annotation ${ALLOWED_NAMESPACES}${labelled ?? ""}${invalid}`;
    },
  };
}

const NAMESPACE_REQUIREMENT = "namespace/";

/** Looks up a Namespace; `found` is undefined if it does not exist. */
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
 * Finds the reason why a namespace does not accept copies, or why that is not known. Undefined, whatever is annotated, for
 *
 * - the consumer's own namespace;
 * - a namespace that the Composition names as a literal;
 * - any namespace, if the XR has neither a namespace nor a claim: such an XR is the platform's.
 *
 * The name of any other namespace comes from a field that a tenant may write, and a new Secret can do harm there. So the
 * annotation ACCEPT_COPIES_FROM of that Namespace decides.
 *
 * @param isLiteral true for a literal namespace of the Composition.
 */
export function findNamespaceRefusal(namespace: string, isLiteral: boolean, call: Call): SharingReason | undefined {
  const consumer = consumerNamespace(call.composite);
  if (isLiteral || consumer === undefined || consumer === namespace) return undefined;
  const looked = lookUpNamespace(namespace, call);
  if (looked.is === "pending") return looked.reason;
  const accepted = looked.found && readAccepted(looked.found);
  return accepted !== undefined && (accepted.has(FOR_ALL) || accepted.has(consumer))
    ? undefined
    : { is: "NamespaceNotAccepting", namespaces: [namespace], consumer };
}

export const findTargetRefusal = ({ namespace, copy: { namespaces } }: Target, call: Call) =>
  findNamespaceRefusal(namespace, namespaces === undefined || namespaces.is === "literal", call);

/**
 * Finds the access that ReferenceGrants give to the consumer. A grant has to name the consumer's kind, and the consumer's
 * namespace or, for an XR of the platform, the copy's.
 */
function referenceAccess(items: readonly Document[], secret: SecretName, composite: Composite): KnownShareAccess {
  const own = consumerNamespace(composite);
  const { apiVersion, claim } = composite;
  // A ReferenceGrant may name the kind of the XR, or of its claim.
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
      `create a ReferenceGrant in the namespace of its connection Secret, from ${kinds.join(" or ")} in ${own ?? listNamespaces(namespaces)}`,
  };
}
