import { canSelectNamespaces } from "../../../crossplane/composite.ts";
import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import { qualifiedName } from "../../../crossplane/metadata.ts";
import { attempt, FunctionError } from "../../../errors.ts";
import type { Copy } from "../../../input/connection.ts";
import type { ValueSource } from "../../../input/fields.ts";
import { compareEntries, groupBy } from "../../../model/collections.ts";
import { brief, quote } from "../../../model/condition.ts";
import { type Document, stringAt, TOO_DEEP } from "../../../model/document.ts";
import { formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, toPlainText } from "../../../model/json.ts";
import { SECRET_KEY } from "../../../model/names.ts";
import { once } from "../../../model/once.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import { type Placeholder, parseTemplate, type Template } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import { describeField, type Resolved, readField, resolveString } from "../../value.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import { NEEDS_V2 } from "../support.ts";
import type { Cause, Copying, NamedCopy, NamedKey } from "../verdict.ts";

/** The keys of a copy, or the field that has to be set first, or the fault of the field that lists them. */
type NamedKeys = Resolved<NamedCopy["keys"]> | { readonly is: "faulty"; readonly fault: string };

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
  if (!text.includes("{")) return { to, from: text };
  const template = attempt(() => parseTemplate(text));
  return template instanceof FunctionError ? `${quote(to)} in ${field} is ${template.message}` : { to, template };
}

/** Finds a fault in the keys of a copy. They may come from the XR, so they are checked here and not with the input. */
export function findKeyFault(copy: NamedCopy, { request, composite }: Call): string | undefined {
  const { keys = [], via } = copy;
  const wrong = keys.flatMap(({ to, from = to }) => [to, from]).find((name) => !SECRET_KEY.test(name));
  if (wrong !== undefined) return `${quote(wrong)} is not a Secret's key`;
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

/** The bytes of the response that are left for copies, or for the patches of one share. */
export interface Room {
  left: number;
}

/** The values that copies of a shared resource may hold. */
interface Values {
  readonly secret: SecretName;
  readonly data: JsonObject;
  readonly xr: Document;
  readonly shared: Document;
}

/**
 * Makes the contents of copies in the order of the input, as long as the response has room for them: Crossplane refuses a larger one,
 * and the owner of a Secret and its consumers decide how large it gets.
 */
export function contentsFor(copying: Copying, room: Room, { composite }: Call): (copy: NamedCopy) => Contents {
  const select = once((copy: NamedCopy) => selectContents(copy, copying, composite.document));
  return (copy) => {
    const contents = select(copy);
    if (contents.is !== "known") return contents;
    if (contents.bytes > room.left) return { is: "broken", reason: TOO_LARGE };
    room.left -= contents.bytes;
    return contents;
  };
}

const TOO_LARGE: SharingReason = { is: "TooLarge", excess: 1 };

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
function selectKeys({ via, keys }: NamedCopy, values: Values): Contents {
  const all: readonly NamedKey[] = keys ?? Object.keys(values.data).map((name) => ({ from: name, to: name }));
  const selected: [string, string][] = [];
  let bytes = 0;
  for (const { from = "", template, to } of all) {
    // For each key that the provider copies, an Object repeats the source's name.
    bytes += KEY_BYTES + to.length + from.length + formatSecret(values.secret).length;
    if (via !== "Secret" && template === undefined) continue;
    const value = template ? fromTemplate(template, values, MAX_COPIES_BYTES - bytes) : fromKey(from, values);
    if (typeof value !== "string") return { is: "broken", reason: value };
    bytes += value.length;
    selected.push([to, value]);
  }
  return { is: "known", data: new Map(selected.sort(compareEntries)), bytes };
}

function fromKey(key: string, { data, secret }: Values): string | SharingReason {
  const value = ownValue(data, key);
  return typeof value === "string" ? value : { is: "KeyNotFound", secret, key };
}

/** @param most the bytes after which it stops: a template may name a large value many times. */
function fromTemplate(template: Template, values: Values, most: number): string | SharingReason {
  const texts: string[] = [];
  let length = 0;
  for (const part of template) {
    const text = typeof part === "string" ? part : toText(part, values);
    if (typeof text !== "string") return text;
    length += text.length;
    if (length > most) return TOO_LARGE;
    texts.push(text);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

/** Reads and encodes the value of a placeholder. In base64 a key may be any bytes. */
function toText(part: Placeholder, values: Values): string | SharingReason {
  if ("field" in part) {
    const text = toPlainText(valueAt(wholeOf(values[part.of]), part.field));
    return text === "" ? { is: "FieldNotSet", field: describePart(part, values) } : encode(text, part);
  }
  const value = fromKey(part.key, values);
  if (typeof value !== "string") return value;
  const bytes = Buffer.from(value, "base64");
  if (part.encoding === "base64") return bytes.toString("base64");
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes);
  return isText ? encode(text, part) : { is: "KeyIsNotText", secret: values.secret, key: part.key };
}

function encode(text: string, { encoding }: Placeholder): string {
  if (encoding === "url") return encodeURIComponent(text);
  if (encoding === "base64") return Buffer.from(text).toString("base64");
  return encoding === "json" ? JSON.stringify(text).slice(1, -1) : text;
}

const describePart = ({ of, field }: Extract<Placeholder, { of: string }>, { shared }: Values): string =>
  `${brief(formatFieldPath(field))} of ${of === "xr" ? "the XR" : `${stringAt(shared, ["kind"]) ?? ""} ${qualifiedName(shared)}`}`;

/** A resource, decoded once: a tenant's templates may name thousands of its fields. One that is nested too deep has none. */
const wholeOf = once((resource: Document): JsonValue => {
  const whole = resource.at([], TOO_DEEP);
  return whole === undefined || whole === TOO_DEEP ? {} : whole;
});
