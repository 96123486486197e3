import { FunctionError } from "../errors.ts";
import { groupBy } from "../model/collections.ts";
import { type Document, isDocument, type ValueEdit } from "../model/document.ts";
import type { ContextValue } from "../model/draft.ts";
import { isList } from "../model/json.ts";
import { WireDocument } from "./document.ts";
import * as fields from "./fields.ts";
import { readMessage, type Slice } from "./message.ts";
import { findField } from "./struct-lookup.ts";
import type { Writer } from "./writer.ts";

interface Fields {
  readonly [key: string]: ContextValue;
}

/** Writes the fields of a google.protobuf.Struct. A Document is copied byte for byte, except for values set in it. */
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

/** Writes an entry's key, tags and lengths in front of the Value that was written since `mark`. */
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
  } else if (isList(value)) {
    for (let i = value.length - 1; i >= 0; i--) {
      const mark = writer.length;
      writeValue(writer, value[i] as ContextValue);
      writer.endMessage(fields.LIST_VALUES, mark);
    }
    writer.endMessage(fields.VALUE_LIST, end);
  } else {
    writeStruct(writer, value);
    writer.endMessage(fields.VALUE_STRUCT, end);
  }
}

/**
 * Writes a Struct with values set in it. All other fields are copied byte for byte, unknown fields included. A changed
 * field keeps its position; a new one comes last.
 *
 * @param edits the values of a WireDocument. Each path leads through objects only, and none equals or continues another.
 * @param depth the number of leading steps of the paths that lead to this struct.
 */
function writeStructWith(writer: Writer, struct: Slice, edits: readonly ValueEdit[], depth = 0): void {
  const { bytes, start, end } = struct;
  const byKey = [...groupBy(edits, ({ path }) => String(path[depth]))];
  const edited = byKey.map(([key, its]) => ({ key, its, found: findField(struct, key) }));
  let to = end;
  // In the order of the bytes, the last one first: the writer works backwards.
  for (const { key, its, found } of edited.sort((a, b) => a.found.at - b.found.at).reverse()) {
    writer.bytes(bytes, found.value.end, to);
    writeEdited(writer, key, its, found.value, depth);
    to = found.at;
  }
  writer.bytes(bytes, start, to);
}

/** Writes a field with a new value, or with values set in its struct. @param before the field's Value so far */
function writeEdited(writer: Writer, key: string, edits: readonly ValueEdit[], before: Slice, depth: number): void {
  const end = writer.length;
  const [first] = edits;
  if (first !== undefined && first.path.length === depth + 1) {
    writeValue(writer, first.value);
  } else {
    writeStructWith(writer, readMessage(before, fields.VALUE_STRUCT), edits, depth + 1);
    writer.endMessage(fields.VALUE_STRUCT, end);
  }
  endField(writer, key, end);
}
