import { FunctionError } from "../errors.ts";
import { define, isObject, type JsonObject, type JsonValue, MAX_DEPTH, type MutableObject } from "../model/json.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import * as fields from "./fields.ts";
import { readEntryKey, readMessages } from "./message.ts";
import { next, readTag, readVarint, skip } from "./scan.ts";
import type { Bytes, Slice } from "./slice.ts";
import { readKey, readText } from "./text.ts";

/**
 * Decodes google.protobuf.Struct, Value and ListValue to plain objects. The last of a repeated key counts; repeated messages are
 * merged, as protobuf specifies. A Value without a kind is null.
 */

/** Thrown for a valid Struct that is nested too deep: Kubernetes accepts deeper nesting than this reader. */
export class TooDeep extends FunctionError {
  constructor(at: number) {
    super("InvalidMessage", `cannot read the request: nesting deeper than ${MAX_DEPTH} at byte ${at}`);
  }
}

export const readStruct = (bytes: Bytes, start: number, end: number): JsonObject =>
  readFields({}, bytes, start, end, 1);

function readFields(object: MutableObject, bytes: Bytes, start: number, end: number, depth: number): MutableObject {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  for (let at = start; at < end; ) {
    if (readUsualEntry(bytes, at, end, fields.STRUCT_FIELDS)) {
      at = valueTo; // before the value is read, which overwrites valueTo
      define(object, readKey(bytes, keyFrom, keyTo), readShortValue(bytes, valueFrom, at, depth));
      continue;
    }
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === fields.STRUCT_FIELDS) readAnyEntry(object, { bytes, start: next, end: at }, depth);
  }
  return object;
}

/** Reads a Value, fast for the usual encoding with one field. */
function readShortValue(bytes: Bytes, start: number, end: number, depth: number): JsonValue {
  const from = start + 2;
  const length = bytes[start + 1] as number;
  if (from <= end && length < 0x80 && from + length === end) {
    if (bytes[start] === fields.VALUE_STRING) return readText(bytes, from, end);
    if (bytes[start] === fields.VALUE_STRUCT) return readFields({}, bytes, from, end, depth + 1);
  }
  return readValue(null, bytes, start, end, depth);
}

function readAnyEntry(object: MutableObject, entry: Slice, depth: number): void {
  let value: JsonValue = null;
  for (const { bytes, start, end } of readMessages(entry, fields.ENTRY_VALUE)) {
    value = readValue(value, bytes, start, end, depth);
  }
  define(object, readEntryKey(entry), value);
}

/** Reads a Value. @param before the result of an earlier occurrence of the same Value, to merge messages into. */
export function readValue(before: JsonValue, bytes: Bytes, start: number, end: number, depth: number): JsonValue {
  let value = before;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    value = readKind(value, tag, bytes, from, at, depth);
  }
  return value;
}

function readKind(before: JsonValue, tag: number, bytes: Bytes, from: number, to: number, depth: number): JsonValue {
  switch (tag) {
    case fields.VALUE_STRING:
      return readText(bytes, next, to);
    case fields.VALUE_STRUCT:
      return readFields(isObject(before) ? (before as MutableObject) : {}, bytes, next, to, depth + 1);
    case fields.VALUE_LIST:
      return readList(Array.isArray(before) ? before : [], bytes, next, to, depth + 1);
    case fields.VALUE_NUMBER:
      return bytes.view.getFloat64(from, true);
    case fields.VALUE_BOOL:
      return readVarint(bytes, from, to) !== 0;
    case fields.VALUE_NULL:
      return null;
    default:
      return before;
  }
}

function readList(list: JsonValue[], bytes: Bytes, start: number, end: number, depth: number): JsonValue[] {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === fields.LIST_VALUES) list.push(readValue(null, bytes, next, at, depth));
  }
  return list;
}
