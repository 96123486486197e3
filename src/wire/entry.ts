import { ENTRY_KEY, ENTRY_VALUE } from "./fields.ts";
import { next, readEnd, readTag } from "./scan.ts";
import type { Bytes } from "./slice.ts";

/**
 * Reads map entries in their usual encoding: a key, then a length-delimited value, and nothing else. The callers handle other
 * valid encodings, with swapped, repeated or unknown fields.
 */

/** The ranges of the last entry that was read; the next read overwrites them. The value ends where the entry ends. */
export let keyFrom = 0;
export let keyTo = 0;
export let valueFrom = 0;
export let valueTo = 0;

/** Reads the entry at `at`; false if it is unusual or of another field. @param tag the field's tag, of one byte. */
export const readUsualEntry = (bytes: Bytes, at: number, end: number, tag: number): boolean =>
  readShortEntry(bytes, at, end, tag) || readLongEntry(bytes, at, end, tag);

/** Reads an entry whose lengths all have one byte, as most do. */
function readShortEntry(bytes: Bytes, at: number, end: number, tag: number): boolean {
  const length = bytes[at + 1] as number;
  valueTo = at + 2 + length;
  if (bytes[at] !== tag || length > 0x7f || valueTo > end || bytes[at + 2] !== ENTRY_KEY) return false;
  keyFrom = at + 4;
  keyTo = keyFrom + (bytes[at + 3] as number);
  valueFrom = keyTo + 2;
  return valueFrom <= valueTo && bytes[keyTo] === ENTRY_VALUE && valueFrom + (bytes[keyTo + 1] as number) === valueTo;
}

/** The size of an entry without key and value, and the bits of the lengths of entry and key in its first four bytes. */
const SHORTEST_ENTRY = 6;
const LENGTHS = 0x7f_00_7f;

/** Skips a short entry whose key does not have the wanted length, like most entries. Returns its end, or `at` for any other entry. */
export function skipShortEntry(bytes: Bytes, at: number, end: number, tag: number, keyLength: number): number {
  if (end - at < SHORTEST_ENTRY) return at;
  const { view } = bytes;
  const head = view.getInt32(at);
  const length = head & 0x7f;
  if (length === keyLength || (head & ~LENGTHS) !== ((tag << 24) | (ENTRY_KEY << 8))) return at;
  const stop = at + 2 + ((head >> 16) & 0x7f);
  const value = at + SHORTEST_ENTRY + length;
  const isUsual = stop <= end && value <= stop && view.getUint16(value - 2) === (ENTRY_VALUE << 8) + stop - value;
  return isUsual ? stop : at;
}

function readLongEntry(bytes: Bytes, at: number, end: number, tag: number): boolean {
  if (readTag(bytes, at, end) !== tag) return false;
  const entryEnd = readEnd(bytes, next, end);
  return isUsualEntry(bytes, next, entryEnd);
}

/** Tells whether an entry has the usual form: key, then value, and nothing else. */
export function isUsualEntry(bytes: Buffer, start: number, end: number): boolean {
  if (start === end || bytes[start] !== ENTRY_KEY) return false;
  keyTo = readEnd(bytes, start + 1, end);
  keyFrom = next;
  if (keyTo === end || bytes[keyTo] !== ENTRY_VALUE) return false;
  valueTo = readEnd(bytes, keyTo + 1, end);
  valueFrom = next;
  return valueTo === end;
}
