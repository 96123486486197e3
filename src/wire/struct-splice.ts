import type { ValueEdit } from "../model/document.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import { ENTRY_KEY, ENTRY_VALUE, STRUCT_FIELDS, VALUE_STRUCT } from "./fields.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { writeField } from "./struct-writer.ts";
import { isText } from "./text.ts";
import type { Writer } from "./writer.ts";

/**
 * Writes a Struct with other values at some paths. What is on none of them is copied as it came, unknown fields and an unusual
 * encoding with it. An edited field keeps its place; one that is not there yet comes last.
 *
 * @param values those of an EditedDocument: their paths lead through objects, and do not meet.
 * @param depth of the Struct on these paths.
 */
export function writeStructWith(writer: Writer, struct: Slice, values: readonly ValueEdit[], depth = 0): void {
  const edits = byStep(values, depth);
  const places = findPlaces(struct, edits);
  const isWritten = new Set(places.map(({ key }) => key));
  for (const [key, inner] of [...edits].reverse()) {
    if (!isWritten.has(key)) writeEdit(writer, key, emptySlice, inner, depth);
  }
  isWritten.clear();
  let end = struct.end;
  for (const { key, start, value } of places.reverse()) {
    writer.bytes(struct.bytes, value.end, end);
    // Of a repeated key the last one counts.
    if (!isWritten.has(key)) writeEdit(writer, key, value, edits.get(key) ?? [], depth);
    isWritten.add(key);
    end = start;
  }
  writer.bytes(struct.bytes, struct.start, end);
}

/** The edits of a struct by its field's key. */
function byStep(values: readonly ValueEdit[], depth: number): ReadonlyMap<string, readonly ValueEdit[]> {
  const edits = new Map<string, ValueEdit[]>();
  for (const edit of values) {
    const key = String(edit.path[depth]);
    const others = edits.get(key);
    if (others === undefined) edits.set(key, [edit]);
    else others.push(edit);
  }
  return edits;
}

/** A field that is edited: where its entry starts, and its Value, which ends where the entry ends. */
interface Place {
  readonly key: string;
  readonly start: number;
  readonly value: Slice;
}

/** Finds the fields of these keys, in the order of the wire. */
function findPlaces({ bytes, start, end }: Slice, edits: ReadonlyMap<string, unknown>): Place[] {
  const places: Place[] = [];
  const keys = [...edits.keys()];
  let fieldEnd = start;
  for (let at = start; at < end; at = fieldEnd) {
    let key: string | undefined;
    if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
      fieldEnd = valueTo;
      key = keys.find((candidate) => isText(bytes, keyFrom, keyTo, candidate));
    } else {
      const tag = readTag(bytes, at, end);
      fieldEnd = skip(bytes, tag, next, end);
      key = tag === STRUCT_FIELDS ? readEntryKey({ bytes, start: next, end: fieldEnd }) : undefined;
    }
    // The Value of an unusual entry is not needed: it gets another one.
    if (key !== undefined && edits.has(key))
      places.push({ key, start: at, value: { bytes, start: valueFrom, end: fieldEnd } });
  }
  return places;
}

/** Writes one field: with a value, or with edits of the struct that it holds. @param before its Value */
function writeEdit(writer: Writer, key: string, before: Slice, edits: readonly ValueEdit[], depth: number): void {
  const [first] = edits;
  if (first === undefined || first.path.length === depth + 1) {
    writeField(writer, key, first?.value ?? null);
    return;
  }
  writer.message(STRUCT_FIELDS, () => {
    writer.message(ENTRY_VALUE, () => {
      writer.message(VALUE_STRUCT, () => writeStructWith(writer, structIn(before), edits, depth + 1));
    });
    writer.string(ENTRY_KEY, key);
  });
}

/** The struct that a Value holds, whose path has been followed: its content follows a tag and a length. */
function structIn({ bytes, start, end }: Slice): Slice {
  if (start === end) return emptySlice;
  readTag(bytes, start, end);
  readEnd(bytes, next, end);
  return { bytes, start: next, end };
}
