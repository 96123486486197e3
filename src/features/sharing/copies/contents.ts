import { formatSecret } from "../../../crossplane/copies.ts";
import { canSelectNamespaces } from "../../../crossplane/generation.ts";
import { attempt, FunctionError } from "../../../errors.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { compareEntries, groupBy } from "../../../model/collections.ts";
import { quote } from "../../../model/condition.ts";
import type { Document } from "../../../model/document.ts";
import { isObject, type JsonValue } from "../../../model/json.ts";
import { SECRET_KEY } from "../../../model/names.ts";
import { once } from "../../../model/once.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import { parseTemplate, type Template } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import { describeField, type Resolved, readField, resolveString } from "../../value.ts";
import type { Cause, Copying, NamedCopy, NamedKey } from "../judgement.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import { NEEDS_V2 } from "../support.ts";

import { fromKey, fromTemplate, type Values } from "./fill-template.ts";
import { findContentsFault } from "./secret-type.ts";

/** The keys of a copy, or the field that has to be set first, or the fault of the field that lists them. */
type NamedKeys = Resolved<NamedCopy["keys"]> | { readonly is: "faulty"; readonly fault: string };

export function nameKeys({ keys }: Copy, call: Call): NamedKeys {
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

/** The most characters of its templates: each placeholder is looked up. */
const MAX_TEMPLATES = 10_000;

/**
 * Reads the keys from a field that a tenant may write: an object in which each key of the copy has a key of the source, or a template
 * where there is a brace in it. Sorted: the fields of an object come in any order.
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
    return faulty(`${field} has more than ${MAX_TEMPLATES} characters in texts with braces`);
  const keys = names.sort().map((to) => readKey(to, found[to], field));
  const fault = keys.find((key) => typeof key === "string");
  return fault === undefined ? { is: "set", value: keys.filter((key) => typeof key !== "string") } : faulty(fault);
}

/** Reads the key of a copy, or says what is wrong with it. */
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

/** Finds a fault in the keys of a copy. They may come from the XR, so they are checked here and not with the input. */
export function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
  const { keys = [], via } = copy;
  const twice = [...groupBy(keys, ({ to }) => to)].find(([, same]) => same.length > 1);
  if (twice !== undefined) return `more than one key is named ${twice[0]}`;
  if (via === "ConnectionSecret" && keys.some(({ template }) => template))
    return "via: ConnectionSecret copies keys only as they are, without braces";
  return via === "Object" && needsSource(copy) && !canSelectNamespaces(request, composite)
    ? `a text with a key of the Secret in braces ${NEEDS_V2}`
    : undefined;
}

/** Tells whether the delivery of a copy needs the source Secret's values or keys: an Object needs those that its templates name. */
export function needsSource({ via, keys }: NamedCopy): boolean {
  if (keys === undefined) return via !== "Object";
  if (via === "ConnectionSecret") return false;
  return keys.some(({ template }) => template?.some(isKey) ?? via === "Secret");
}

const isKey = (part: Template[number]): boolean => typeof part !== "string" && "key" in part;

/** The contents of a copy and the most bytes that it takes in the response, or the reason why they are not known. */
export type Contents =
  | { readonly is: "known"; readonly data: Data; readonly bytes: number }
  | { readonly is: Cause; readonly reason: SharingReason };

/** Makes the contents of copies, of each once: a copy may have a thousand targets. */
export const contentsFor = (copying: Copying, { composite }: Call): ((copy: NamedCopy) => Contents) =>
  once((copy) => selectContents(copy, copying, composite.document));

/** Selects the contents of a copy, without those that the provider fills in. Reads the source Secret only if they need it. */
function selectContents(
  copy: NamedCopy,
  { source: secret, secret: read, resource: shared }: Copying,
  xr: Document,
): Contents {
  if (!needsSource(copy)) return selectKeys(copy, { secret, data: {}, xr, shared });
  if (read.is === "pending") return { is: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
  if (read.is === "missing") return { is: "gone", reason: { is: "SourceNotFound", secret } };
  return selectKeys(copy, { secret, data: read.data, xr, shared });
}

/** The bytes composed for a key beside its names and its value. */
const KEY_BYTES = 200;

/** Selects the keys that a copy lists, under their new names; all if it lists none. Sorted like in Kubernetes. */
function selectKeys(copy: NamedCopy, values: Values): Contents {
  const { via, keys, type, labels, annotations } = copy;
  const all: readonly NamedKey[] = keys ?? Object.keys(values.data).map((name) => ({ from: name, to: name }));
  const selected: [string, string][] = [];
  let bytes = [type, ...Object.entries({ ...labels, ...annotations }).flat()].join("").length;
  for (const { from = "", template, to } of all) {
    // For each key that the provider copies, an Object repeats the source's name.
    bytes += KEY_BYTES + to.length + from.length + formatSecret(values.secret).length;
    if (via !== "Secret" && template === undefined) continue;
    const value = template ? fromTemplate(template, values, MAX_COPIES_BYTES - bytes) : fromKey(from, values);
    if (typeof value !== "string") return { is: "broken", reason: value };
    bytes += value.length;
    selected.push([to, value]);
  }
  const data = new Map(selected.sort(compareEntries));
  const fault = findContentsFault(copy, data);
  return fault === undefined ? { is: "known", data, bytes } : { is: "broken", reason: { is: "InvalidTarget", fault } };
}
