import type { Copy } from "../../input/connection.ts";
import { stringAt } from "../../model/document.ts";
import { DNS_LABEL, isName } from "../../model/names.ts";
import type { Call } from "../feature.ts";
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
    const name = nameFor(copy, call);
    if (name.is === "unset") return name;
    targets.push(...namespaces.value.map((namespace) => ({ namespace, name: name.value, copy })));
  }
  return { is: "set", value: targets };
}

/** A consumer's namespace is its own, or its claim's, unless the input says otherwise. */
function namespacesOf({ namespaces, via }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const { namespace, claim, document } = call.composite;
  const own = namespace ?? claim?.namespace;
  if (own !== undefined) return { is: "set", value: [own] };
  const published = stringAt(document, [...CONNECTION_SECRET, "namespace"]);
  if (via === "CompositeConnectionDetails" && published !== undefined) return { is: "set", value: [published] };
  return { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," };
}

const CONNECTION_SECRET = ["spec", "writeConnectionSecretToRef"];

/** Connection details go into whatever Secret Crossplane writes them to; by its name the XR's own is meant. */
function nameFor({ secretName }: Copy, call: Call): Resolved<string> {
  if (secretName !== undefined) return resolveString(secretName, call);
  const name = stringAt(call.composite.document, [...CONNECTION_SECRET, "name"]);
  return { is: "set", value: name ?? call.composite.claim?.name ?? call.composite.name };
}

/**
 * What is wrong with a target, if anything. Its names come from the XR, so they are checked here and not with the input.
 * A namespaced XR composes into its own namespace only (Crossplane overwrites another), and its Objects write connection
 * Secrets nowhere else; what an Object's manifest says is the provider's affair.
 */
export function faultOf({ namespace, name, copy }: Target, source: SecretName, call: Call): string | undefined {
  if (!DNS_LABEL.test(namespace)) return `${JSON.stringify(namespace)} is not a namespace's name`;
  if (!isName(name)) return `${JSON.stringify(name)} is not a Secret's name`;
  if (namespace === source.namespace && name === source.name) return `Secret ${namespace}/${name} is the source itself`;
  const own = call.composite.namespace;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  if (isBound && own !== undefined && own !== namespace) {
    return `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`;
  }
  return undefined;
}
