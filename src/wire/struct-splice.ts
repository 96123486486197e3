import { type FieldPath, withValueAt } from "../model/field-path.ts";
import type { JsonValue } from "../model/json.ts";
import { ENTRY_KEY, ENTRY_VALUE, STRUCT_FIELDS, VALUE_STRUCT } from "./fields.ts";
import { readEntryKey, readMessage, readMessages } from "./message.ts";
import { next, readEnd, readTag } from "./scan.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { writeExcept } from "./splice.ts";
import { readStruct } from "./struct-reader.ts";
import { writeField, writeStruct } from "./struct-writer.ts";
import type { Writer } from "./writer.ts";

/**
 * A Struct with another value at `path`: what is not on the path is copied as it is, not decoded. Where the path leads
 * through anything but objects, or through one that is encoded unusually, that part is decoded, changed and encoded.
 *
 * @throws {FunctionError} `InvalidFieldPath` where the path leads through something else than objects and lists.
 */
export function writeStructWith(writer: Writer, struct: Slice, path: FieldPath, value: JsonValue): void {
  const [step, ...rest] = path;
  const inner = rest.length === 0 ? emptySlice : objectAt(struct, step);
  if (typeof step !== "string" || typeof rest[0] === "number" || inner === undefined) {
    const object = readStruct(struct.bytes, struct.start, struct.end);
    writeStruct(writer, withValueAt(object, path, value));
    return;
  }
  if (rest.length === 0) writeField(writer, step, value);
  else writeObject(writer, step, () => writeStructWith(writer, inner, rest, value));
  writeExcept(writer, struct, (tag, entry) => tag === STRUCT_FIELDS && readEntryKey(entry) === step);
}

function writeObject(writer: Writer, key: string, write: () => void): void {
  writer.message(STRUCT_FIELDS, () => {
    writer.message(ENTRY_VALUE, () => writer.message(VALUE_STRUCT, write));
    writer.string(ENTRY_KEY, key);
  });
}

/** The object in that field, empty where there is none; undefined where it is something else, or written unusually. */
function objectAt(struct: Slice, key: string | number | undefined): Slice | undefined {
  const entry = readMessages(struct, STRUCT_FIELDS).findLast((candidate) => readEntryKey(candidate) === key);
  if (entry === undefined) return emptySlice;
  const { bytes, start, end } = readMessage(entry, ENTRY_VALUE);
  if (start === end || readTag(bytes, start, end) !== VALUE_STRUCT) return undefined;
  return readEnd(bytes, next, end) === end ? { bytes, start: next, end } : undefined;
}
