import type { Composite } from "../../../crossplane/composite.ts";
import { annotationOf } from "../../../crossplane/metadata.ts";
import { couldNotBeRead, toRequirement } from "../../../crossplane/requirement.ts";
import type { Copy } from "../../../input/connection.ts";
import { stringAt } from "../../../model/document.ts";
import { DNS_LABEL, DOMAIN, isName } from "../../../model/names.ts";
import type { Requirement } from "../../../model/requirement.ts";
import type { Call } from "../../feature.ts";
import { type Resolved, resolveString, resolveStrings } from "../../value.ts";
import { consumerNamespace } from "../grant.ts";
import { toNamespaceSet } from "../namespace-list.ts";
import { formatSecret, isSameSecret, type SecretName } from "../source.ts";

/** A Secret that is to be a copy, and how it is to look. */
export interface Destination extends SecretName {
  readonly copy: Copy;
}

/** Far more than anybody shares with, and few enough for one call. */
export const MAX_DESTINATIONS = 1000;

export interface Destinations {
  readonly destinations: readonly Destination[];
  /** The number of destinations over the limit. */
  readonly excess: number;
}

/** Finds where the copies go, each once, or the field that has to be set first. */
export function findDestinations(copies: readonly Copy[], call: Call): Resolved<Destinations> {
  const destinations: Destination[] = [];
  let excess = 0;
  for (const copy of copies) {
    const namespaces = findNamespaces(copy, call);
    if (namespaces.is === "unset") return namespaces;
    const name = findName(copy, call);
    if (name.is === "unset") return name;
    const distinct = [...new Set(namespaces.value)];
    const free = Math.max(0, MAX_DESTINATIONS - destinations.length);
    for (const namespace of distinct.slice(0, free)) destinations.push({ namespace, name: name.value, copy });
    excess += Math.max(0, distinct.length - free);
  }
  return { is: "set", value: { destinations, excess } };
}

/** A consumer's namespace is its own, or its claim's, unless the input says otherwise. */
function findNamespaces({ namespaces, via }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const own = consumerNamespace(call.composite);
  if (own !== undefined) return { is: "set", value: [own] };
  const published = stringAt(call.composite.document, [...CONNECTION_SECRET, "namespace"]);
  if (via === "CompositeConnectionDetails" && published !== undefined) return { is: "set", value: [published] };
  return { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," };
}

const CONNECTION_SECRET = ["spec", "writeConnectionSecretToRef"];

/** Connection details go into whatever Secret Crossplane writes them to; by its name the XR's own is meant. */
function findName({ secretName }: Copy, call: Call): Resolved<string> {
  if (secretName !== undefined) return resolveString(secretName, call);
  const name = stringAt(call.composite.document, [...CONNECTION_SECRET, "name"]);
  return { is: "set", value: name ?? call.composite.claim?.name ?? call.composite.name };
}

/**
 * Finds what is wrong with a destination. Its names come from the XR, so they are checked here and not with the input. A
 * namespaced XR composes into its own namespace only (Crossplane overwrites another), and its Objects write connection
 * Secrets nowhere else; what an Object's manifest says is the provider's affair.
 */
export function findFault(destination: Destination, source: SecretName, { composite }: Call): string | undefined {
  const { namespace, name, copy } = destination;
  if (!DNS_LABEL.test(namespace)) return `${JSON.stringify(namespace)} is not a namespace's name`;
  if (!isName(name)) return `${JSON.stringify(name)} is not a Secret's name`;
  if (isSameSecret(destination, source)) return `Secret ${formatSecret(destination)} is the source itself`;
  const own = composite.namespace;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  if (isBound && own !== undefined && own !== namespace) {
    return `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`;
  }
  return undefined;
}

/** Namespaces, separated by commas, whose XRs and claims may put copies into the Namespace that says so; `*` for all. */
export const ACCEPT_COPIES_FROM = `${DOMAIN}/accept-copies-from`;

/** The names of the requirements of Namespaces begin so. */
const PREFIX = "namespace/";

/** A namespace's answer to a copy. */
export type Acceptance = "accepted" | "pending" | "unreadable" | "refused";

/**
 * Judges whether copies may be put into a namespace.
 *
 * - Into its own namespace an XR, or a claim, writes freely.
 * - What a literal of the Composition names, and what an XR without a namespace and without a claim names, is the platform's
 *   word.
 * - Any other comes from a field that a tenant may write, and is asked: a Secret that appears in a namespace can do harm there.
 */
export function judgeNamespace(
  { namespace, copy }: Destination,
  { composite, request }: Call,
): { readonly acceptance: Acceptance; readonly requirement?: Requirement } {
  if (isFree(namespace, copy, composite)) return { acceptance: "accepted" };
  const requirement = toRequirement(`${PREFIX}${namespace}`, {
    apiVersion: "v1",
    kind: "Namespace",
    match: { name: namespace },
  });
  const answer = request.required(requirement.name);
  if (answer.is === "pending" && couldNotBeRead(PREFIX, composite.document)) return { acceptance: "unreadable" };
  if (answer.is === "pending") return { acceptance: "pending", requirement };
  const [found] = answer.items.filter((item) => stringAt(item, ["metadata", "name"]) === namespace);
  const accepted = toNamespaceSet(found && annotationOf(found, ACCEPT_COPIES_FROM));
  const isAccepted = accepted.has("*") || accepted.has(consumerNamespace(composite) ?? "*");
  return { acceptance: isAccepted ? "accepted" : "refused", requirement };
}

function isFree(namespace: string, { namespaces }: Copy, composite: Composite): boolean {
  const own = consumerNamespace(composite);
  return own === undefined || own === namespace || namespaces === undefined || namespaces.is === "literal";
}
