import { canSelectNamespaces } from "../../../crossplane/composite.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { quote } from "../../../model/condition.ts";
import { isObject, type JsonValue } from "../../../model/json.ts";
import { SECRET_KEY } from "../../../model/names.ts";
import { NOT_A_TEMPLATE, parseTemplate } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import { describeField, type Resolved, readField, resolveString } from "../../value.ts";
import { NEEDS_V2 } from "../support.ts";
import type { NamedCopy, NamedKey } from "../verdict.ts";
import { needsSource } from "./contents.ts";

/** The keys of a copy, or the field that has to be set first, or the fault of the field that lists them. */
type NamedKeys = Resolved<NamedCopy["keys"]> | Faulty;

interface Faulty {
  readonly is: "faulty";
  readonly fault: string;
}

/** Names the keys of a copy. */
export function nameKeys({ keys }: Copy, call: Call): NamedKeys {
  if (keys === undefined) return { is: "set", value: undefined };
  if (!Array.isArray(keys)) return readKeys(keys, call);
  const named: NamedKey[] = [];
  for (const key of keys) {
    const to = resolveString(key.to, call);
    if (to.is === "unset") return to;
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
  if (found === undefined) return { is: "unset", field };
  if (!isObject(found)) return faulty(`${field} is not an object`);
  const names = Object.keys(found);
  if (names.length === 0) return faulty(`${field} has no keys`);
  if (names.length > MAX_KEYS) return faulty(`${field} has ${names.length} keys, more than ${MAX_KEYS}`);
  const templates = Object.values(found).filter((text) => typeof text === "string" && text.includes("{"));
  if (templates.join("").length > MAX_TEMPLATES)
    return faulty(`${field} has more than ${MAX_TEMPLATES} characters in texts with braces`);
  const named: NamedKey[] = [];
  for (const to of names.sort()) {
    const key = readKey(to, found[to], field);
    if ("is" in key) return key;
    named.push(key);
  }
  return { is: "set", value: named };
}

function readKey(to: string, text: JsonValue | undefined, field: string): NamedKey | Faulty {
  if (typeof text !== "string" || text === "") return faulty(`${quote(to)} in ${field} is not a text`);
  if (!text.includes("{")) return { to, from: text };
  const template = parseTemplate(text);
  return template === undefined ? faulty(`${quote(to)} in ${field} is ${NOT_A_TEMPLATE}`) : { to, template };
}

const faulty = (fault: string): Faulty => ({ is: "faulty", fault });

/** Finds a fault in the keys of a copy. They may come from the XR, so they are checked here and not with the input. */
export function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
  const { keys = [], via } = copy;
  const wrong = keys.flatMap(({ to, from = to }) => [to, from]).find(isNoKey);
  if (wrong !== undefined) return `${quote(wrong)} is not a Secret's key`;
  const seen = new Set<string>();
  for (const { to } of keys) {
    if (seen.has(to)) return `more than one key is named ${to}`;
    seen.add(to);
  }
  if (via === "ConnectionSecret" && keys.some(({ template }) => template))
    return "via: ConnectionSecret copies keys only as they are, without braces";
  return via === "Object" && needsSource(copy) && !canSelectNamespaces(request, composite)
    ? `a text with a key of the Secret in braces ${NEEDS_V2}`
    : undefined;
}

const isNoKey = (name: string): boolean => !SECRET_KEY.test(name);
