import { consumerNamespace } from "../../crossplane/composite.ts";
import { readAnnotation } from "../../crossplane/metadata.ts";
import { toNamespaceSet } from "../../crossplane/namespace-grant.ts";
import { toNamespaceRequirement } from "../../crossplane/requirement.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { DOMAIN } from "../../model/names.ts";
import { once } from "../../model/once.ts";
import { type Call, isUnreadable } from "../feature.ts";

/** The names of the requirements of Namespaces begin so. */
const PREFIX = "namespace/";

/** A Namespace that was looked up by its name. `found` is undefined where it is not there, and while it is not known. */
interface LookedUpNamespace {
  readonly is: "known" | "pending" | "unreadable";
  readonly namespace: string;
  readonly found?: Document | undefined;
}

export function lookUpNamespace(namespace: string, call: Call): LookedUpNamespace {
  const requirement = toNamespaceRequirement(`${PREFIX}${namespace}`, { name: namespace });
  if (isUnreadable(requirement, PREFIX, call)) return { is: "unreadable", namespace };
  const answer = call.requirements.ask(requirement);
  if (answer.is === "pending") return { is: "pending", namespace };
  const found = answer.items.find((item) => stringAt(item, ["metadata", "name"]) === namespace);
  return { is: "known", namespace, found };
}

/** Namespaces, separated by commas, whose XRs and claims may put copies into the Namespace that says so; `*` for all. */
export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

const readAccepted = once((namespace: Document) => toNamespaceSet(readAnnotation(namespace, ACCEPT_COPIES_FROM)));

/** A namespace's answer to a copy. */
type Acceptance = "accepted" | "pending" | "unreadable" | "refused";

/**
 * Judges whether copies may be put into a namespace.
 *
 * - Into its own namespace an XR, or a claim, writes freely.
 * - A literal of the Composition, and an XR without a namespace and without a claim, belong to the platform: any namespace.
 * - Any other comes from a field that a tenant may write, and is asked: a Secret that appears in a namespace can do harm there.
 *
 * @param isPlatforms true for a namespace that the Composition names.
 */
export function judgeNamespace(namespace: string, isPlatforms: boolean, call: Call): Acceptance {
  const own = consumerNamespace(call.composite);
  if (isPlatforms || own === undefined || own === namespace) return "accepted";
  const { is, found } = lookUpNamespace(namespace, call);
  if (is !== "known") return is;
  const accepted = found && readAccepted(found);
  return accepted !== undefined && (accepted.has("*") || accepted.has(own)) ? "accepted" : "refused";
}
