import { FunctionError } from "../errors.ts";
import { define, isObject, type JsonObject, type JsonValue, MAX_DEPTH, type MutableObject } from "../model/json.ts";
import * as fields from "./fields.ts";
import { isUsualEntry, keyFrom, keyTo, readEntryKey, readMessages, valueFrom } from "./message.ts";
import { next, readTag, readVarint, skip } from "./scan.ts";
import type { Slice } from "./slice.ts";
import { cutText, type Texts, textsIn } from "./text.ts";

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

export const readStruct = (bytes: Buffer, start: number, end: number): JsonObject =>
  readFields({}, textsIn(bytes, start, end), start, end, 1);

function readFields(object: MutableObject, texts: Texts, start: number, end: number, depth: number): MutableObject {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  const { bytes } = texts;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag !== fields.STRUCT_FIELDS) continue;
    const from = next;
    if (isUsualEntry(bytes, from, at)) {
      define(object, cutText(texts, keyFrom, keyTo), readValue(null, texts, valueFrom, at, depth));
    } else {
      readAnyEntry(object, texts, { bytes, start: from, end: at }, depth);
    }
  }
  return object;
}

function readAnyEntry(object: MutableObject, texts: Texts, entry: Slice, depth: number): void {
  let value: JsonValue = null;
  for (const { start, end } of readMessages(entry, fields.ENTRY_VALUE)) {
    value = readValue(value, texts, start, end, depth);
  }
  define(object, readEntryKey(entry), value);
}

/** Reads a Value. @param before the result of an earlier occurrence of the same Value, to merge messages into. */
export function readValue(before: JsonValue, texts: Texts, start: number, end: number, depth: number): JsonValue {
  let value = before;
  const { bytes } = texts;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = next;
    at = skip(bytes, tag, from, end);
    value = readKind(value, tag, texts, from, at, depth);
  }
  return value;
}

function readKind(before: JsonValue, tag: number, texts: Texts, from: number, to: number, depth: number): JsonValue {
  switch (tag) {
    case fields.VALUE_STRING:
      return cutText(texts, next, to);
    case fields.VALUE_STRUCT:
      return readFields(isObject(before) ? (before as MutableObject) : {}, texts, next, to, depth + 1);
    case fields.VALUE_LIST:
      return readList(Array.isArray(before) ? before : [], texts, next, to, depth + 1);
    case fields.VALUE_NUMBER:
      return texts.bytes.readDoubleLE(from);
    case fields.VALUE_BOOL:
      return readVarint(texts.bytes, from, to) !== 0;
    case fields.VALUE_NULL:
      return null;
    default:
      return before;
  }
}

function readList(list: JsonValue[], texts: Texts, start: number, end: number, depth: number): JsonValue[] {
  if (depth > MAX_DEPTH) throw new TooDeep(start);
  const { bytes } = texts;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    if (tag === fields.LIST_VALUES) list.push(readValue(null, texts, next, at, depth));
  }
  return list;
}
