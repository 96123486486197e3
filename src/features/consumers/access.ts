import { matchesLabels, requiredLabels } from "../../crossplane/label-selector.ts";
import { ALLOWED_NAMESPACE_SELECTOR, readNamespaceGrant } from "../../crossplane/namespace-grant.ts";
import { couldNotBeRead, toNamespaceRequirement } from "../../crossplane/requirement.ts";
import type { Consumers } from "../../input/consumers.ts";
import { stringAt } from "../../model/document.ts";
import { DNS_LABEL } from "../../model/names.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";

/** The namespaces that this XR is granted to. Pending: a label selector grants, and the Namespaces are not looked up yet. */
export type Access =
  | { readonly is: "pending"; readonly requirements: readonly Requirement[] }
  | { readonly is: "unreadable"; readonly requirements: readonly Requirement[] }
  | KnownAccess;

export interface KnownAccess {
  readonly is: "known";
  readonly requirements: readonly Requirement[];
  /** Those that are known by name, sorted. */
  readonly namespaces: readonly string[];
  readonly isForAll: boolean;
  /** The fault of the grant, for its owner to read; undefined where there is none. */
  readonly fault: string | undefined;
  isGranted(namespace: string): boolean;
}

const REQUIREMENT = "consumers/namespaces";

/** Finds who has access by this XR's own annotations. */
export function findAccess({ grant }: Consumers, call: Call): Access {
  if (grant === "None") return toAccess([], true, undefined, []);
  const { names, isForAll, selector, invalidSelector } = readNamespaceGrant(call.composite.document);
  const fault =
    invalidSelector === undefined ? undefined : `its annotation ${ALLOWED_NAMESPACE_SELECTOR} is no label selector`;
  if (selector === undefined) return toAccess(names, isForAll, fault, []);
  const requirement = toNamespaceRequirement(REQUIREMENT, { labels: requiredLabels(selector) });
  const answer = call.request.required(requirement.name);
  if (answer.is === "pending") {
    return couldNotBeRead(REQUIREMENT, call.composite.document)
      ? { is: "unreadable", requirements: [] }
      : { is: "pending", requirements: [requirement] };
  }
  const matching = answer.items
    .filter((item) => matchesLabels(item, selector))
    .flatMap((item) => stringAt(item, ["metadata", "name"]) ?? [])
    .filter((name) => DNS_LABEL.test(name));
  return toAccess([...names, ...matching], isForAll, fault, [requirement]);
}

function toAccess(
  names: Iterable<string>,
  isForAll: boolean,
  fault: string | undefined,
  requirements: readonly Requirement[],
): KnownAccess {
  const granted = new Set(names);
  return {
    is: "known",
    requirements,
    namespaces: [...granted].sort(),
    isForAll,
    fault,
    isGranted: (namespace) => isForAll || granted.has(namespace),
  };
}
