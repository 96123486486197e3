import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";
import type { Bytes } from "./slice.ts";

/** Up to this length a loop in JavaScript is faster than calling into V8. */
const LONGEST_SHORT_TEXT = 12;

/** The bits of a word of four bytes that ASCII does not have. */
const NOT_ASCII = 0x8080_8080;

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Bytes, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Reads eight characters at a time, then four, then one; undefined if one of them is not ASCII. */
function readShortText(bytes: Bytes, start: number, end: number): string | undefined {
  const { view } = bytes;
  let text = "";
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const a = view.getInt32(at);
    const b = view.getInt32(at + 4);
    if (((a | b) & NOT_ASCII) !== 0) return undefined;
    text += String.fromCharCode(
      a >>> 24,
      (a >> 16) & 0x7f,
      (a >> 8) & 0x7f,
      a & 0x7f,
      b >>> 24,
      (b >> 16) & 0x7f,
      (b >> 8) & 0x7f,
      b & 0x7f,
    );
  }
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

/** The function that `toString("utf8", …)` calls after checking its arguments; @types/node lacks it. */
type Utf8Bytes = Buffer & { utf8Slice(start: number, end: number): string };

function readAnyText(bytes: Buffer, start: number, end: number): string {
  const text = (bytes as Utf8Bytes).utf8Slice(start, end);
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/**
 * Keys that were read before, so that `metadata` becomes a string once and not ten thousand times. Values are not kept, because they
 * may be secrets. The size is fixed: a key replaces another one with the same hash.
 */
const INTERNED_KEYS = 4096;
const LONGEST_INTERNED_KEY = 60;
const interned: string[] = new Array(INTERNED_KEYS).fill("");
/**
 * Of each key its length, its last four bytes as a word, and then those before them, of which the last may be in that word, too.
 * Comparing words takes less than half the time of comparing bytes.
 */
const KEY_WORDS = 2 + (LONGEST_INTERNED_KEY - 4) / 4;
const internedWords = new Int32Array(INTERNED_KEYS * KEY_WORDS);

/** Reads a map's key as a string. */
export function readKey(bytes: Bytes, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST_INTERNED_KEY) return readText(bytes, start, end);

  const { view } = bytes;
  const last = length < 4 ? readShortWord(bytes, start, end) : view.getInt32(end - 4);
  const place = hashKey(bytes, start, end, last);
  const words = place * KEY_WORDS;
  let same = internedWords[words] === length && internedWords[words + 1] === last;
  let word = words + 2;
  for (let at = start; same && at < end - 4; at += 4) same = internedWords[word++] === view.getInt32(at);
  if (same) return interned[place] as string;

  const key = readText(bytes, start, end);
  interned[place] = key;
  internedWords[words] = length;
  internedWords[words + 1] = last;
  word = words + 2;
  for (let at = start; at < end - 4; at += 4) internedWords[word++] = view.getInt32(at);
  return key;
}

/** A word of less than four bytes. */
function readShortWord(bytes: Bytes, start: number, end: number): number {
  let word = 0;
  for (let at = start; at < end; at++) word = (word << 8) | (bytes[at] as number);
  return word;
}

/**
 * Hashes a key: its length, its last eight bytes, in which similar names differ, and its first four. Hashing all bytes of long keys
 * takes longer than the collisions that this has.
 */
function hashKey({ view }: Bytes, start: number, end: number, last: number): number {
  let hash = mix(end - start, last);
  if (end - start > 4) hash = mix(mix(hash, view.getInt32(Math.max(start, end - 8))), view.getInt32(start));
  return hash & (INTERNED_KEYS - 1);
}

/** Mixes a word into a hash, by the prime of FNV-1a. Shifting brings to the lower bits what the upper ones differ in. */
function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x01000193);
  return product ^ (product >>> 15);
}

/** Tells whether the bytes encode this text. From the end: keys begin alike, as annotations do, and differ at the end. */
export function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  let at = end;
  for (let i = text.length - 1; i >= 0; i--) {
    const char = text.charCodeAt(i);
    if (char > 0x7f) return isNonAsciiText(bytes, start, end, text);
    at--;
    if (at < start || bytes[at] !== char) return false;
  }
  return at === start;
}

const isNonAsciiText = (bytes: Buffer, start: number, end: number, text: string): boolean =>
  bytes.subarray(start, end).equals(Buffer.from(text));
