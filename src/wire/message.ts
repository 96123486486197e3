import { isUsualEntry, keyFrom, keyTo, valueFrom } from "./entry.ts";
import { ENTRY_KEY, ENTRY_VALUE } from "./fields.ts";
import { next, readEnum, readTag, skip } from "./scan.ts";
import { emptySlice, merged, type Slice } from "./slice.ts";
import { readKey, readText } from "./text.ts";

/**
 * The fields of a message, read one at a time: each read walks over the message's fields and steps over the others, which
 * costs next to nothing where there are few. What is not there is its default, as protobuf has it.
 */

/** A singular message field. */
export const readMessage = (slice: Slice, field: number): Slice => merged(readMessages(slice, field));

/** A repeated message field. */
export function readMessages({ bytes, start, end }: Slice, field: number): Slice[] {
  const messages: Slice[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === field) messages.push({ bytes, start: next, end: at });
  }
  return messages;
}

/** A string field; of a repeated one the last. */
export function readString(slice: Slice, field: number): string {
  const { bytes, start, end } = readBytes(slice, field);
  return readText(bytes, start, end);
}

/** A bytes field; of a repeated one the last. */
const readBytes = (slice: Slice, field: number): Slice => readMessages(slice, field).at(-1) ?? emptySlice;

/** The values of an enum field, singular or repeated, packed (as proto3 writes it) or not. */
export function readEnums({ bytes, start, end }: Slice, tags: { unpacked: number; packed?: number }): number[] {
  const values: number[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    if (tag === tags.unpacked) values.push(readEnum(bytes, from, at));
    if (tag !== tags.packed) continue;
    for (let item = next; item < at; item = next) values.push(readEnum(bytes, item, at));
  }
  return values;
}

/**
 * A map field whose values are messages, in the order of the wire; of a repeated key the last. A Map and never an object:
 * `__proto__` is a name like any other.
 */
export const readMap = <T>(slice: Slice, field: number, make: (value: Slice) => T): Map<string, T> =>
  readEntries(slice, field, readMessage, make);

/** A map field whose values are bytes, which are parts of the slice's own. */
export const readBytesMap = (slice: Slice, field: number): Map<string, Uint8Array> =>
  readEntries(slice, field, readBytes, ({ bytes, start, end }) => bytes.subarray(start, end));

/** @param readValue reads an entry's value where the entry is unusual: it may be there twice. */
function readEntries<T>(
  { bytes, start, end }: Slice,
  field: number,
  readValue: (entry: Slice, field: number) => Slice,
  make: (value: Slice) => T,
): Map<string, T> {
  const map = new Map<string, T>();
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag !== field) continue;
    const from = next;
    if (isUsualEntry(bytes, from, at)) {
      map.set(readKey(bytes, keyFrom, keyTo), make({ bytes, start: valueFrom, end: at }));
    } else {
      const entry: Slice = { bytes, start: from, end: at };
      map.set(readEntryKey(entry), make(readValue(entry, ENTRY_VALUE)));
    }
  }
  return map;
}

/** The key of a map field's entry. */
export function readEntryKey({ bytes, start, end }: Slice): string {
  if (isUsualEntry(bytes, start, end)) return readKey(bytes, keyFrom, keyTo);
  let key = "";
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === ENTRY_KEY) key = readKey(bytes, next, at);
  }
  return key;
}
