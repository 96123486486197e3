import type { Composite } from "../../crossplane/composite.ts";
import { readAnnotation } from "../../crossplane/metadata.ts";
import { toNamespaceSet } from "../../crossplane/namespace-grant.ts";
import { couldNotBeRead, toNamespaceRequirement } from "../../crossplane/requirement.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { DOMAIN } from "../../model/names.ts";
import { once } from "../../model/once.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** The namespace of the XR, or of its claim. Undefined for a cluster-scoped XR without a claim, which is the platform's. */
export const consumerNamespace = ({ namespace, claim }: Composite): string | undefined => namespace ?? claim?.namespace;

/** The names of the requirements of Namespaces begin so. */
const PREFIX = "namespace/";

/** Looks a Namespace up by its name. `found` is undefined where it is not there, and while the answer is pending. */
export function lookUpNamespace(namespace: string, { request }: Call) {
  const requirement = toNamespaceRequirement(`${PREFIX}${namespace}`, { name: namespace });
  const answer = request.required(requirement.name);
  const items = answer.is === "pending" ? [] : answer.items;
  return {
    namespace,
    requirement,
    answer,
    found: items.find((item) => stringAt(item, ["metadata", "name"]) === namespace),
  };
}

/** Tells whether Crossplane could not read a Namespace in the last reconcile, so that asking again is of no use. */
export const isUnreadable = ({ composite }: Call): boolean => couldNotBeRead(PREFIX, composite.document);

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
export function judgeNamespace(
  namespace: string,
  isPlatforms: boolean,
  call: Call,
): { readonly acceptance: Acceptance; readonly requirement?: Requirement } {
  const { composite } = call;
  const own = consumerNamespace(composite);
  if (isPlatforms || own === undefined || own === namespace) return { acceptance: "accepted" };
  const { requirement, answer, found } = lookUpNamespace(namespace, call);
  if (answer.is === "pending" && isUnreadable(call)) return { acceptance: "unreadable" };
  if (answer.is === "pending") return { acceptance: "pending", requirement };
  const accepted = found && readAccepted(found);
  const isAccepted = accepted !== undefined && (accepted.has("*") || accepted.has(own));
  return { acceptance: isAccepted ? "accepted" : "refused", requirement };
}
