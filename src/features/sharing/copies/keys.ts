import { canSelectNamespaces, NEEDS_V2 } from "../../../crossplane/generation.ts";
import { attempt, FunctionError } from "../../../errors.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { groupBy } from "../../../model/collections.ts";
import { quote } from "../../../model/condition.ts";
import { isObject, type JsonValue } from "../../../model/json.ts";
import { SECRET_KEY } from "../../../model/names.ts";
import { parseTemplate, type Template } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import { describeField, type Resolved, readField, resolveString } from "../../value.ts";
import type { NamedCopy, NamedKey } from "../judgement.ts";

/** The keys of a copy; else the field that is not set, or the fault in the field from which they come. */
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

/** Finds a fault in the keys of a copy. They may come from the XR. */
export function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
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
  return keys.some(({ template }) => template?.some(isKey) ?? via === "Secret");
}

const isKey = (part: Template[number]): boolean => typeof part !== "string" && "key" in part;
