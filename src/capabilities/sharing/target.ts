import type { Copy } from "../../input/shared-resource.ts";
import { DNS_LABEL, DNS_SUBDOMAIN } from "../../model/names.ts";
import type { Call } from "../capability.ts";
import { type Resolved, resolveString, resolveStrings } from "../value.ts";
import type { SecretName } from "./source.ts";

/** A Secret that is to be a copy, and how it is to look. */
export interface Target extends SecretName {
  readonly copy: Copy;
}

/** Where the copies go, or the field that has to be set first. */
export function targetsOf(copies: readonly Copy[], call: Call): Resolved<readonly Target[]> {
  const targets: Target[] = [];
  for (const copy of copies) {
    const namespaces = namespacesOf(copy, call);
    if (namespaces.is === "unset") return namespaces;
    const name = resolveString(copy.secretName, call);
    if (name.is === "unset") return name;
    targets.push(...namespaces.value.map((namespace) => ({ namespace, name: name.value, copy })));
  }
  return { is: "set", value: targets };
}

/** A consumer's namespace is its own, or its claim's, unless the input says otherwise. */
function namespacesOf({ namespaces }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const { namespace, claim } = call.composite;
  const own = namespace ?? claim?.namespace;
  return own === undefined
    ? { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," }
    : { is: "set", value: [own] };
}

/** What is wrong with a target, if anything. Its names come from the XR, so they are checked here and not with the input. */
export function faultOf({ namespace, name }: SecretName, source: SecretName): string | undefined {
  if (!DNS_LABEL.test(namespace)) return `${JSON.stringify(namespace)} is not a namespace's name`;
  if (!DNS_SUBDOMAIN.test(name)) return `${JSON.stringify(name)} is not a Secret's name`;
  if (namespace === source.namespace && name === source.name) return `Secret ${namespace}/${name} is the source itself`;
  return undefined;
}
