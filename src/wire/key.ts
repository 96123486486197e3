import { type Bytes, toBytes } from "./slice.ts";
import { readText } from "./text.ts";

/** Keys of maps: those that are read, and those that are looked for. Most are the same few names, and words tell them apart. */

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

/** The name of a field that is looked for, with its encoding: comparing and writing words is three times as fast as characters. */
export interface Key {
  readonly text: string;
  readonly bytes: Bytes;
  /** In bytes. */
  readonly length: number;
}

/** Keys that were looked for before: most are constants. It begins anew when it is full, because a team may write some of them. */
const KNOWN_KEYS = 1024;
const LONGEST_KNOWN_KEY = 320; // an annotation's: 253 characters, a slash, and 63
const known = new Map<string, Key>();

export function toKey(text: string): Key {
  const before = known.get(text);
  if (before !== undefined) return before;
  const bytes = toBytes(Buffer.from(text));
  const key: Key = { text, bytes, length: bytes.length };
  if (text.length > LONGEST_KNOWN_KEY) return key;
  if (known.size === KNOWN_KEYS) known.clear();
  known.set(text, key);
  return key;
}

/** Tells whether the bytes are this key. The last word comes first: keys begin alike, as annotations do, and differ at the end. */
export function isKey(bytes: Bytes, start: number, end: number, { bytes: wanted, length }: Key): boolean {
  if (end - start !== length) return false;
  if (length < 4) return isShortKey(bytes, start, wanted);
  const { view } = bytes;
  const words = wanted.view;
  if (view.getInt32(end - 4) !== words.getInt32(length - 4)) return false;
  for (let i = 0; i < length - 4; i += 4) if (view.getInt32(start + i) !== words.getInt32(i)) return false;
  return true;
}

function isShortKey(bytes: Bytes, start: number, wanted: Bytes): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
