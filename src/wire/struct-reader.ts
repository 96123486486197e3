import { FunctionError } from "../errors.ts";
import { define, isObject, type JsonObject, type JsonValue, MAX_DEPTH, type MutableObject } from "../model/json.ts";
import * as fields from "./fields.ts";
import { isUsualEntry, keyFrom, keyTo, readEntryKey, readMessages, type Slice, valueFrom } from "./message.ts";
import { next, readTag, readText, readVarint, skip } from "./scan.ts";

/**
 * Decodes google.protobuf.Struct, Value and ListValue to plain objects. The last of a repeated key counts, and repeated
 * messages are merged, as protobuf specifies. A Value without a kind is null.
 */

/** The error for a Struct nested deeper than MAX_DEPTH. Kubernetes accepts deeper ones. */
export class TooDeep extends FunctionError {
  constructor(at: number) {
    super("InvalidMessage", `cannot read the request: nesting deeper than ${MAX_DEPTH} at byte ${at}`);
  }
}

export const readStruct = (bytes: Buffer, start: number, end: number): JsonObject =>
  readFields({}, bytes, start, end, 1);

function readFields(object: MutableObject, bytes: Buffer, start: number, end: number, depth: number): MutableObject {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag !== fields.STRUCT_FIELDS) continue;
    const from = next;
    if (isUsualEntry(bytes, from, at)) {
      define(object, readText(bytes, keyFrom, keyTo), readValue(null, bytes, valueFrom, at, depth));
    } else {
      readAnyEntry(object, { bytes, start: from, end: at }, depth);
    }
  }
  return object;
}

function readAnyEntry(object: MutableObject, entry: Slice, depth: number): void {
  let value: JsonValue = null;
  for (const { bytes, start, end } of readMessages(entry, fields.ENTRY_VALUE)) {
    value = readValue(value, bytes, start, end, depth);
  }
  define(object, readEntryKey(entry), value);
}

/** Reads a Value. @param before the result of an earlier occurrence of this Value, into which messages are merged. */
export function readValue(before: JsonValue, bytes: Buffer, start: number, end: number, depth: number): JsonValue {
  let value = before;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    value = readKind(value, tag, bytes, from, at, depth);
  }
  return value;
}

/** Reads one field of a Value. A number starts at `from`. The content of a field with a length starts at `next`. */
function readKind(before: JsonValue, tag: number, bytes: Buffer, from: number, to: number, depth: number): JsonValue {
  switch (tag) {
    case fields.VALUE_STRING:
      return readText(bytes, next, to);
    case fields.VALUE_STRUCT:
      return readFields(isObject(before) ? (before as MutableObject) : {}, bytes, next, to, depth + 1);
    case fields.VALUE_LIST:
      return readList(Array.isArray(before) ? before : [], bytes, next, to, depth + 1);
    case fields.VALUE_NUMBER:
      return bytes.readDoubleLE(from);
    case fields.VALUE_BOOL:
      return readVarint(bytes, from, to) !== 0;
    case fields.VALUE_NULL:
      return null;
    default:
      return before;
  }
}

function readList(list: JsonValue[], bytes: Buffer, start: number, end: number, depth: number): JsonValue[] {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === fields.LIST_VALUES) list.push(readValue(null, bytes, next, at, depth));
  }
  return list;
}
