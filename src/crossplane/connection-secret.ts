import { type Document, stringAt } from "../model/document.ts";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { toPlainText } from "../model/json.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import type { FieldsText } from "../model/template.ts";
import { CLAIM_REF_NAMESPACE, claimNamespace } from "./composite.ts";
import { CONNECTION_SECRET_REF, type SecretName, secretAt } from "./copies.ts";
import { findController, readUid } from "./metadata.ts";

export type ConnectionSecret =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing"; readonly field?: string; readonly secret?: undefined } // the resource names no Secret yet, or one with an invalid name or namespace
  | { readonly is: "foreign"; readonly secret?: undefined }; // the resource names a Secret that its author may not share

interface SecretRef {
  readonly name: FieldsText;
  readonly namespaceFieldPath: FieldPath;
}

/** Finds the connection Secret that a resource names and may share (`judgeSecret`), else the fields to set or correct. */
export function findConnectionSecret(resource: Document, { name, namespaceFieldPath }: SecretRef): ConnectionSecret {
  const textAt = (path: FieldPath): string => toPlainText(resource.at(path));
  const fields = name.filter((part) => typeof part !== "string");
  const empty = fields.filter((path) => textAt(path) === "");
  const whole = name.map((part) => (typeof part === "string" ? part : textAt(part))).join("");
  const found = judgeSecret(resource, empty.length > 0 ? undefined : whole, stringAt(resource, namespaceFieldPath));
  if (found.is !== "missing") return found;
  // If the Secret's name is valid, its namespace is missing or invalid.
  const invalid = isName(whole) ? [namespaceFieldPath] : fields;
  const wanted = empty.length > 0 ? empty : invalid;
  return { is: "missing", field: wanted.map(formatFieldPath).join(", ") || "secretRef.name" };
}

/**
 * Judges the connection Secret that a resource names. The default namespace is the resource's own. provider-kubernetes
 * can read Secrets that the resource's author cannot. So these may be named:
 * - by a namespaced resource: Secrets of its namespace;
 * - by a resource composed for a claim, whose spec a tenant wrote: Secrets of the claim's namespace, and the Secret that
 *   Crossplane writes for the resource;
 * - by other resources: any Secret.
 */
export function judgeSecret(resource: Document, name?: string, namespace?: string): ConnectionSecret {
  const own = stringAt(resource, ["metadata", "namespace"]);
  const where = namespace ?? own;
  if (name === undefined || where === undefined || !isName(name) || !DNS_LABEL.test(where)) return { is: "missing" };
  const secret = { namespace: where, name };
  const team = own ?? claimNamespace(resource);
  const mayName = team === undefined || team === where || (own === undefined && isWrittenFor(resource, secret));
  return mayName ? { is: "named", secret } : { is: "foreign" };
}

/**
 * Tells whether Crossplane writes this Secret for the resource, under a name that the claim did not choose. Crossplane
 * itself names the Secret of a claim's XR. A Composition names the Secrets of the resources below that XR, perhaps by a
 * field of the claim. So such a name must contain the UID of the resource or of its controller.
 */
function isWrittenFor(resource: Document, secret: SecretName): boolean {
  const written = secretAt(resource, CONNECTION_SECRET_REF);
  const isNamed = written?.namespace === secret.namespace && written.name === secret.name;
  const controller = findController(resource);
  // Only the claim's own XR has a claim and no controller.
  const isClaimsXR = controller === undefined && stringAt(resource, CLAIM_REF_NAMESPACE) !== undefined;
  const hasUid = [readUid(resource), controller?.uid].some((uid) => uid && secret.name.includes(uid));
  return isNamed && (isClaimsXR || hasUid);
}
