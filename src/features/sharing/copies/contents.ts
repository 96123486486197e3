import { formatSecret, type SecretName } from "../../../crossplane/copies.ts";
import { qualifiedName } from "../../../crossplane/metadata.ts";
import { compareEntries } from "../../../model/collections.ts";
import { brief } from "../../../model/condition.ts";
import { type Document, stringAt, TOO_DEEP } from "../../../model/document.ts";
import { formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { type JsonObject, type JsonValue, ownValue, toPlainText } from "../../../model/json.ts";
import { once } from "../../../model/once.ts";
import { MAX_COPIES_BYTES } from "../../../model/response-limit.ts";
import type { Placeholder, Template } from "../../../model/template.ts";
import { formatOwner } from "../../../ownership/annotations.ts";
import type { Call } from "../../feature.ts";
import type { Cause, Copying, NamedCopy, NamedKey } from "../judgement.ts";
import type { SharingReason } from "../reasons.ts";
import type { Data } from "../source.ts";
import { findContentsFault } from "./secret-type.ts";
import { needsSource } from "./targets.ts";

/** A copy's contents, and the most bytes that they take in the response; or the cause and the reason for having none. */
export type Contents =
  | { readonly is: "known"; readonly data: Data; readonly bytes: number }
  | { readonly is: Cause; readonly reason: SharingReason };

/**
 * Makes the function that selects the contents of a copy of the input, without the values that the provider fills in. The
 * function caches them, since a copy may have a thousand targets.
 */
export const contentsFor = ({ source, secret, resource: shared }: Copying, { composite }: Call) =>
  once((copy: NamedCopy): Contents => {
    const values = { secret: source, data: {}, xr: composite.document, shared };
    if (!needsSource(copy)) return selectKeys(copy, values);
    if (secret.is === "pending")
      return { is: "unknown", reason: { is: "WaitingForRequiredResources", wanted: "Secret" } };
    if (secret.is === "missing") return { is: "gone", reason: { is: "SourceNotFound", secret: source } };
    // Its writer has yet to fill it, or fills it anew.
    if (copy.keys === undefined && Object.keys(secret.data).length === 0)
      return { is: "broken", reason: { is: "KeyNotFound", secret: source, keys: [] } };
    return selectKeys(copy, { ...values, data: secret.data });
  });

/** The objects that keys and templates take values from. */
interface Values {
  readonly secret: SecretName;
  readonly data: JsonObject;
  readonly xr: Document;
  readonly shared: Document;
}

export const TOO_LARGE: SharingReason = { is: "TooLarge", excess: 1 };

/** The bytes that a key with its value takes in the response, besides name and value. */
const VALUE_BYTES = 20;
/** The bytes that a key takes in the response if the provider copies its value, besides names. */
const REFERENCE_BYTES = 140;

/** The bytes of a copy without keys and annotations, and of the requirement of its target, besides names. */
const COPY_BYTES = 900;

/** Counts the most bytes that a copy takes in the response besides its contents. The target's name occurs in it up to 8 times, the owner's up to 4. */
export const bytesAround = (target: SecretName, { composite }: Call): number =>
  COPY_BYTES + 8 * formatSecret(target).length + 4 * formatOwner(composite).length;

/** Selects the keys that a copy lists, or all keys of the source, sorted by their new names. */
function selectKeys(copy: NamedCopy, values: Values): Contents {
  const { via, keys, type, labels, annotations } = copy;
  const all: readonly NamedKey[] = keys ?? Object.keys(values.data).map((name) => ({ from: name, to: name }));
  const selected: [string, string][] = [];
  let bytes = Buffer.byteLength([type, ...Object.entries({ ...labels, ...annotations }).flat()].join(""));
  for (const { from = "", template, to } of all) {
    if (via !== "Secret" && template === undefined) {
      // An Object repeats the source's name for each key that the provider copies.
      bytes += REFERENCE_BYTES + to.length + from.length + formatSecret(values.secret).length;
      continue;
    }
    bytes += VALUE_BYTES + to.length;
    const value = template ? fillIn(template, values, MAX_COPIES_BYTES - bytes) : readKey(from, values);
    if (typeof value !== "string") return { is: "broken", reason: value };
    bytes += value.length;
    selected.push([to, value]);
  }
  const data = new Map(selected.sort(compareEntries));
  const fault = findContentsFault(copy, data);
  return fault === undefined ? { is: "known", data, bytes } : { is: "broken", reason: { is: "InvalidTarget", fault } };
}

/** Reads a key of the source, in base64. */
function readKey(key: string, { data, secret }: Values): string | SharingReason {
  const value = ownValue(data, key);
  return typeof value === "string" ? value : { is: "KeyNotFound", secret, key, keys: Object.keys(data).sort() };
}

/**
 * Fills a template in, and encodes the text in base64.
 *
 * @param most the bytes that the text may have: a template may name a large value many times.
 */
function fillIn(template: Template, values: Values, most: number): string | SharingReason {
  const texts: string[] = [];
  let length = 0;
  for (const part of template) {
    const text = typeof part === "string" ? part : toText(part, values);
    if (typeof text !== "string") return text;
    length += Buffer.byteLength(text);
    if (length > most) return TOO_LARGE;
    texts.push(text);
  }
  return Buffer.from(texts.join("")).toString("base64");
}

/** Reads and encodes the value of a placeholder. Only with the encoding base64 may a key have bytes that are no text. */
function toText(part: Placeholder, values: Values): string | SharingReason {
  if ("field" in part) {
    const found = valueAt(wholeOf(values[part.of]), part.field);
    const text = toPlainText(found);
    const owner =
      part.of === "xr" ? "the XR" : `${stringAt(values.shared, ["kind"]) ?? ""} ${qualifiedName(values.shared)}`;
    const wanted = typeof found === "object" && found !== null ? "a text in " : "";
    const field = `${wanted}${brief(formatFieldPath(part.field))} of ${owner}`;
    return text === "" ? { is: "FieldNotSet", field } : encode(text, part);
  }
  const value = readKey(part.key, values);
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

/** Decodes a resource only once: templates may name thousands of its fields. One that is nested too deep has no fields. */
const wholeOf = once((resource: Document): JsonValue => {
  const whole = resource.at([], TOO_DEEP);
  return whole === undefined || whole === TOO_DEEP ? {} : whole;
});
