import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import { type Composite, consumerNamespace } from "../../crossplane/composite.ts";
import type { SecretName } from "../../crossplane/copies.ts";
import { matchesLabels } from "../../crossplane/label-selector.ts";
import { ALLOWED_NAMESPACES, readNamespaceGrant } from "../../crossplane/namespace-grant.ts";
import {
  type Grantee,
  grantsOf,
  referenceGrantSchema,
  requireReferenceGrants,
  type SecretGrants,
} from "../../crossplane/reference-grant.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { quote } from "../../model/condition.ts";
import type { Document } from "../../model/document.ts";
import { DNS_LABEL } from "../../model/names.ts";
import { once } from "../../model/once.ts";
import type { Call } from "../feature.ts";
import { lookUpNamespace } from "./namespaces.ts";

type PendingReason =
  | { readonly is: "WaitingForRequiredResources"; readonly wanted: string }
  | { readonly is: "NamespaceNotReadable"; readonly namespaces: readonly string[] };

/** The namespaces that have access to a shared resource. */
type Access =
  | { readonly is: "pending"; readonly reason: PendingReason }
  | {
      readonly is: "known";
      isGranted(namespace: string): boolean;
      /** The step that would give these namespaces access, for its owner to read. */
      remedy(namespaces: readonly string[]): string;
    };

export type KnownAccess = Extract<Access, { is: "known" }>;

const everyone: Access = { is: "known", isGranted: () => true, remedy: () => "" };

/** @param namespaces those that ask: only their Namespaces are looked up where labels decide. */
type FindAccess = (
  shared: SharedResource,
  resource: Document,
  secret: SecretName | undefined,
  namespaces: readonly string[],
  call: Call,
) => Access;

/** Finds who has access. The source Secret is asked for afterwards, so that nothing of it is read without a grant. */
export const findAccess: FindAccess = (shared, ...asking) =>
  shared.select.by === "self" || shared.grant === "None" ? everyone : findGrantedAccess(shared, ...asking);

/** The same, where the share's input does not do without a grant: by annotation unless it says otherwise. */
export const findGrantedAccess: FindAccess = (shared, resource, secret, namespaces, call) => {
  if (shared.grant !== "ReferenceGrant" || secret === undefined) return annotationAccess(resource, namespaces, call);
  const version = findVersion(call);
  const name = `shared-resource/${shared.name}/reference-grants`;
  const answer = version && call.requirements.ask(requireReferenceGrants(name, version, secret));
  return answer?.is === "resolved"
    ? referenceAccess(answer.items, secret, call.composite)
    : { is: "pending", reason: { is: "WaitingForRequiredResources", wanted: "ReferenceGrant" } };
};

/** v1 where the cluster serves it, else v1beta1; undefined while that is asked. Crossplane can be asked from v2.2 on. */
export function findVersion({ request, requirements }: Call): "v1" | "v1beta1" | undefined {
  if (!request.capabilities.has("RequiredSchemas")) return "v1beta1";
  const schema = requirements.askSchema(referenceGrantSchema("v1"));
  if (schema.is === "pending") return undefined;
  return schema.is === "resolved" ? "v1" : "v1beta1";
}

/** The annotations lie on the shared resource, so whoever wants access cannot grant it to himself. */
function annotationAccess(resource: Document, namespaces: readonly string[], call: Call): Access {
  const { names, isForAll, selector, invalidName } = readNamespaceGrant(resource);
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
      invalidName === undefined
        ? `add ${refused.join(", ")} to its annotation ${ALLOWED_NAMESPACES}`
        : `add ${refused.join(", ")} to its annotation ${ALLOWED_NAMESPACES}, separated by commas, in which ${quote(invalidName)} is no namespace`,
  };
}

const toPendingReason = ({ is, namespace }: ReturnType<typeof lookUpNamespace>): PendingReason =>
  is === "unreadable"
    ? { is: "NamespaceNotReadable", namespaces: [namespace] }
    : { is: "WaitingForRequiredResources", wanted: `Namespace ${namespace}` };

/**
 * Access by the ReferenceGrants in the Secret's namespace. `from` is the namespace of the XR or claim that asks; for an XR
 * without one it is the copy's.
 */
function referenceAccess(items: readonly Document[], secret: SecretName, composite: Composite): KnownAccess {
  const accesses = accessesOf(composite)(items);
  const key = `${secret.namespace}/${secret.name}`;
  const access = accesses.get(key) ?? toAccess(grantsOf(items, secret), composite);
  accesses.set(key, access);
  return access;
}

/** The accesses of one XR by the grants that there are and then by Secret: there may be a thousand copies of one. */
const accessesOf = once((_composite: Composite) =>
  once((_items: readonly Document[]) => new Map<string, KnownAccess>()),
);

function toAccess({ all, named }: SecretGrants, composite: Composite): KnownAccess {
  const kinds = consumerKinds(composite);
  const own = consumerNamespace(composite);
  // One namespace is looked for in each grant; many in all of them together.
  const sets = [all, ...(own === undefined ? [named.flat()] : named)].map(toKeys);
  const isGrantee = (namespace: string): boolean =>
    sets.some((keys) => kinds.some((kind) => keys.has(toKey({ kind, namespace }))));
  const isOwnGranted = own !== undefined && isGrantee(own);
  return {
    is: "known",
    isGranted: own === undefined ? isGrantee : () => isOwnGranted,
    remedy: (namespaces) =>
      `create a ReferenceGrant beside its connection Secret, from ${kinds.join(" or ")} in ${own ?? namespaces.join(", ")}`,
  };
}

const toKey = ({ kind, namespace }: Grantee): string => `${kind} ${namespace}`;
const toKeys = once((grantees: readonly Grantee[]): ReadonlySet<string> => new Set(grantees.map(toKey)));

/** The kinds that a ReferenceGrant may name for this XR: its own, or its claim's, which is the one that teams know. */
const consumerKinds = ({ apiVersion, kind, claim }: Composite): readonly string[] =>
  (claim === undefined ? [kind] : [kind, claim.kind]).map((name) => toGroupKind(name, toApiGroup(apiVersion)));
