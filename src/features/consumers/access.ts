import { canSelectNamespaces } from "../../crossplane/composite.ts";
import { toConnectionSecret } from "../../crossplane/connection-secret.ts";
import {
  ALLOWED_NAMESPACE_SELECTOR,
  ALLOWED_NAMESPACES,
  askReferenceGrants,
  findMisspeltGrant,
  type Grantee,
  readGrantees,
  readNamespaceGrant,
} from "../../crossplane/grants.ts";
import { matchesLabels, requiredLabels } from "../../crossplane/label-selector.ts";
import { couldNotBeRead, toNamespaceRequirement } from "../../crossplane/requirement-names.ts";
import type { Consumers } from "../../input/consumers.ts";
import { invalidInput } from "../../input/faults.ts";
import { quote } from "../../model/condition.ts";
import { type Document, stringAt } from "../../model/document.ts";
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
  const { document } = owner.composite;
  const { names, isForAll, selector } = readNamespaceGrant(document);
  const fault = findFault(document);
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

function findFault(shared: Document): string | undefined {
  const { invalidSelector, invalidName } = readNamespaceGrant(shared);
  if (invalidSelector !== undefined) return `its annotation ${ALLOWED_NAMESPACE_SELECTOR} is no label selector`;
  if (invalidName !== undefined)
    return `its annotation ${ALLOWED_NAMESPACES} lists ${quote(invalidName)}, which is not the name of a namespace`;
  const misspelt = findMisspeltGrant(shared);
  return misspelt && `its annotation ${quote(misspelt)} is misspelt`;
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

/**
 * Who has access to the shared XR's Secret by ReferenceGrants, beside those that its annotations grant. Unreadable: the kind is not
 * installed, or Crossplane may not read it. Unnamed: the XR does not say which Secret is its own.
 */
export type ReferenceAccess =
  | { readonly is: "known"; readonly grantees: readonly Grantee[] }
  | { readonly is: "pending" | "unreadable" | "unnamed"; readonly grantees?: undefined };

const GRANTS_REQUIREMENT = "consumers/reference-grants";

/**
 * Finds the ReferenceGrants beside this XR's Secret, where the input says that consumers rely on them.
 *
 * @throws {FunctionError} `InvalidInput` on Crossplane v1, which cannot look them up.
 */
export function findReferenceAccess({ grant, secretRef }: Consumers, owner: Owner, call: Call): ReferenceAccess {
  if (grant !== "ReferenceGrant") return { is: "known", grantees: [] };
  if (owner.is !== "found") return { is: "pending" };
  const { request, composite } = call;
  if (!canSelectNamespaces(request, composite)) {
    const message = "ReferenceGrant needs Crossplane v2.2, or v2.0 with an XR of Crossplane v2; else use Annotation";
    throw invalidInput([{ path: "spec.consumers.grant", message }]);
  }
  const { document } = owner.composite;
  const [name, namespace] = [secretRef.nameFieldPath, secretRef.namespaceFieldPath].map((path) =>
    stringAt(document, path),
  );
  const found = toConnectionSecret(document, name, namespace);
  if (found.is !== "named") return { is: "unnamed" };
  if (couldNotBeRead(GRANTS_REQUIREMENT, composite.document)) return { is: "unreadable" };
  const answer = askReferenceGrants(GRANTS_REQUIREMENT, found.secret, request, call.requirements);
  if (answer.is !== "resolved") return { is: answer.is === "pending" ? "pending" : "unreadable" };
  return { is: "known", grantees: readGrantees(answer.items, found.secret) };
}
