import type { ValueEdit } from "../model/document.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import { ENTRY_KEY, ENTRY_VALUE, STRUCT_FIELDS, VALUE_STRUCT } from "./fields.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { writeValue } from "./struct-writer.ts";
import { encodeKey, isKey, type Key } from "./text.ts";
import type { Writer } from "./writer.ts";

/**
 * Writes a Struct with other values at some paths. All other fields are copied byte for byte, unknown fields and unusual encodings
 * included. An edited field keeps its position; a new one comes last.
 *
 * @param edits the few values of an EditedDocument: their paths lead through objects, and do not meet.
 * @param depth the number of steps of the paths that lead to this struct.
 */
export function writeStructWith(writer: Writer, struct: Slice, edits: readonly ValueEdit[], depth = 0): void {
  const fields = toFields(edits, depth);
  const ranges = findRanges(struct, fields);
  for (const field of fields.toReversed()) {
    if (!field.isFound) writeEdited(writer, field, emptySlice, depth);
  }
  let end = struct.end;
  for (const { field, start, value } of ranges.toReversed()) {
    writer.bytes(struct.bytes, value.end, end);
    // Of a repeated key the last one counts.
    if (!field.isWritten) writeEdited(writer, field, value, depth);
    field.isWritten = true;
    end = start;
  }
  writer.bytes(struct.bytes, struct.start, end);
}

/** A field of a struct that is edited, or whose struct has edits. */
interface Field {
  readonly key: Key;
  readonly edits: ValueEdit[];
  isFound: boolean;
  isWritten: boolean;
}

function toFields(edits: readonly ValueEdit[], depth: number): readonly Field[] {
  const fields: Field[] = [];
  for (const edit of edits) {
    const key = encodeKey(String(edit.path[depth]));
    const field = fields.find((one) => one.key.text === key.text);
    if (field === undefined) fields.push({ key, edits: [edit], isFound: false, isWritten: false });
    else field.edits.push(edit);
  }
  return fields;
}

/** The range of a field in the bytes: the start of its entry, and its Value, which ends where the entry ends. */
interface FieldRange {
  readonly field: Field;
  readonly start: number;
  readonly value: Slice;
}

/** Finds the ranges of edited fields, in the order of the bytes. */
function findRanges({ bytes, start, end }: Slice, fields: readonly Field[]): readonly FieldRange[] {
  const ranges: FieldRange[] = [];
  let entryEnd = start;
  for (let at = start; at < end; at = entryEnd) {
    let field: Field | undefined;
    if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
      entryEnd = valueTo;
      field = fields.find(({ key }) => isKey(bytes, keyFrom, keyTo, key));
    } else {
      const tag = readTag(bytes, at, end);
      entryEnd = skip(bytes, tag, next, end);
      const text = tag === STRUCT_FIELDS ? readEntryKey({ bytes, start: next, end: entryEnd }) : undefined;
      field = fields.find(({ key }) => key.text === text);
    }
    if (field === undefined) continue;
    field.isFound = true;
    // The Value of an unusual entry is not needed: it is replaced.
    ranges.push({ field, start: at, value: { bytes, start: valueFrom, end: entryEnd } });
  }
  return ranges;
}

/** Writes one field, with a new value or with edits of its struct. @param before its Value. */
function writeEdited(writer: Writer, { key, edits }: Field, before: Slice, depth: number): void {
  const end = writer.length;
  const [first] = edits;
  if (first !== undefined && first.path.length === depth + 1) {
    writeValue(writer, first.value);
  } else {
    writeStructWith(writer, structIn(before), edits, depth + 1);
    writer.endMessage(VALUE_STRUCT, end);
  }
  writer.endMessage(ENTRY_VALUE, end);
  writer.string(ENTRY_KEY, key.text);
  writer.endMessage(STRUCT_FIELDS, end);
}

/** Finds the struct in a Value, after its tag and length. */
function structIn({ bytes, start, end }: Slice): Slice {
  if (start === end) return emptySlice;
  readTag(bytes, start, end);
  readEnd(bytes, next, end);
  return { bytes, start: next, end };
}
