import { toApiGroup, toGroupKind } from "../../crossplane/api-group.ts";
import type { Composite } from "../../crossplane/composite.ts";
import { annotationOf } from "../../crossplane/metadata.ts";
import { toRequirement } from "../../crossplane/requirement.ts";
import type { SharedResource } from "../../input/shared-resource.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { DOMAIN } from "../../model/names.ts";
import type { Requirement } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { toNamespaceSet } from "./namespace-list.ts";
import type { SecretName } from "./source.ts";

/** Namespaces, separated by commas, that the shared resource's owner grants access to; `*` for all. */
const ALLOWED_NAMESPACES = `${DOMAIN}/allowed-namespaces`;

/** The namespaces that have access to a shared resource. */
export type Access =
  | { readonly is: "pending"; readonly requirements: readonly Requirement[] }
  | {
      readonly is: "known";
      readonly requirements: readonly Requirement[];
      isGranted(namespace: string): boolean;
      /** The step that would give these namespaces access, for its owner to read. */
      remedy(namespaces: readonly string[]): string;
    };

const everyone: Access = { is: "known", requirements: [], isGranted: () => true, remedy: () => "" };

/** The namespace of the XR, or of its claim. Undefined for a cluster-scoped XR without a claim, which is the platform's. */
export const consumerNamespace = ({ namespace, claim }: Composite): string | undefined => namespace ?? claim?.namespace;

/** Finds who has access. The source Secret is asked for afterwards, so that nothing of it is read without a grant. */
export function findAccess(
  shared: SharedResource,
  resource: Document,
  secret: SecretName | undefined,
  call: Call,
): Access {
  if (shared.select.by === "self" || shared.grant === "None") return everyone;
  if (shared.grant === "Annotation" || secret === undefined) return annotationAccess(resource);
  const requirement = toRequirement(`shared-resource/${shared.name}/reference-grants`, {
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    namespace: secret.namespace,
    match: { labels: {} },
  });
  const answer = call.request.required(requirement.name);
  if (answer.is === "pending") return { is: "pending", requirements: [requirement] };
  return { ...referenceAccess(answer.items, secret, call.composite), requirements: [requirement] };
}

/** The annotation lies on the shared resource, so whoever wants access cannot grant it to himself. */
function annotationAccess(resource: Document): Access {
  const allowed = toNamespaceSet(annotationOf(resource, ALLOWED_NAMESPACES));
  return {
    is: "known",
    requirements: [],
    isGranted: (namespace) => allowed.has("*") || allowed.has(namespace),
    remedy: (namespaces) => `add ${namespaces.join(", ")} to its annotation ${ALLOWED_NAMESPACES}`,
  };
}

/**
 * Access by the ReferenceGrants in the Secret's namespace: https://gateway-api.sigs.k8s.io/api-types/referencegrant. `from` is
 * the namespace of the XR or claim that asks; for an XR without one it is the copy's. An entry of `to` without a name is for
 * all Secrets.
 */
function referenceAccess(
  items: readonly Document[],
  secret: SecretName,
  composite: Composite,
): Access & { is: "known" } {
  const { group, kinds } = toConsumer(composite);
  const isFrom = (from: JsonObject): boolean => from["group"] === group && kinds.some((kind) => from["kind"] === kind);
  const isTo = ({ group: to = "", kind, name }: JsonObject): boolean =>
    to === "" && kind === "Secret" && (name === undefined || name === null || name === secret.name);
  const granted = new Set(
    items
      // `crossplane render` answers with grants of all namespaces; another namespace's owner cannot grant this Secret.
      .filter((item) => stringAt(item, ["metadata", "namespace"]) === secret.namespace)
      .filter((item) => listAt(item, "to").some(isTo))
      .flatMap((item) => listAt(item, "from").filter(isFrom))
      .map((from) => from["namespace"]),
  );
  const own = consumerNamespace(composite);
  return {
    is: "known",
    requirements: [],
    isGranted: (namespace) => granted.has(own ?? namespace),
    remedy: (namespaces) => {
      const consumers = kinds.map((kind) => toGroupKind(kind, group)).join(" or ");
      return `create a ReferenceGrant beside its connection Secret, from ${consumers} in ${own ?? namespaces.join(", ")}`;
    },
  };
}

/** A claim's team knows the claim's kind; that it is the XR's kind which refers to the Secret is Crossplane's affair. */
const toConsumer = ({ apiVersion, kind, claim }: Composite) => ({
  group: toApiGroup(apiVersion),
  kinds: claim === undefined ? [kind] : [kind, claim.kind],
});

function listAt(item: Document, field: "from" | "to"): readonly JsonObject[] {
  const list = item.at(["spec", field]);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
