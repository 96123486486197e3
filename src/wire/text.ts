import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";

/** Up to this many bytes, making a string here is faster than the way into V8 and back. */
const LONGEST_SHORT_TEXT = 12;

/** Strings in a message: UTF-8, and an error where they are not. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Eight characters at a time, then four, then one; undefined where one of them is not ASCII. */
function readShortText(bytes: Buffer, start: number, end: number): string | undefined {
  let text = "";
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as Four;
    const [e, f, g, h] = [bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]] as Four;
    if ((a | b | c | d | e | f | g | h) > 0x7f) return undefined;
    text += String.fromCharCode(a, b, c, d, e, f, g, h);
  }
  for (; at + 4 <= end; at += 4) {
    const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as Four;
    if ((a | b | c | d) > 0x7f) return undefined;
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < end; at++) {
    const char = bytes[at] as number;
    if (char > 0x7f) return undefined;
    text += String.fromCharCode(char);
  }
  return text;
}

type Four = [number, number, number, number];

/** The function that `toString("utf8", …)` calls after checking its arguments; @types/node lacks it. */
type Utf8Bytes = Buffer & { utf8Slice(start: number, end: number): string };

function readAnyText(bytes: Buffer, start: number, end: number): string {
  const text = (bytes as Utf8Bytes).utf8Slice(start, end);
  // Node replaces what is not UTF-8 by U+FFFD. Only where one is in the text do the bytes have to be looked at again.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/**
 * The keys seen before, so that `metadata` is made once and not ten thousand times. Keys only: a value may be a secret and
 * would stay in memory. Bounded: a key takes the place of another with the same hash.
 */
const INTERNED_KEYS = 4096;
const LONGEST_INTERNED_KEY = 63;
const interned: string[] = new Array(INTERNED_KEYS).fill("");
/** Of each of them its length and its bytes: comparing bytes with bytes takes a third of comparing them with a string. */
const KEY_BYTES = LONGEST_INTERNED_KEY + 1;
const internedBytes = new Uint8Array(INTERNED_KEYS * KEY_BYTES);

/** A map's key as a string. */
export function readKey(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST_INTERNED_KEY) return readText(bytes, start, end);

  const place = hashOf(bytes, start, end);
  const knownAt = place * KEY_BYTES;
  let same = internedBytes[knownAt] === length;
  for (let i = 0; same && i < length; i++) same = internedBytes[knownAt + 1 + i] === bytes[start + i];
  if (same) return interned[place] as string;

  const key = readText(bytes, start, end);
  interned[place] = key;
  internedBytes[knownAt] = length;
  bytes.copy(internedBytes, knownAt + 1, start, end);
  return key;
}

/**
 * FNV-1a of the last eight bytes, where names that are alike differ, and of two before them. Reading all of a long key takes longer
 * than making those anew that this confuses.
 */
function hashOf(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  let hash = length ^ ((bytes[start] as number) << 8) ^ ((bytes[start + (length >> 1)] as number) << 16);
  for (let at = Math.max(start, end - 8); at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) & (INTERNED_KEYS - 1);
}

/** Tells whether the bytes are this text. */
export function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  const length = end - start;
  // Keys that are not it mostly end in another way; they begin alike, as those of annotations do.
  const last = text.charCodeAt(text.length - 1);
  if (last <= 0x7f && bytes[end - 1] !== last) return false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char > 0x7f) return isNonAsciiText(bytes, start, end, text);
    if (i >= length || bytes[start + i] !== char) return false;
  }
  return length === text.length;
}

const isNonAsciiText = (bytes: Buffer, start: number, end: number, text: string): boolean =>
  bytes.subarray(start, end).equals(Buffer.from(text));
