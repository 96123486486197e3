import { type Document, stringAt } from "../model/document.ts";
import { DNS_LABEL, isName } from "../model/names.ts";
import { claimNamespace } from "./composite.ts";
import { CONNECTION_SECRET_REF, type SecretName } from "./copies.ts";

/** The connection Secret of a resource. */
export type ConnectionSecret =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing" } // the resource names none, or not yet, or by what is no name
  | { readonly is: "foreign" }; // it names one that its owner may not give away

/**
 * Judges the Secret that a resource names, without a namespace in its own. Whoever may write a resource need not be allowed to read
 * Secrets elsewhere, but what copies them (provider-kubernetes) is. So a namespaced resource may name Secrets of its own namespace
 * only. What was made for a claim has a spec that a tenant wrote: it may name Secrets of the claim's namespace, and the one that
 * Crossplane itself writes for it, which a claim cannot choose.
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

const isWrittenFor = (resource: Document, { namespace, name }: SecretName): boolean =>
  stringAt(resource, [...CONNECTION_SECRET_REF, "namespace"]) === namespace &&
  stringAt(resource, [...CONNECTION_SECRET_REF, "name"]) === name;
