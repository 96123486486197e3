import type { ValueEdit } from "../model/document.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import { ENTRY_KEY, ENTRY_VALUE, STRUCT_FIELDS, VALUE_STRUCT } from "./fields.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import { type Bytes, emptySlice, type Slice } from "./slice.ts";
import { writeValue } from "./struct-writer.ts";
import { encodeKey, isKey, type Key } from "./text.ts";
import type { Writer } from "./writer.ts";

/**
 * Writes a Struct with other values at some paths. All other fields are copied byte for byte, unknown fields and unusual encodings
 * included. An edited field keeps its position; a new one comes last.
 *
 * @param values the few values of an EditedDocument: their paths lead through objects, and do not meet.
 */
export function writeStructWith(writer: Writer, struct: Slice, values: readonly ValueEdit[]): void {
  let edits: EditList | undefined;
  for (let i = values.length - 1; i >= 0; i--) edits = { edit: values[i] as ValueEdit, next: edits };
  writeEditedFields(writer, struct, edits, 0);
}

/** A linked list of edits, made for each struct of each resource. Growing arrays would take several times the memory. */
interface EditList {
  readonly edit: ValueEdit;
  next: EditList | undefined;
}

/** Writes the fields of a struct at this depth of the paths. */
function writeEditedFields(writer: Writer, struct: Slice, edits: EditList | undefined, depth: number): void {
  const last = toFields(edits, depth);
  const lastPlace = findLastPlace(struct, last);
  for (let field = last; field !== undefined; field = field.before) {
    if (!field.isFound) writeEdit(writer, field, emptySlice, depth);
  }
  let end = struct.end;
  for (let place = lastPlace; place !== undefined; place = place.before) {
    const { field, start, value } = place;
    writer.bytes(struct.bytes, value.end, end);
    // Of a repeated key the last one counts.
    if (!field.isWritten) writeEdit(writer, field, value, depth);
    field.isWritten = true;
    end = start;
  }
  writer.bytes(struct.bytes, struct.start, end);
}

/** A field of a struct that is edited, or whose struct has edits. */
interface Field {
  readonly key: Key;
  readonly edits: EditList;
  lastEdit: EditList;
  isFound: boolean;
  isWritten: boolean;
  /** The field before this one. */
  readonly before: Field | undefined;
}

/** Groups the edits of a struct by field, the last field first. */
function toFields(first: EditList | undefined, depth: number): Field | undefined {
  let last: Field | undefined;
  for (let one = first; one !== undefined; one = one.next) {
    const key = encodeKey(String(one.edit.path[depth]));
    const field = fieldCalled(key.text, last);
    const edits: EditList = { edit: one.edit, next: undefined };
    if (field === undefined) {
      last = { key, edits, lastEdit: edits, isFound: false, isWritten: false, before: last };
    } else {
      field.lastEdit.next = edits;
      field.lastEdit = edits;
    }
  }
  return last;
}

function fieldCalled(key: string | undefined, last: Field | undefined): Field | undefined {
  for (let field = last; field !== undefined; field = field.before) if (field.key.text === key) return field;
  return undefined;
}

/** The range of a field in the bytes: the start of its entry, and its Value, which ends where the entry ends. */
interface FieldRange {
  readonly field: Field;
  readonly start: number;
  readonly value: Slice;
  /** The range before it in the bytes. */
  readonly before: FieldRange | undefined;
}

function findLastPlace({ bytes, start, end }: Slice, fields: Field | undefined): FieldRange | undefined {
  let last: FieldRange | undefined;
  let entryEnd = start;
  for (let at = start; at < end; at = entryEnd) {
    let field: Field | undefined;
    if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
      entryEnd = valueTo;
      field = findEditedField(bytes, fields);
    } else {
      const tag = readTag(bytes, at, end);
      entryEnd = skip(bytes, tag, next, end);
      const key = tag === STRUCT_FIELDS ? readEntryKey({ bytes, start: next, end: entryEnd }) : undefined;
      field = fieldCalled(key, fields);
    }
    if (field === undefined) continue;
    field.isFound = true;
    // The Value of an unusual entry is not needed: it is replaced.
    last = { field, start: at, value: { bytes, start: valueFrom, end: entryEnd }, before: last };
  }
  return last;
}

/** Finds the field of the last entry that was read. */
function findEditedField(bytes: Bytes, last: Field | undefined): Field | undefined {
  for (let field = last; field !== undefined; field = field.before) {
    if (isKey(bytes, keyFrom, keyTo, field.key)) return field;
  }
  return undefined;
}

/** Writes one field, with a new value or with edits of its struct. @param before its Value. */
function writeEdit(writer: Writer, { key, edits }: Field, before: Slice, depth: number): void {
  const end = writer.length;
  const { path, value } = edits.edit;
  if (path.length === depth + 1) {
    writeValue(writer, value);
  } else {
    writeEditedFields(writer, structIn(before), edits, depth + 1);
    writer.endMessage(VALUE_STRUCT, end);
  }
  writer.endMessage(ENTRY_VALUE, end);
  writer.key(ENTRY_KEY, key);
  writer.endMessage(STRUCT_FIELDS, end);
}

/** Finds the struct in a Value, after its tag and length. */
function structIn({ bytes, start, end }: Slice): Slice {
  if (start === end) return emptySlice;
  readTag(bytes, start, end);
  readEnd(bytes, next, end);
  return { bytes, start: next, end };
}
