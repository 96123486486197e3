import type { Connection } from "../../input/connection.ts";
import { type Document, stringAt } from "../../model/document.ts";
import { DNS_LABEL, isName } from "../../model/names.ts";

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** A Secret's name as people and maps read it: `namespace/name`. */
export const formatSecret = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;

export const isSameSecret = (a: SecretName, b: SecretName): boolean => a.namespace === b.namespace && a.name === b.name;

/** The connection Secret of a shared resource. */
export type Source =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing" } // the shared resource names none, or not yet, or by what is no name
  | { readonly is: "foreign" }; // it names one that its owner may not give away

/**
 * Finds the Secret that a shared resource names. A namespaced one may name Secrets of its own namespace only: whoever may
 * write it need not be allowed to read Secrets elsewhere, but what copies them (provider-kubernetes) is.
 */
export function findSource(resource: Document, { nameFieldPath, namespaceFieldPath }: Connection["secretRef"]): Source {
  const own = stringAt(resource, ["metadata", "namespace"]);
  const name = stringAt(resource, nameFieldPath);
  const namespace = stringAt(resource, namespaceFieldPath) ?? own;
  if (name === undefined || namespace === undefined) return { is: "missing" };
  if (!isName(name) || !DNS_LABEL.test(namespace)) return { is: "missing" };
  return own === undefined || own === namespace ? { is: "named", secret: { namespace, name } } : { is: "foreign" };
}
