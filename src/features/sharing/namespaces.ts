import { consumerNamespace } from "../../crossplane/composite.ts";
import { toNamespaceSet } from "../../crossplane/grants.ts";
import { readAnnotation } from "../../crossplane/metadata.ts";
import { toNamespaceRequirement } from "../../crossplane/requirement-names.ts";
import { brief, listSome, MAX_NAMES } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { DOMAIN } from "../../model/names.ts";
import { once } from "../../model/once.ts";
import { type Call, isUnreadable } from "../feature.ts";

const NAMESPACE_REQUIREMENT = "namespace/";

/** A Namespace that was looked up by name. `found` is undefined if it does not exist, and while it is not known. */
interface LookedUpNamespace {
  readonly is: "known" | "pending" | "unreadable";
  readonly namespace: string;
  readonly found?: Document | undefined;
}

export function lookUpNamespace(namespace: string, call: Call): LookedUpNamespace {
  const requirement = toNamespaceRequirement(`${NAMESPACE_REQUIREMENT}${namespace}`, { name: namespace });
  if (isUnreadable(requirement, NAMESPACE_REQUIREMENT, call)) return { is: "unreadable", namespace };
  const answer = call.requirements.ask(requirement);
  if (answer.is === "pending") return { is: "pending", namespace };
  const found = answer.items.find((item) => stringAt(item, ["metadata", "name"]) === namespace);
  return { is: "known", namespace, found };
}

/** Annotation of a Namespace: the namespaces whose XRs and claims may put copies into it, separated by commas; `*` for all. */
export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

const readAccepted = once((namespace: Document) => toNamespaceSet(readAnnotation(namespace, ACCEPT_COPIES_FROM)));

type Acceptance = "accepted" | "pending" | "unreadable" | "refused";

/**
 * Judges whether copies may be put into a namespace.
 *
 * - The consumer's own namespace always accepts its copies.
 * - Every namespace accepts copies from the platform: if the Composition names it as a literal, or for an XR without a namespace and
 *   without a claim.
 * - Other namespaces come from a field that a tenant may write. Their annotation decides: a new Secret can do harm in a namespace.
 *
 * @param isPlatforms true for a literal namespace of the Composition.
 */
export function judgeNamespace(namespace: string, isPlatforms: boolean, call: Call): Acceptance {
  const own = consumerNamespace(call.composite);
  if (isPlatforms || own === undefined || own === namespace) return "accepted";
  const { is, found } = lookUpNamespace(namespace, call);
  if (is !== "known") return is;
  const accepted = found && readAccepted(found);
  return accepted !== undefined && (accepted.has("*") || accepted.has(own)) ? "accepted" : "refused";
}

/** Lists the first namespaces for a message, which may be cut: what to do comes after them. */
export const listNamespaces = (namespaces: readonly string[]): string => listSome(namespaces, MAX_NAMES, brief);
