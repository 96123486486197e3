import { FunctionError } from "../errors.ts";
import { type Document, isDocument } from "../model/document.ts";
import type { ContextValue } from "../model/draft.ts";
import { WireDocument } from "./document.ts";
import * as fields from "./fields.ts";
import type { Writer } from "./writer.ts";

interface Fields {
  readonly [key: string]: ContextValue;
}

/** Writes the fields of a google.protobuf.Struct. A Document is copied byte for byte. */
export function writeStruct(writer: Writer, object: Fields | Document): void {
  if (object instanceof WireDocument) {
    const { bytes, start, end } = object.slice;
    writer.bytes(bytes, start, end);
    return;
  }
  const plain: Fields = isDocument(object) ? object.toObject() : object;
  for (const key of Object.keys(plain).reverse()) writeField(writer, key, plain[key] as ContextValue);
}

/** Writes one entry of a Struct's map of fields. */
export function writeField(writer: Writer, key: string, value: ContextValue): void {
  const end = writer.length;
  writeValue(writer, value);
  writer.endMessage(fields.ENTRY_VALUE, end);
  writer.string(fields.ENTRY_KEY, key);
  writer.endMessage(fields.STRUCT_FIELDS, end);
}

/** Writes the Value of a field or an item. */
export function writeValue(writer: Writer, value: ContextValue): void {
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
