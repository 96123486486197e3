import type { SecretName } from "../../../crossplane/copies.ts";
import { qualifiedName } from "../../../crossplane/metadata.ts";
import { brief } from "../../../model/condition.ts";
import { type Document, stringAt, TOO_DEEP } from "../../../model/document.ts";
import { formatFieldPath, valueAt } from "../../../model/field-path.ts";
import { type JsonObject, type JsonValue, ownValue, toPlainText } from "../../../model/json.ts";
import { once } from "../../../model/once.ts";
import type { Placeholder, Template } from "../../../model/template.ts";
import type { SharingReason } from "../reasons.ts";

/** The values that copies of a shared resource may hold. */
export interface Values {
  readonly secret: SecretName;
  readonly data: JsonObject;
  readonly xr: Document;
  readonly shared: Document;
}

export const TOO_LARGE: SharingReason = { is: "TooLarge", excess: 1 };

/** Reads a key of the source, in base64. */
export function fromKey(key: string, { data, secret }: Values): string | SharingReason {
  const value = ownValue(data, key);
  return typeof value === "string" ? value : { is: "KeyNotFound", secret, key, keys: Object.keys(data).sort() };
}

/**
 * Fills a template in; returns it in base64.
 *
 * @param most the bytes after which it stops: a template may name a large value many times.
 */
export function fromTemplate(template: Template, values: Values, most: number): string | SharingReason {
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
