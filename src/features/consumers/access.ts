import { ALLOWED_NAMESPACE_SELECTOR, ALLOWED_NAMESPACES, readNamespaceGrant } from "../../crossplane/grants.ts";
import { matchesLabels, requiredLabels } from "../../crossplane/label-selector.ts";
import { toNamespaceRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { quote } from "../../model/condition.ts";
import { stringAt } from "../../model/document.ts";
import { DNS_LABEL } from "../../model/names.ts";
import { type Call, isUnreadable } from "../feature.ts";
import type { Owner } from "./find.ts";

/** The namespaces that this XR is granted to. Pending: a label selector grants, and the Namespaces are not looked up yet. */
export type Access = { readonly is: "pending" | "unreadable" } | KnownAccess;

export interface KnownAccess {
  readonly is: "known";
  /** Those that are known by name, sorted. */
  readonly namespaces: readonly string[];
  readonly isForAll: boolean;
  /** The fault of the grant, for its owner to read; undefined where there is none. */
  readonly fault: string | undefined;
  isGranted(namespace: string): boolean;
}

const REQUIREMENT = "consumers/namespaces";

/** Finds who has access by the annotations of the shared XR. */
export function findAccess({ grant }: Consumers, owner: Owner, call: Call): Access {
  if (owner.is !== "found") return { is: "pending" };
  if (grant === "None") return toAccess([], true, undefined);
  const { names, isForAll, selector, invalidSelector, invalidName } = readNamespaceGrant(owner.composite.document);
  const invalidList =
    invalidName &&
    `its annotation ${ALLOWED_NAMESPACES} lists ${quote(invalidName)}, which is not the name of a namespace`;
  const fault =
    invalidSelector === undefined ? invalidList : `its annotation ${ALLOWED_NAMESPACE_SELECTOR} is no label selector`;
  if (selector === undefined) return toAccess(names, isForAll, fault);
  const requirement = toNamespaceRequirement(REQUIREMENT, { labels: requiredLabels(selector) });
  if (isUnreadable(requirement, REQUIREMENT, call)) return { is: "unreadable" };
  const answer = call.requirements.ask(requirement);
  if (answer.is === "pending") return answer;
  const matching = answer.items
    .filter((item) => matchesLabels(item, selector))
    .flatMap((item) => stringAt(item, ["metadata", "name"]) ?? [])
    .filter((name) => DNS_LABEL.test(name));
  return toAccess([...names, ...matching], isForAll, fault);
}

function toAccess(names: Iterable<string>, isForAll: boolean, fault: string | undefined): KnownAccess {
  const granted = new Set(names);
  return {
    is: "known",
    namespaces: [...granted].sort(),
    isForAll,
    fault,
    isGranted: (namespace) => isForAll || granted.has(namespace),
  };
}
