import { isUsualEntry, keyFrom, keyTo, valueFrom } from "./entry.ts";
import { ENTRY_KEY, ENTRY_VALUE } from "./fields.ts";
import { next, readTag, readVarint, skip } from "./scan.ts";
import { merged, type Slice } from "./slice.ts";
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
  const last = readMessages(slice, field).at(-1);
  return last === undefined ? "" : readText(last.bytes, last.start, last.end);
}

/** The varints of an enum field, singular or repeated, packed (as proto3 writes it) or not. */
export function readEnums({ bytes, start, end }: Slice, tags: { unpacked: number; packed?: number }): number[] {
  const values: number[] = [];
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    if (tag === tags.unpacked) values.push(readVarint(bytes, from, at));
    if (tag !== tags.packed) continue;
    for (let item = next; item < at; item = next) values.push(readVarint(bytes, item, at));
  }
  return values;
}

/**
 * A map field whose values are messages, in the order of the wire; of a repeated key the last. A Map and never an object:
 * `__proto__` is a name like any other.
 */
export function readMap<T>({ bytes, start, end }: Slice, field: number, make: (value: Slice) => T): Map<string, T> {
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
      map.set(readEntryKey(entry), make(readMessage(entry, ENTRY_VALUE)));
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
