import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";
import type { Bytes } from "./slice.ts";

/** The longest text for which a loop in JavaScript is faster than a call into V8. */
const LONGEST_SHORT_TEXT = 12;

/** The bits of four bytes that are 0 in ASCII. */
const NOT_ASCII = 0x8080_8080;

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Bytes, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Reads four characters at a time, then one; undefined if one of them is not ASCII. */
function readShortText(bytes: Bytes, start: number, end: number): string | undefined {
  const { view } = bytes;
  let text = "";
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at);
    if ((word & NOT_ASCII) !== 0) return undefined;
    text += String.fromCharCode(word >>> 24, (word >> 16) & 0x7f, (word >> 8) & 0x7f, word & 0x7f);
  }
  for (; at < end; at++) {
    const char = bytes[at] as number;
    if (char > 0x7f) return undefined;
    text += String.fromCharCode(char);
  }
  return text;
}

/** A Buffer's function behind `toString("utf8", …)`, without its checks of arguments; @types/node lacks it. */
type Utf8Bytes = Buffer & { utf8Slice(start: number, end: number): string };

function readAnyText(bytes: Buffer, start: number, end: number): string {
  const text = (bytes as Utf8Bytes).utf8Slice(start, end);
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

const INTERNED_KEYS = 4096;
const LONGEST_INTERNED_KEY = 60;

/** Keys by their hash, so that `metadata` becomes a string once and not ten thousand times. Not values: they may be secrets. */
const interned: string[] = new Array(INTERNED_KEYS).fill("");

export function readKey(bytes: Bytes, start: number, end: number): string {
  const length = end - start;
  if (length < 4 || length > LONGEST_INTERNED_KEY) return readText(bytes, start, end);
  const { view } = bytes;
  // Similar names differ in their last eight bytes.
  const last = mix(view.getInt32(end - 4), view.getInt32(Math.max(start, end - 8)));
  const place = mix(mix(length, last), view.getInt32(start)) & (INTERNED_KEYS - 1);
  const before = interned[place] as string;
  if (before.length === length && equalsAscii(bytes, start, before)) return before;
  const key = readText(bytes, start, end);
  if (key.length === length) interned[place] = key; // ASCII alone has a byte for each character
  return key;
}

function equalsAscii(bytes: Uint8Array, start: number, text: string): boolean {
  for (let i = text.length - 1; i >= 0; i--) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Mixes a word into a hash, by the prime of FNV-1a. The shift carries differences in upper bits to the lower ones. */
function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}

/** A searched key, with its encoding. */
export interface Key {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** A cache of searched keys, most of them constants. It is cleared when it is full: a team may write some of them. */
const KNOWN_KEYS = 1024;
const LONGEST_KNOWN_KEY = 320; // an annotation's: 253 characters, a slash, and 63
const known = new Map<string, Key>();

export function encodeKey(text: string): Key {
  const before = known.get(text);
  if (before !== undefined) return before;
  // Not a Buffer: in Node's pool it would keep what lies beside it, which may be a secret.
  const key: Key = { text, bytes: new TextEncoder().encode(text) };
  if (text.length > LONGEST_KNOWN_KEY) return key;
  if (known.size === KNOWN_KEYS) known.clear();
  known.set(text, key);
  return key;
}

/** Tells whether the bytes are this key. Compares the end first: keys such as annotations differ there. */
export function isKey(bytes: Uint8Array, start: number, end: number, { bytes: wanted }: Key): boolean {
  if (end - start !== wanted.length) return false;
  for (let i = wanted.length - 1; i >= 0; i--) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
