import { type Document, stringAt } from "../model/document.ts";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { toPlainText } from "../model/json.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import type { FieldsText } from "../model/template.ts";
import { CLAIM_REF_NAMESPACE, claimNamespace } from "./composite.ts";
import { CONNECTION_SECRET_REF, type SecretName, secretAt } from "./copies.ts";
import { findController } from "./metadata.ts";

export type ConnectionSecret =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing"; readonly field?: string } // the resource names none yet, or the name is invalid
  | { readonly is: "foreign" }; // it names a Secret that its owner may not share

interface SecretRef {
  readonly name: FieldsText;
  readonly namespaceFieldPath: FieldPath;
}

/** Finds the connection Secret that a resource names, or the fields in which it names none. */
export function findConnectionSecret(resource: Document, { name, namespaceFieldPath }: SecretRef): ConnectionSecret {
  const texts = name.map((part) => (typeof part === "string" ? part : toPlainText(resource.at(part))));
  const whole = texts.includes("") ? undefined : texts.join("");
  const found = toConnectionSecret(resource, whole, stringAt(resource, namespaceFieldPath));
  if (found.is !== "missing") return found;
  const isAsked = (part: string | FieldPath, index: number): part is FieldPath =>
    typeof part !== "string" && (whole !== undefined || texts[index] === "");
  const fields = whole !== undefined && isName(whole) ? [namespaceFieldPath] : name.filter(isAsked);
  return { is: "missing", field: fields.map(formatFieldPath).join(", ") || "secretRef.name" };
}

/**
 * Judges the connection Secret that a resource names; the default namespace is the resource's own. provider-kubernetes can read
 * Secrets that the author of the resource cannot, so a namespaced resource may name Secrets of its own namespace only. A resource
 * that was composed for a claim has a spec that a tenant wrote: it may name Secrets of the claim's namespace, and the one that
 * Crossplane writes for it, if the claim cannot have chosen its name. A name that is made of fields is judged the same way, so tenants cannot name another Secret by their fields.
 */
export function toConnectionSecret(
  resource: Document,
  name: string | undefined,
  namespace: string | undefined,
): ConnectionSecret {
  const own = stringAt(resource, ["metadata", "namespace"]);
  const where = namespace ?? own;
  if (name === undefined || where === undefined || !isName(name) || !DNS_LABEL.test(where)) return { is: "missing" };
  const secret = { namespace: where, name };
  const team = own ?? claimNamespace(resource);
  const isOurs = team === undefined || team === where || (own === undefined && isWrittenFor(resource, secret));
  return isOurs ? { is: "named", secret } : { is: "foreign" };
}

/**
 * Tells whether the Secret is the resource's connection Secret. Crossplane chooses its name for a claim's own XR. For a resource
 * composed further down, a Composition does, perhaps from a field of the claim; so there the name must contain a UID, as is common.
 */
function isWrittenFor(resource: Document, secret: SecretName): boolean {
  const written = secretAt(resource, CONNECTION_SECRET_REF);
  const isNamed = written?.namespace === secret.namespace && written.name === secret.name;
  const controller = findController(resource);
  const isClaims = controller === undefined && stringAt(resource, CLAIM_REF_NAMESPACE) !== undefined;
  const uids = [stringAt(resource, ["metadata", "uid"]) ?? "", controller?.uid ?? ""].filter((uid) => uid !== "");
  return isNamed && (isClaims || uids.some((uid) => secret.name.includes(uid)));
}
