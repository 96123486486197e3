import { isUtf8 } from "node:buffer";
import { malformed } from "./scan.ts";

/** Up to this many bytes, making a string here is faster than the way into V8 and back. */
const LONGEST_SHORT_TEXT = 12;

/** Strings in a message: UTF-8, and an error where they are not. */
export function readText(bytes: Buffer, start: number, end: number): string {
  const short = end - start > LONGEST_SHORT_TEXT ? undefined : readShortText(bytes, start, end);
  return short ?? readAnyText(bytes, start, end);
}

/** Four bytes at a time; undefined where one of them is not ASCII. */
function readShortText(bytes: Buffer, start: number, end: number): string | undefined {
  let text = "";
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [number, number, number, number];
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

function readAnyText(bytes: Buffer, start: number, end: number): string {
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
