import { type Document, stringAt } from "../model/document.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import type { SecretName } from "./copies.ts";

/** The connection Secret of a resource. */
export type ConnectionSecret =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing" } // the resource names none, or not yet, or by what is no name
  | { readonly is: "foreign" }; // it names one that its owner may not give away

/**
 * Judges the Secret that a resource names, without a namespace in its own. A namespaced resource may name Secrets of its own
 * namespace only: whoever may write it need not be allowed to read Secrets elsewhere, but what copies them (provider-kubernetes) is.
 */
export function toConnectionSecret(
  resource: Document,
  name: string | undefined,
  namespace: string | undefined,
): ConnectionSecret {
  const own = stringAt(resource, ["metadata", "namespace"]);
  const where = namespace ?? own;
  if (name === undefined || where === undefined || !isName(name) || !DNS_LABEL.test(where)) return { is: "missing" };
  return own === undefined || own === where ? { is: "named", secret: { namespace: where, name } } : { is: "foreign" };
}
