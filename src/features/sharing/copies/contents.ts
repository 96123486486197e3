import type { SecretName } from "../../../crossplane/copies.ts";
import { compareEntries } from "../../../model/collections.ts";
import { brief } from "../../../model/condition.ts";
import type { Document } from "../../../model/document.ts";
import { type FieldPath, formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { type JsonObject, type JsonValue, ownValue, toPlainText } from "../../../model/json.ts";
import { once } from "../../../model/once.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Template } from "../../../model/template.ts";
import type { Call } from "../../feature.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import type { Cause, Copying, NamedCopy, NamedKey } from "../verdict.ts";

/** Tells whether the delivery of a copy needs the source Secret's values or keys: an Object needs those that its templates name. */
export function needsSource({ via, keys }: NamedCopy): boolean {
  if (keys === undefined) return via !== "Object";
  if (via === "ConnectionSecret") return false;
  return keys.some(({ template }) => template?.some(isKey) ?? via !== "Object");
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
  readonly composite: Document;
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
function selectContents(copy: NamedCopy, { source: secret, secret: read }: Copying, composite: Document): Contents {
  if (!needsSource(copy)) return selectKeys(copy, { secret, data: {}, composite });
  switch (read.is) {
    case "pending":
      return { is: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
    case "missing":
      return { is: "gone", reason: { is: "SourceNotFound", secret } };
    case "read":
      return selectKeys(copy, { secret, data: read.data, composite });
  }
}

/** The bytes composed for a key beside its names and its value. */
const KEY_BYTES = 200;

/** Selects the keys that a copy lists, under their new names; all if it lists none. Sorted like in Kubernetes. */
function selectKeys({ via, keys }: NamedCopy, values: Values): Contents {
  const all: readonly NamedKey[] = keys ?? Object.keys(values.data).map((name) => ({ from: name, to: name }));
  const isFilledIn = (key: NamedKey): key is Extract<NamedKey, { from: string }> =>
    key.from !== undefined && (via === "Object" || via === "ConnectionSecret");
  // For each key that the provider copies, an Object repeats the source's name.
  const source = values.secret.namespace.length + values.secret.name.length;
  const toBytes = (key: NamedKey): number =>
    KEY_BYTES + key.to.length + (isFilledIn(key) ? key.from.length + source : 0);
  let bytes = all.reduce((sum, key) => sum + toBytes(key), 0);
  const selected: [string, string][] = [];
  for (const key of keys === undefined ? all : all.filter((each) => !isFilledIn(each))) {
    const most = MAX_COPIES_BYTES - bytes;
    const value = key.template === undefined ? fromKey(key.from, values) : fromTemplate(key.template, values, most);
    if (typeof value !== "string") return { is: "broken", reason: value };
    bytes += isFilledIn(key) ? 0 : value.length;
    selected.push([key.to, value]);
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
    const text = toText(part, values);
    if (typeof text !== "string") return text;
    const whole = typeof part !== "string" && part.isEncoded ? encodeURIComponent(text) : text;
    length += whole.length;
    if (length > most) return TOO_LARGE;
    texts.push(whole);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

function toText(part: Template[number], values: Values): string | SharingReason {
  if (typeof part === "string") return part;
  if ("key" in part) return decodeText(part.key, values);
  const text = toPlainText(readBelowTop(values.composite, part.field));
  return text === "" ? { is: "FieldNotSet", field: `${brief(formatFieldPath(part.field))} of the XR` } : text;
}

/** The XR's fields at its top, decoded once: a tenant's templates may name thousands of fields below them. */
const topOf = once((_composite: Document) => new Map<string, JsonValue | undefined>());

function readBelowTop(composite: Document, [first = "", ...rest]: FieldPath): JsonValue | undefined {
  const top = topOf(composite);
  const name = String(first);
  if (!top.has(name)) top.set(name, composite.at([name]));
  const found = top.get(name);
  return found === undefined ? undefined : valueAt(found, rest);
}

function decodeText(key: string, values: Values): string | SharingReason {
  const value = fromKey(key, values);
  if (typeof value !== "string") return value;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return { is: "KeyIsNotText", secret: values.secret, key };
  }
}
