import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";

/** Strings in a message: UTF-8, and an error where they are not. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  // Node replaces what is not UTF-8 by U+FFFD. Only where one is in the text do the bytes have to be looked at again.
  if (text.includes("\ufffd") && !isUtf8(bytes.subarray(start, end))) throw malformed("invalid UTF-8", start);
  return text;
}

/**
 * The keys seen before, so that `metadata` is made once and not ten thousand times. Keys only: a value may be a secret and
 * would stay in memory. Bounded: a key takes the place of another with the same hash.
 */
const INTERNED_KEYS = 4096;
const LONGEST_INTERNED_KEY = 48;
const interned: string[] = new Array(INTERNED_KEYS).fill("");

/** A map's key as a string. */
export function readKey(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0 || length > LONGEST_INTERNED_KEY) return readText(bytes, start, end);

  let hash = length;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  const place = hash & (INTERNED_KEYS - 1);

  const known = interned[place] as string;
  if (isText(bytes, start, end, known)) return known;
  const key = readText(bytes, start, end);
  interned[place] = key;
  return key;
}

/** Whether the bytes are this text. */
export function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  const length = end - start;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char > 0x7f) return isNonAsciiText(bytes, start, end, text);
    if (i >= length || bytes[start + i] !== char) return false;
  }
  return length === text.length;
}

const isNonAsciiText = (bytes: Buffer, start: number, end: number, text: string): boolean =>
  bytes.subarray(start, end).equals(Buffer.from(text));
