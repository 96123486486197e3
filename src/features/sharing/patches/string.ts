import { createHash } from "node:crypto";
import type { StringTransform } from "../../../input/transform.ts";
import { failed, show, type Transformed, transformed } from "./convert.ts";
import { type GoValue, isList, toGoJson } from "./go-value.ts";
import { print, sprintf } from "./print.ts";

/** Makes a text of any value. */
export function toText(value: GoValue, transform: StringTransform): Transformed {
  switch (transform.type) {
    case "Format":
      return transformed(sprintf(transform.fmt, [value]));
    case "Convert":
      return conversions[transform.convert](value);
    case "TrimPrefix":
      return transformed(withoutPrefix(print(value), transform.trim));
    case "TrimSuffix":
      return transformed(withoutSuffix(print(value), transform.trim));
    case "Regexp":
      return findGroup(value, transform.regexp);
    case "Join":
      if (!isList(value)) return failed(`${show(value)} is no list`);
      return transformed(value.map(print).join(transform.join.separator));
    case "Replace":
      return transformed(replaceAll(print(value), transform.replace));
  }
}

const withoutPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

const withoutSuffix = (text: string, suffix: string): string =>
  text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;

/** An empty text is found before each character and at the end. */
const replaceAll = (
  text: string,
  { search, replace }: { readonly search: string; readonly replace: string },
): string => (search === "" ? ["", ...text, ""].join(replace) : text.split(search).join(replace));

type Regexp = Extract<StringTransform, { readonly type: "Regexp" }>["regexp"];

function findGroup(value: GoValue, { match, group }: Regexp): Transformed {
  const text = print(value);
  const matcher = match.matcher(text);
  if (!matcher.find() || group > match.groupCount()) {
    return failed(`${show(text)} has no match for group ${group} of ${match.pattern()}`);
  }
  return transformed(matcher.group(group) ?? "");
}

type Conversion = Extract<StringTransform, { readonly type: "Convert" }>["convert"];

const hashWith =
  (algorithm: string) =>
  (value: GoValue): Transformed =>
    transformed(createHash(algorithm).update(toHashed(value)).digest("hex"));

/** Of anything but a text, its JSON. */
const toHashed = (value: GoValue): Buffer => Buffer.from(typeof value === "string" ? value : toGoJson(value));

const conversions: Readonly<Record<Conversion, (value: GoValue) => Transformed>> = {
  ToUpper: (value) => transformed(mapCase(print(value), (character) => character.toUpperCase(), TITLE_CASE)),
  ToLower: (value) => transformed(mapCase(print(value), (character) => character.toLowerCase(), { İ: "i" })),
  ToBase64: (value) => transformed(Buffer.from(print(value)).toString("base64")),
  FromBase64: (value) => decodeBase64(print(value)),
  ToJson: (value) => (isJson(value) ? transformed(toGoJson(value)) : failed(`${print(value)} is no number of JSON`)),
  ToSha1: hashWith("sha1"),
  ToSha256: hashWith("sha256"),
  ToSha512: hashWith("sha512"),
  ToAdler32: (value) => transformed(String(toAdler32(toHashed(value)))),
};

const isJson = (value: GoValue): boolean => typeof value !== "number" || Number.isFinite(value);

/** Letters of Greek whose capital is one character to Go: the one for titles. */
const TITLE_CASE: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(
    "ᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧ",
    (small) => [small, String.fromCodePoint((small.codePointAt(0) ?? 0) + 8)] as const,
  ).concat(Array.from("ᾳῃῳ", (small) => [small, String.fromCodePoint((small.codePointAt(0) ?? 0) + 9)] as const)),
);

/** Go maps each character to one character: ß has no capital. A run of ASCII is mapped at once. */
const mapCase = (text: string, map: (text: string) => string, special: Readonly<Record<string, string>>): string =>
  text.replace(/[^\u{80}-\u{10ffff}]+|./gsu, (characters) => {
    const mapped = map(characters);
    return mapped.length === characters.length ? mapped : (special[characters] ?? characters);
  });

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Line breaks are passed over. */
function decodeBase64(text: string): Transformed {
  const encoded = text.replace(/[\r\n]/g, "");
  if (!BASE64.test(encoded)) return failed(`${show(text)} is not base64`);
  const bytes = Buffer.from(encoded, "base64");
  const decoded = bytes.toString();
  return bytes.equals(Buffer.from(decoded)) ? transformed(decoded) : failed(`${show(text)} is not base64 of UTF-8`);
}

const ADLER_MODULUS = 65521;

function toAdler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % ADLER_MODULUS;
    b = (b + a) % ADLER_MODULUS;
  }
  return b * 65536 + a;
}
