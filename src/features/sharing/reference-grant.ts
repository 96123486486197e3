import type { Composite } from "../../crossplane/composite.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { SecretName } from "./source.ts";

/**
 * Tells whether one of the ReferenceGrants in the Secret's namespace lets this XR (or its claim) refer to the Secret from
 * `namespace`: https://gateway-api.sigs.k8s.io/api-types/referencegrant. An entry of `to` without a name is for all Secrets.
 */
export function referenceGrants(
  items: readonly Document[],
  secret: SecretName,
  namespace: string,
  composite: Composite,
): boolean {
  const { group, kinds } = consumerOf(composite);
  return items.some((item) => {
    // Render answers with grants of all namespaces; whoever owns another namespace cannot grant this one's Secrets.
    if (stringAt(item, ["metadata", "namespace"]) !== secret.namespace) return false;
    const isFrom = (from: JsonObject): boolean =>
      from["group"] === group && kinds.some((kind) => from["kind"] === kind) && from["namespace"] === namespace;
    const isTo = ({ group: to = "", kind, name }: JsonObject): boolean =>
      to === "" && kind === "Secret" && (name === undefined || name === null || name === secret.name);
    return listAt(item, "from").some(isFrom) && listAt(item, "to").some(isTo);
  });
}

/** What the owner of the Secret would have to do. */
export function referenceRemedy(
  { namespace, name }: SecretName,
  namespaces: readonly string[],
  composite: Composite,
): string {
  const { group, kinds } = consumerOf(composite);
  const consumers = kinds.map((kind) => `${kind}.${group}`).join(" or ");
  return `create a ReferenceGrant in namespace ${namespace} from ${consumers} in ${namespaces.join(", ")} to Secret ${name}`;
}

/** A claim's team knows the claim's kind; that it is the XR's kind which refers to the Secret is Crossplane's affair. */
const consumerOf = ({ apiVersion, kind, claim }: Composite) => ({
  group: apiVersion.split("/")[0] ?? "",
  kinds: claim === undefined ? [kind] : [kind, claim.kind],
});

function listAt(item: Document, field: "from" | "to"): readonly JsonObject[] {
  const list = item.at(["spec", field]);
  return Array.isArray(list) ? list.filter(isObject) : [];
}
