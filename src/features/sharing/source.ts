import type { Connection } from "../../input/connection.ts";
import { type Document, stringAt } from "../../model/document.ts";

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The connection Secret of a shared resource. */
export type Source =
  | { readonly is: "named"; readonly secret: SecretName }
  | { readonly is: "missing" } // the shared resource names none, or not yet
  | { readonly is: "foreign"; readonly secret: SecretName }; // it names one that its owner may not give away

/**
 * Which Secret a shared resource names. A namespaced one may name Secrets of its own namespace only: whoever may write it
 * need not be allowed to read Secrets elsewhere, but what copies them (provider-kubernetes) is.
 */
export function sourceOf(resource: Document, { nameFieldPath, namespaceFieldPath }: Connection["secretRef"]): Source {
  const home = stringAt(resource, ["metadata", "namespace"]);
  const name = stringAt(resource, nameFieldPath);
  const namespace = stringAt(resource, namespaceFieldPath) ?? home;
  if (name === undefined || namespace === undefined) return { is: "missing" };
  return { is: home === undefined || home === namespace ? "named" : "foreign", secret: { namespace, name } };
}
