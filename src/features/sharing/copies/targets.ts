import { consumerNamespace } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import type { Copy } from "../../../input/connection.ts";
import { quote } from "../../../model/condition.ts";
import { DNS_LABEL, isName } from "../../../model/names.ts";
import type { Call } from "../../feature.ts";
import { type Resolved, resolveString, resolveStrings, resolveTexts } from "../../value.ts";
import type { NamedCopy, Target, Targets } from "../judgement.ts";
import { MAX_TARGETS } from "../reasons.ts";
import { isSameSecret } from "../source.ts";
import { findKeyFault, nameKeys } from "./keys.ts";
import { findMetadataFault } from "./secret-type.ts";

export function resolveTargets(copies: readonly Copy[], call: Call): Targets {
  const resolved = copies.map((copy) => ({
    copy,
    namespaces: findNamespaces(copy, call),
    name: resolveString(copy.secretName, call),
    keys: nameKeys(copy, call),
    type: resolveString(copy.type, call),
    labels: resolveTexts(copy.labels, call),
    annotations: resolveTexts(copy.annotations, call),
  }));
  const parts = resolved.flatMap(({ copy: _, ...values }) => Object.values(values));
  const [unset] = parts.flatMap((part) => (part.is === "unset" ? [part.field] : []));
  const [fault] = parts.flatMap((part) => (part.is === "faulty" ? [part.fault] : []));
  const all = resolved.flatMap(({ copy, namespaces, name, keys, type, labels, annotations }) => {
    if (unset !== undefined || namespaces.is === "unset" || name.is === "unset") return [];
    if (type.is === "unset" || labels.is === "unset" || annotations.is === "unset") return [];
    const metadata = { type: type.value, labels: labels.value, annotations: annotations.value };
    const named: NamedCopy = { ...copy, ...metadata, keys: keys.is === "set" ? keys.value : [] };
    return [...new Set(namespaces.value)].map((namespace): Target => ({ namespace, name: name.value, copy: named }));
  });
  const list = all.slice(0, MAX_TARGETS);
  const namespaces = [...new Set(list.map(({ namespace }) => namespace))].filter((name) => DNS_LABEL.test(name));
  return { list, namespaces, isCutOff: all.length > list.length, unset, fault };
}

/** Finds the namespaces of a copy: those of the input, else the namespace of the XR or its claim. */
function findNamespaces({ namespaces }: Copy, call: Call): Resolved<readonly string[]> {
  if (namespaces !== undefined) return resolveStrings(namespaces, call);
  const own = consumerNamespace(call.composite);
  return own === undefined
    ? { is: "unset", field: "connection.copies[].namespaces, required for an XR with neither a namespace nor a claim," }
    : { is: "set", value: [own] };
}

/** Finds a fault in a share's copies and targets: values from the XR, which the parser of the input cannot check. */
export function findTargetFault(
  { fault, list }: Targets,
  source: SecretName | undefined,
  call: Call,
): string | undefined {
  const copies = new Set(list.map(({ copy }) => copy));
  const faults = [
    fault,
    ...[...copies].map((copy) => findKeyFault(copy, call) ?? findMetadataFault(copy)),
    ...list.map((target) => findSecretFault(target, source, call.composite.namespace)),
  ];
  return faults.find((each) => each !== undefined);
}

/**
 * Finds a fault in a target Secret. A namespaced XR composes Secrets, and its Objects write connection Secrets, in its
 * own namespace only. The manifest of an Object may name any namespace.
 */
function findSecretFault(target: Target, source: SecretName | undefined, own: string | undefined): string | undefined {
  const { namespace, name, copy } = target;
  if (!DNS_LABEL.test(namespace)) return `${quote(namespace)} is not a valid namespace name`;
  if (!isName(name)) return `${quote(name)} is not a valid Secret name`;
  if (source && isSameSecret(target, source))
    return `Secret ${formatSecret(target)} is the source itself: choose another secretName`;
  const isBound = copy.via === "Secret" || copy.via === "ConnectionSecret";
  return isBound && own !== undefined && own !== namespace
    ? `via: ${copy.via} cannot reach namespace ${namespace} from an XR in namespace ${own}; via: Object can`
    : undefined;
}
