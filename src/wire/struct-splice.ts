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
 * @param values those of an EditedDocument: their paths lead through objects, and do not meet. They are few.
 * @param depth of the Struct on these paths.
 */
export function writeStructWith(writer: Writer, struct: Slice, values: readonly ValueEdit[], depth = 0): void {
  const fields = toFields(values, depth);
  const last = findLastPlace(struct, fields);
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i] as Field;
    if (!field.isFound) writeEdit(writer, field, emptySlice, depth);
  }
  let end = struct.end;
  for (let place = last; place !== undefined; place = place.before) {
    const { field, start, value } = place;
    writer.bytes(struct.bytes, value.end, end);
    // Of a repeated key the last one counts.
    if (!field.isWritten) writeEdit(writer, field, value, depth);
    field.isWritten = true;
    end = start;
  }
  writer.bytes(struct.bytes, struct.start, end);
}

/** A field of a struct that is edited, or has edits in the struct that it holds. */
interface Field {
  readonly key: string;
  readonly edits: ValueEdit[];
  isFound: boolean;
  isWritten: boolean;
}

/** The edits of a struct by its fields. */
function toFields(values: readonly ValueEdit[], depth: number): readonly Field[] {
  const fields: Field[] = [];
  for (const edit of values) {
    const key = String(edit.path[depth]);
    const field = fieldCalled(key, fields);
    if (field === undefined) fields.push({ key, edits: [edit], isFound: false, isWritten: false });
    else field.edits.push(edit);
  }
  return fields;
}

function fieldCalled(key: string | undefined, fields: readonly Field[]): Field | undefined {
  for (const field of fields) if (field.key === key) return field;
  return undefined;
}

/** Where a field is in the bytes: its entry starts, and its Value ends where the entry ends. */
interface Place {
  readonly field: Field;
  readonly start: number;
  readonly value: Slice;
  /** The one before it in the bytes. */
  readonly before: Place | undefined;
}

function findLastPlace({ bytes, start, end }: Slice, fields: readonly Field[]): Place | undefined {
  let last: Place | undefined;
  let entryEnd = start;
  for (let at = start; at < end; at = entryEnd) {
    let field: Field | undefined;
    if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
      entryEnd = valueTo;
      field = findField(bytes, fields);
    } else {
      const tag = readTag(bytes, at, end);
      entryEnd = skip(bytes, tag, next, end);
      const key = tag === STRUCT_FIELDS ? readEntryKey({ bytes, start: next, end: entryEnd }) : undefined;
      field = fieldCalled(key, fields);
    }
    if (field === undefined) continue;
    field.isFound = true;
    // The Value of an unusual entry is not needed: it gets another one.
    last = { field, start: at, value: { bytes, start: valueFrom, end: entryEnd }, before: last };
  }
  return last;
}

/** Finds the field of the entry that was read last. */
function findField(bytes: Buffer, fields: readonly Field[]): Field | undefined {
  for (const field of fields) if (isText(bytes, keyFrom, keyTo, field.key)) return field;
  return undefined;
}

/** Writes one field: with a value, or with edits of the struct that it holds. @param before its Value */
function writeEdit(writer: Writer, { key, edits }: Field, before: Slice, depth: number): void {
  const [first] = edits;
  if (first === undefined || first.path.length === depth + 1) {
    writeField(writer, key, first?.value ?? null);
    return;
  }
  const end = writer.length;
  writeStructWith(writer, structIn(before), edits, depth + 1);
  writer.endMessage(VALUE_STRUCT, end);
  writer.endMessage(ENTRY_VALUE, end);
  writer.string(ENTRY_KEY, key);
  writer.endMessage(STRUCT_FIELDS, end);
}

/** The struct that a Value holds, whose path has been followed: its content follows a tag and a length. */
function structIn({ bytes, start, end }: Slice): Slice {
  if (start === end) return emptySlice;
  readTag(bytes, start, end);
  readEnd(bytes, next, end);
  return { bytes, start: next, end };
}
