import type { Kubectl } from "../rig/kubectl.ts";
import { at, encode } from "../rig/objects.ts";
import { type Kind, pluralOf, VERSION } from "./definitions.ts";

/** The owner's side of a scenario: a shared resource and its connection Secret. */

/** The annotation with which an owner grants access. */
export const ALLOWED = "shared-infrastructure.fn.crossplane.io/allowed-namespaces";

export interface Source {
  readonly kind: Kind;
  readonly name: string;
  /** Where its connection Secret is; all of them hold a password and nothing else. */
  readonly secret: { readonly namespace: string; readonly name: string };
}

export const sourceOf = (kind: Kind, name: string, namespace: string): Source => ({
  kind,
  name,
  secret: { namespace, name: `${name}-conn` },
});

/** Creates it, or changes its password. */
export const putPassword = (kubectl: Kubectl, { secret }: Source, password: string): Promise<void> =>
  kubectl.apply({ apiVersion: "v1", kind: "Secret", metadata: secret, data: { password: encode(password) } });

/** Creates it, or changes whom it is granted to. */
export const grant = (kubectl: Kubectl, { kind, name, secret }: Source, namespaces: string): Promise<void> =>
  kubectl.apply({
    apiVersion: VERSION,
    kind: kind.kind,
    metadata: { name, labels: { source: name }, annotations: { [ALLOWED]: namespaces } },
    spec: { writeConnectionSecretToRef: secret },
  });

export const remove = (kubectl: Kubectl, { kind, name }: Source): Promise<string> =>
  kubectl.run("delete", `${pluralOf(kind.kind)}/${name}`, "--wait=false");

export const namespaceOf = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

export async function holdsPassword(kubectl: Kubectl, name: string, namespace: string, password: string) {
  return at(await kubectl.get(`secret/${name}`, namespace), "data.password") === encode(password);
}
