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

/** Finds the connection Secret that a resource names, or the empty fields that should name it. */
export function findConnectionSecret(resource: Document, { name, namespaceFieldPath }: SecretRef): ConnectionSecret {
  const texts = name.map((part) => (typeof part === "string" ? part : toPlainText(resource.at(part))));
  const whole = texts.includes("") ? undefined : texts.join("");
  const found = judgeSecret(resource, whole, stringAt(resource, namespaceFieldPath));
  if (found.is !== "missing") return found;
  const isAsked = (part: string | FieldPath, index: number): part is FieldPath =>
    typeof part !== "string" && (whole !== undefined || texts[index] === "");
  const fields = whole !== undefined && isName(whole) ? [namespaceFieldPath] : name.filter(isAsked);
  return { is: "missing", field: fields.map(formatFieldPath).join(", ") || "secretRef.name" };
}

/**
 * Judges the connection Secret that a resource names. The default namespace is the resource's own.
 *
 * provider-kubernetes can read Secrets that the resource's author cannot. So a namespaced resource may name Secrets of
 * its own namespace only. A tenant wrote the spec of a resource composed for a claim. Such a resource may name Secrets
 * of the claim's namespace, and the Secret that Crossplane writes for it, unless the claim can have chosen its name.
 */
export function judgeSecret(
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
 * Tells whether Crossplane writes this Secret for the resource, under a name that the claim did not choose.
 *
 * Crossplane names the Secret of a claim's XR. Below that XR a Composition does, perhaps with a field of the claim. So
 * there the name has to contain a UID, as is common.
 */
function isWrittenFor(resource: Document, secret: SecretName): boolean {
  const written = secretAt(resource, CONNECTION_SECRET_REF);
  const isNamed = written?.namespace === secret.namespace && written.name === secret.name;
  const controller = findController(resource);
  const isClaims = controller === undefined && stringAt(resource, CLAIM_REF_NAMESPACE) !== undefined;
  const uids = [stringAt(resource, ["metadata", "uid"]) ?? "", controller?.uid ?? ""].filter((uid) => uid !== "");
  return isNamed && (isClaims || uids.some((uid) => secret.name.includes(uid)));
}
