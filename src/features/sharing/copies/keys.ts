import { canSelectNamespaces } from "../../../crossplane/composite.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { brief, quote } from "../../../model/condition.ts";
import type { Document } from "../../../model/document.ts";
import { type FieldPath, formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { isObject, type JsonValue, toPlainText } from "../../../model/json.ts";
import { SECRET_KEY } from "../../../model/names.ts";
import { once } from "../../../model/once.ts";
import { type FieldPlaceholder, NOT_A_TEMPLATE, parseTemplate, type Template } from "../../../model/template.ts";
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

/** Names the keys of a copy, and fills in the fields of the XR that their templates name. */
export function nameKeys({ keys }: Copy, call: Call): NamedKeys {
  if (keys === undefined) return { is: "set", value: undefined };
  if (!Array.isArray(keys)) return readKeys(keys, call);
  const named: NamedKey[] = [];
  for (const key of keys) {
    const to = resolveString(key.to, call);
    if (to.is === "unset") return to;
    const made = key.from === undefined ? makeKey(to.value, key.template, call) : { to: to.value, from: key.from };
    if ("is" in made) return made;
    named.push(made);
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
    const key = readKey(to, found[to], field, call);
    if ("is" in key) return key;
    named.push(key);
  }
  return { is: "set", value: named };
}

function readKey(to: string, text: JsonValue | undefined, field: string, call: Call): MadeKey {
  if (typeof text !== "string" || text === "") return faulty(`${quote(to)} in ${field} is not a text`);
  if (!text.includes("{")) return { to, from: text };
  const template = parseTemplate(text);
  return template === undefined ? faulty(`${quote(to)} in ${field} is ${NOT_A_TEMPLATE}`) : makeKey(to, template, call);
}

const faulty = (fault: string): Faulty => ({ is: "faulty", fault });

type MadeKey = NamedKey | Exclude<NamedKeys, { is: "set" }>;

/** Fills in the fields of the XR. The values are not joined yet: they may be large, and named often. */
function makeKey(to: string, template: Template, call: Call): MadeKey {
  const parts: Extract<NamedKey, { parts: unknown }>["parts"][number][] = [];
  for (const part of template) {
    if (typeof part === "string" || "key" in part) {
      parts.push(part);
      continue;
    }
    const text = fillIn(part, call);
    if (text === "") return { is: "unset", field: `${brief(formatFieldPath(part.field))} of the XR` };
    parts.push(text);
  }
  return { to, parts };
}

/** The texts that templates name, by what is between their braces: each is read and encoded once. */
const textsOf = once((_composite: Document) => new Map<string, string>());

/** The XR's fields at its top, decoded once: a tenant's templates may name thousands of fields below them. */
const topOf = once((_composite: Document) => new Map<string, JsonValue | undefined>());

/** Reads the text of a field; empty if it has none. */
function fillIn({ field, isEncoded }: FieldPlaceholder, { composite: { document } }: Call): string {
  const texts = textsOf(document);
  const key = `${formatFieldPath(field)}${isEncoded ? "|url" : ""}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const plain = toPlainText(readBelowTop(document, field));
  const text = isEncoded ? encodeURIComponent(plain) : plain;
  texts.set(key, text);
  return text;
}

function readBelowTop(document: Document, [first = "", ...rest]: FieldPath): JsonValue | undefined {
  const top = topOf(document);
  const name = String(first);
  if (!top.has(name)) top.set(name, document.at([name]));
  const found = top.get(name);
  return found === undefined ? undefined : valueAt(found, rest);
}

/** Finds a fault in the keys of a copy. They may come from the XR, so they are checked here and not with the input. */
export function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
  const { keys = [], via } = copy;
  const wrong = keys.flatMap(({ to, ...key }) => ("from" in key ? [to, key.from] : [to])).find(isNoKey);
  if (wrong !== undefined) return `${quote(wrong)} is not a Secret's key`;
  const seen = new Set<string>();
  for (const { to } of keys) {
    if (seen.has(to)) return `more than one key is named ${to}`;
    seen.add(to);
  }
  if (via === "ConnectionSecret" && keys.some((key) => "parts" in key))
    return "via: ConnectionSecret copies keys only as they are, without braces";
  return via === "Object" && needsSource(copy) && !canSelectNamespaces(request, composite)
    ? `a text with a key of the Secret in braces ${NEEDS_V2}`
    : undefined;
}

const isNoKey = (name: string): boolean => !SECRET_KEY.test(name);
