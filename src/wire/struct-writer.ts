import { FunctionError } from "../errors.ts";
import { type Document, isDocument, type ValueEdit } from "../model/document.ts";
import type { ContextValue } from "../model/draft.ts";
import { WireDocument } from "./document.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import * as fields from "./fields.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { encodeKey, isKey, type Key } from "./text.ts";
import type { Writer } from "./writer.ts";

interface Fields {
  readonly [key: string]: ContextValue;
}

/** Writes the fields of a google.protobuf.Struct. A Document is copied byte for byte, but for the values set in it. */
export function writeStruct(writer: Writer, object: Fields | Document): void {
  if (object instanceof WireDocument) {
    writeStructWith(writer, object.slice, object.edits);
    return;
  }
  const plain: Fields = isDocument(object) ? object.toObject() : object;
  for (const key of Object.keys(plain).reverse()) writeField(writer, key, plain[key] as ContextValue);
}

export function writeField(writer: Writer, key: string, value: ContextValue): void {
  const end = writer.length;
  writeValue(writer, value);
  endField(writer, key, end);
}

/** Ends an entry whose Value began at `mark`. */
function endField(writer: Writer, key: string, mark: number): void {
  writer.endMessage(fields.ENTRY_VALUE, mark);
  writer.string(fields.ENTRY_KEY, key);
  writer.endMessage(fields.STRUCT_FIELDS, mark);
}

function writeValue(writer: Writer, value: ContextValue): void {
  switch (typeof value) {
    case "string":
      writer.string(fields.VALUE_STRING, value);
      break;
    case "number":
      if (!Number.isFinite(value))
        throw new FunctionError("InvalidResponse", `cannot return ${value} as a JSON number`);
      writer.double(fields.VALUE_NUMBER, value);
      break;
    case "boolean":
      writer.number(fields.VALUE_BOOL, value ? 1 : 0);
      break;
    default:
      writeContainer(writer, value);
  }
}

function writeContainer(writer: Writer, value: Fields | Document | readonly ContextValue[] | null): void {
  const end = writer.length;
  if (value === null) {
    writer.number(fields.VALUE_NULL, 0);
  } else if (isValueList(value)) {
    for (let i = value.length - 1; i >= 0; i--) writeItem(writer, value[i] as ContextValue);
    writer.endMessage(fields.VALUE_LIST, end);
  } else {
    writeStruct(writer, value);
    writer.endMessage(fields.VALUE_STRUCT, end);
  }
}

function writeItem(writer: Writer, value: ContextValue): void {
  const end = writer.length;
  writeValue(writer, value);
  writer.endMessage(fields.LIST_VALUES, end);
}

/** Array.isArray does not tell readonly lists from objects. */
const isValueList = (value: object): value is readonly ContextValue[] => Array.isArray(value);

/**
 * Writes a Struct with other values at some paths. All other fields are copied byte for byte, unknown fields and unusual encodings
 * included. An edited field keeps its position; a new one comes last.
 *
 * @param edits the few values of a WireDocument: their paths lead through objects, and do not meet.
 * @param depth the number of steps of the paths that lead to this struct.
 */
function writeStructWith(writer: Writer, struct: Slice, edits: readonly ValueEdit[], depth = 0): void {
  if (edits.length === 0) {
    writer.bytes(struct.bytes, struct.start, struct.end);
    return;
  }
  const edited = toEditedFields(edits, depth);
  const ranges = findRanges(struct, edited);
  for (const field of edited.toReversed()) {
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
interface EditedField {
  readonly key: Key;
  readonly edits: ValueEdit[];
  isFound: boolean;
  isWritten: boolean;
}

function toEditedFields(edits: readonly ValueEdit[], depth: number): readonly EditedField[] {
  const edited: EditedField[] = [];
  for (const edit of edits) {
    const key = encodeKey(String(edit.path[depth]));
    const field = edited.find((one) => one.key.text === key.text);
    if (field === undefined) edited.push({ key, edits: [edit], isFound: false, isWritten: false });
    else field.edits.push(edit);
  }
  return edited;
}

/** The range of a field in the bytes: the start of its entry, and its Value, which ends where the entry ends. */
interface FieldRange {
  readonly field: EditedField;
  readonly start: number;
  readonly value: Slice;
}

function findRanges({ bytes, start, end }: Slice, edited: readonly EditedField[]): readonly FieldRange[] {
  const ranges: FieldRange[] = [];
  let entryEnd = start;
  for (let at = start; at < end; at = entryEnd) {
    let field: EditedField | undefined;
    if (readUsualEntry(bytes, at, end, fields.STRUCT_FIELDS)) {
      entryEnd = valueTo;
      field = edited.find(({ key }) => isKey(bytes, keyFrom, keyTo, key));
    } else {
      const tag = readTag(bytes, at, end);
      entryEnd = skip(bytes, tag, next, end);
      const text = tag === fields.STRUCT_FIELDS ? readEntryKey({ bytes, start: next, end: entryEnd }) : undefined;
      field = edited.find(({ key }) => key.text === text);
    }
    if (field === undefined) continue;
    field.isFound = true;
    // The Value of an unusual entry is not needed: it is replaced.
    ranges.push({ field, start: at, value: { bytes, start: valueFrom, end: entryEnd } });
  }
  return ranges;
}

/** Writes one field, with a new value or with edits of its struct. @param before its Value. */
function writeEdited(writer: Writer, { key, edits }: EditedField, before: Slice, depth: number): void {
  const end = writer.length;
  const [first] = edits;
  if (first !== undefined && first.path.length === depth + 1) {
    writeValue(writer, first.value);
  } else {
    writeStructWith(writer, structIn(before), edits, depth + 1);
    writer.endMessage(fields.VALUE_STRUCT, end);
  }
  endField(writer, key.text, end);
}

/** Finds the struct in a Value, after its tag and length. */
function structIn({ bytes, start, end }: Slice): Slice {
  if (start === end) return emptySlice;
  readTag(bytes, start, end);
  readEnd(bytes, next, end);
  return { bytes, start: next, end };
}
