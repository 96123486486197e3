import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";

/** Up to this length a loop in JavaScript is faster than calling into V8. */
const LONGEST_SHORT_TEXT = 12;

/** Reads a string. @throws {FunctionError} `InvalidMessage` if it is not UTF-8. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Reads eight characters at a time, then four, then one; undefined if one of them is not ASCII. */
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
  // Node replaces invalid UTF-8 by U+FFFD, so only a text with that character has to be checked.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/**
 * Keys that were read before, so that `metadata` becomes a string once and not ten thousand times. Values are not kept, because they
 * may be secrets. The size is fixed: a key replaces another one with the same hash.
 */
const INTERNED_KEYS = 4096;
const LONGEST_INTERNED_KEY = 63;
const interned: string[] = new Array(INTERNED_KEYS).fill("");
/** The length and bytes of each key: comparing bytes takes a third of the time of comparing with a string. */
const KEY_BYTES = LONGEST_INTERNED_KEY + 1;
const internedBytes = new Uint8Array(INTERNED_KEYS * KEY_BYTES);

/** Reads a map's key as a string. */
export function readKey(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST_INTERNED_KEY) return readText(bytes, start, end);

  const place = hashKey(bytes, start, end);
  const knownAt = place * KEY_BYTES;
  let same = internedBytes[knownAt] === length;
  for (let i = 0; same && i < length; i++) same = internedBytes[knownAt + 1 + i] === bytes[start + i];
  if (same) return interned[place] as string;

  const key = readText(bytes, start, end);
  interned[place] = key;
  internedBytes[knownAt] = length;
  for (let i = 0; i < length; i++) internedBytes[knownAt + 1 + i] = bytes[start + i] as number;
  return key;
}

/**
 * Hashes a key: FNV-1a of the last eight bytes, in which similar names differ, and of two others. Hashing all bytes of long keys
 * takes longer than the collisions that this has.
 */
function hashKey(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  let hash = length ^ ((bytes[start] as number) << 8) ^ ((bytes[start + (length >> 1)] as number) << 16);
  for (let at = Math.max(start, end - 8); at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 15)) & (INTERNED_KEYS - 1);
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
