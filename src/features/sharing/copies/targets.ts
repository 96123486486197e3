import { consumerNamespace } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import { canSelectNamespaces, NEEDS_V2 } from "../../../crossplane/generation.ts";
import { attempt, FunctionError } from "../../../errors.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { groupBy } from "../../../model/collections.ts";
import { quote } from "../../../model/condition.ts";
import { isObject, type JsonValue } from "../../../model/json.ts";
import { DNS_LABEL, isName, SECRET_KEY } from "../../../model/names.ts";
import { parseTemplate } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import { describeField, type Resolved, readField, resolveString, resolveStrings, resolveTexts } from "../../value.ts";
import type { NamedCopy, NamedKey, Target, Targets } from "../judgement.ts";
import { MAX_TARGETS } from "../reasons.ts";
import { isSameSecret } from "../source.ts";
import { hasKey } from "../support.ts";
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

/** The keys of a copy; else the field that is not set, or the fault in a field with keys. */
type NamedKeys = Resolved<NamedCopy["keys"]> | { readonly is: "faulty"; readonly fault: string };

function nameKeys({ keys }: Copy, call: Call): NamedKeys {
  if (keys === undefined) return { is: "set", value: undefined };
  if (!Array.isArray(keys)) return readKeys(keys, call);
  const named: NamedKey[] = [];
  for (const key of keys) {
    const to = resolveString(key.to, call);
    if (to.is === "unset") return to;
    if (key.to.is !== "literal" && !SECRET_KEY.test(to.value))
      return { is: "faulty", fault: noKey(to.value, describeField(key.to)) };
    named.push({ ...key, to: to.value });
  }
  return { is: "set", value: named };
}

/** The most keys that a field may list: each costs a reference in an Object. */
const MAX_KEYS = 1000;

/** The most characters of all templates that a field may list: each placeholder costs a look-up. */
const MAX_TEMPLATES = 10_000;

/**
 * Reads the keys from a field that a tenant may write: an object whose fields are the copy's keys, and whose values are
 * keys of the source or, with a brace, templates. Sorted, so that the output is deterministic.
 */
function readKeys(source: ValueSource, call: Call): NamedKeys {
  const found = readField(source, call);
  const field = describeField(source);
  const faulty = (fault: string): NamedKeys => ({ is: "faulty", fault });
  if (found === undefined) return { is: "unset", field };
  if (!isObject(found)) return faulty(`${field} is not an object`);
  const names = Object.keys(found);
  if (names.length === 0) return faulty(`${field} has no keys`);
  if (names.length > MAX_KEYS) return faulty(`${field} has ${names.length} keys, more than ${MAX_KEYS}`);
  const templates = Object.values(found).filter((text) => typeof text === "string" && text.includes("{"));
  if (templates.join("").length > MAX_TEMPLATES)
    return faulty(`the texts with braces in ${field} have more than ${MAX_TEMPLATES} characters in all`);
  const keys = names.sort().map((to) => readKey(to, found[to], field));
  const fault = keys.find((key) => typeof key === "string");
  return fault === undefined ? { is: "set", value: keys.filter((key) => typeof key !== "string") } : faulty(fault);
}

/** Reads one key. @returns the fault if it is invalid. */
function readKey(to: string, text: JsonValue | undefined, field: string): NamedKey | string {
  if (typeof text !== "string" || text === "") return `${quote(to)} in ${field} is not a text`;
  const wrong = [to, ...(text.includes("{") ? [] : [text])].find((name) => !SECRET_KEY.test(name));
  if (wrong !== undefined) return noKey(wrong, field);
  if (!text.includes("{")) return { to, from: text };
  const template = attempt(() => parseTemplate(text));
  return template instanceof FunctionError ? `${quote(to)} in ${field} is ${template.message}` : { to, template };
}

const noKey = (name: string, field: string): string =>
  `${quote(name)} cannot be a key of a Secret; it comes from ${field}`;

function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
  const { keys = [], via } = copy;
  const twice = [...groupBy(keys, ({ to }) => to)].find(([, same]) => same.length > 1);
  if (twice !== undefined) return `more than one key is named ${twice[0]}`;
  if (via === "ConnectionSecret" && keys.some(({ template }) => template))
    return "via: ConnectionSecret copies keys only as they are: use no text with braces";
  return via === "Object" && needsSource(copy) && !canSelectNamespaces(request, composite)
    ? `a text with a key of the Secret in braces ${NEEDS_V2}`
    : undefined;
}

/** Tells whether this call has to read the source Secret. An Object needs it only for templates with a key. */
export function needsSource({ via, keys }: NamedCopy): boolean {
  if (keys === undefined) return via !== "Object";
  if (via === "ConnectionSecret") return false;
  return keys.some(({ template }) => (template === undefined ? via === "Secret" : hasKey(template)));
}
