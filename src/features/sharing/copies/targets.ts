import { consumerNamespace } from "../../../crossplane/composite.ts";
import { CONNECTION_SECRET_REF, formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import type { Copy } from "../../../input/connection.ts";
import { quote } from "../../../model/condition.ts";
import { stringAt } from "../../../model/document.ts";
import { DNS_LABEL, isName } from "../../../model/names.ts";
import type { Call } from "../../feature.ts";
import { type Resolved, resolveString, resolveStrings } from "../../value.ts";
import { MAX_TARGETS } from "../reasons.ts";
import { isSameSecret } from "../source.ts";
import type { NamedCopy, Target } from "../verdict.ts";
import { findKeyFault, nameKeys } from "./keys.ts";

/** The Secrets that are to be the copies of one shared resource, resolved once. */
export interface Targets {
  /** Each once; none while a field is not set. */
  readonly list: readonly Target[];
  /** Those of the list, each once. */
  readonly namespaces: readonly string[];
  /** True if there are more than MAX_TARGETS. How many more is not counted: a tenant may name a hundred thousand. */
  readonly isCutOff: boolean;
  /** The field that has to be set first. */
  readonly unset: string | undefined;
  readonly fault: string | undefined;
  /** For each copy that goes into the XR's connection details, its keys; undefined where these are all, or not known. */
  readonly details: readonly NamedCopy["keys"][];
}

export function resolveTargets(copies: readonly Copy[], call: Call): Targets {
  const resolved = copies.map((copy) => ({ copy, keys: nameKeys(copy, call) }));
  const details = resolved
    .filter(({ copy }) => copy.via === "CompositeConnectionDetails")
    .map(({ keys }) => (keys.is === "set" ? keys.value : undefined));
  const [fault] = resolved.flatMap(({ keys }) => (keys.is === "faulty" ? [keys.fault] : []));
  const list: Target[] = [];
  let isCutOff = false;
  for (const { copy, keys } of resolved) {
    const namespaces = findNamespaces(copy, call);
    const name = findName(copy, call);
    const [missing] = [namespaces, name, keys].flatMap((each) => (each.is === "unset" ? [each.field] : []));
    if (namespaces.is === "unset" || name.is === "unset" || keys.is === "unset")
      return { list: [], namespaces: [], isCutOff: false, unset: missing, fault, details };
    const named: NamedCopy = { ...copy, keys: keys.is === "set" ? keys.value : [] };
    const distinct = takeDistinct(namespaces.value, MAX_TARGETS - list.length);
    for (const namespace of distinct.taken) list.push({ namespace, name: name.value, copy: named });
    isCutOff ||= distinct.isCutOff;
  }
  const namespaces = [...new Set(list.map(({ namespace }) => namespace))];
  return { list, namespaces, isCutOff, unset: undefined, fault, details };
}

/** Takes the first few different texts, in their order. */
function takeDistinct(texts: readonly string[], most: number): { taken: ReadonlySet<string>; isCutOff: boolean } {
  const taken = new Set<string>();
  for (const text of texts) {
    if (taken.size === most && !taken.has(text)) return { taken, isCutOff: true };
    taken.add(text);
  }
  return { taken, isCutOff: false };
}

/** Finds the namespaces of a copy: those of the input, else the XR's own or its claim's. */
function findNamespaces({ namespaces, via }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const own = consumerNamespace(call.composite);
  if (own !== undefined) return { is: "set", value: [own] };
  const published = stringAt(call.composite.document, [...CONNECTION_SECRET_REF, "namespace"]);
  if (via === "CompositeConnectionDetails" && published !== undefined) return { is: "set", value: [published] };
  return { is: "unset", field: "spec.claimRef.namespace of the XR, the default of namespaces," };
}

/** Finds the Secret's name; connection details have that of the Secret that Crossplane writes for the XR. */
function findName({ secretName }: Copy, call: Call): Resolved<string> {
  if (secretName !== undefined) return resolveString(secretName, call);
  const name = stringAt(call.composite.document, [...CONNECTION_SECRET_REF, "name"]);
  return { is: "set", value: name ?? call.composite.claim?.name ?? call.composite.name };
}

/** Finds a fault in the names of keys or Secrets. They may come from the XR, so they are not checked with the input. */
export function findTargetFault(targets: Targets, source: SecretName, call: Call): string | undefined {
  if (targets.fault !== undefined) return targets.fault;
  for (const copy of new Set(targets.list.map((target) => target.copy))) {
    const fault = findKeyFault(copy, call);
    if (fault !== undefined) return fault;
  }
  for (const target of targets.list) {
    const fault = findSecretFault(target, source, call.composite.namespace);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * A namespaced XR composes into its own namespace only (Crossplane overwrites another), and its Objects write connection Secrets
 * nowhere else. The manifest of an Object may name any namespace.
 */
function findSecretFault(target: Target, source: SecretName, own: string | undefined): string | undefined {
  const { namespace, name, copy } = target;
  if (!DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a namespace's name`;
  if (!isName(name)) return `${quote(name)} is not a Secret's name`;
  if (isSameSecret(target, source)) return `Secret ${formatSecret(target)} is the source itself`;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  return isBound && own !== undefined && own !== namespace
    ? `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`
    : undefined;
}
