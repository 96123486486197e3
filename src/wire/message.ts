import { ENTRY_KEY, ENTRY_VALUE } from "./fields.ts";
import { next, readEnd, readTag, readText, readVarint, skip } from "./scan.ts";
import type { Writer } from "./writer.ts";

// Readers of a message's fields. A missing field has its default. Each reader walks over all fields of the message.

/** The range of a message in a request's bytes. A slice keeps the whole request in memory, and must not outlive it. */
export interface Slice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export const emptySlice: Slice = { bytes: Buffer.alloc(0), start: 0, end: 0 };

/** Reads a singular message field. Protobuf allows several occurrences: concatenated, they encode the merged message. */
export function readMessage(slice: Slice, field: number): Slice {
  const messages = readMessages(slice, field);
  if (messages.length < 2) return messages[0] ?? emptySlice;
  const bytes = Buffer.concat(messages.map(({ bytes, start, end }) => bytes.subarray(start, end)));
  return { bytes, start: 0, end: bytes.length };
}

export function readMessages({ bytes, start, end }: Slice, field: number): Slice[] {
  const messages: Slice[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === field) messages.push({ bytes, start: next, end: at });
  }
  return messages;
}

/** Reads a string field. The last occurrence counts. */
export function readString(slice: Slice, field: number): string {
  const { bytes, start, end } = readMessages(slice, field).at(-1) ?? emptySlice;
  return readText(bytes, start, end);
}

/** Reads an enum field, singular or repeated, packed (proto3's default) or not. */
export function readEnums({ bytes, start, end }: Slice, unpacked: number, packed?: number): number[] {
  const values: number[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    if (tag === unpacked) values.push(readVarint(bytes, from, at));
    if (tag !== packed) continue;
    // After skip, `next` is the start of the list's first number; each readVarint moves it on.
    for (let item = next; item < at; item = next) values.push(readVarint(bytes, item, at));
  }
  return values;
}

/** Results of `isUsualEntry`: the key's range and the value's start. The next call overwrites them. */
export let keyFrom = 0;
export let keyTo = 0;
export let valueFrom = 0;

/** Tells whether a map's entry is a key and then a value. Protobuf allows swapped, repeated and unknown fields too. */
export function isUsualEntry(bytes: Buffer, start: number, end: number): boolean {
  if (start === end || bytes[start] !== ENTRY_KEY) return false;
  keyTo = readEnd(bytes, start + 1, end);
  keyFrom = next;
  if (keyTo === end || bytes[keyTo] !== ENTRY_VALUE) return false;
  const valueTo = readEnd(bytes, keyTo + 1, end);
  valueFrom = next;
  return valueTo === end;
}

/** Reads a map field in wire order; the last of a repeated key counts. In a Map, `__proto__` is a key like others. */
export function readMap<T>(slice: Slice, field: number, make: (value: Slice) => T): Map<string, T> {
  const map = new Map<string, T>();
  for (const entry of readMessages(slice, field)) map.set(readEntryKey(entry), make(readMessage(entry, ENTRY_VALUE)));
  return map;
}

export function readEntryKey(entry: Slice): string {
  const { bytes, start, end } = entry;
  return isUsualEntry(bytes, start, end) ? readText(bytes, keyFrom, keyTo) : readString(entry, ENTRY_KEY);
}

/** Copies a message's fields except the replaced ones, byte for byte, unknown fields and unusual encodings included. */
export function writeExcept(writer: Writer, slice: Slice, isReplaced: (tag: number, content: Slice) => boolean): void {
  const { bytes, start, end } = slice;
  const runs: (readonly [start: number, end: number])[] = [];
  let from = start;
  for (let field = start, at = start; at < end; field = at) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (!isReplaced(tag, { bytes, start: next, end: at })) continue;
    runs.push([from, field]);
    from = at;
  }
  writer.bytes(bytes, from, end); // the last run first: the writer works backwards
  for (const run of runs.toReversed()) writer.bytes(bytes, ...run);
}
