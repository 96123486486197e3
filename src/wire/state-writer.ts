import type { Document } from "../model/document.ts";
import type { Draft, ResourceEdit } from "../model/draft.ts";
import type { JsonObject } from "../model/json.ts";
import { EditedDocument } from "./document.ts";
import * as fields from "./fields.ts";
import { readEntryKey, writeExcept } from "./message.ts";
import { emptySlice, type Slice, toBytes } from "./slice.ts";
import { READY, type WireResource, type WireState } from "./state.ts";
import { writeStructWith } from "./struct-splice.ts";
import { writeStruct } from "./struct-writer.ts";
import type { Writer } from "./writer.ts";

type SetEdit = Extract<ResourceEdit, { is: "set" }>;

/** An edit of the XR: only the XR has connection details. */
interface CompositeEdit extends SetEdit {
  readonly connectionDetails?: Draft["connectionDetails"];
}

/** Writes the desired state: that of earlier steps byte for byte, except for the draft's edits. */
export function writeState(writer: Writer, state: WireState, draft: Draft): void {
  const compositeEdit = toCompositeEdit(state.composite, draft);
  for (const [name, edit] of [...draft.resources].reverse()) {
    if (edit.is === "removed") continue;
    const before = state.resources.get(name) ?? emptySlice;
    writer.entry(fields.STATE_RESOURCES, name, () => writeResource(writer, before, edit));
  }
  if (compositeEdit !== undefined) {
    writer.message(fields.STATE_COMPOSITE, () => writeResource(writer, state.composite, compositeEdit));
  }
  if (compositeEdit === undefined && draft.resources.size === 0) {
    writer.bytes(state.slice.bytes, state.slice.start, state.slice.end);
    return;
  }
  writeExcept(writer, state.slice, (tag, content) => {
    if (tag === fields.STATE_COMPOSITE) return compositeEdit !== undefined;
    return tag === fields.STATE_RESOURCES && draft.resources.has(readEntryKey(content));
  });
}

function toCompositeEdit(composite: WireResource, draft: Draft): CompositeEdit | undefined {
  const { composite: values, compositeReady: ready, connectionDetails } = draft;
  if (values.length === 0) {
    const isUntouched = ready === undefined && connectionDetails.size === 0;
    return isUntouched ? undefined : { is: "set", ready, connectionDetails };
  }
  return { is: "set", document: composite.document.with(values), ready, connectionDetails };
}

const noDetails: Draft["connectionDetails"] = new Map();

function writeResource(writer: Writer, before: Slice, edit: CompositeEdit): void {
  const { document, object = document, ready, connectionDetails = noDetails } = edit;
  if (ready !== undefined) writer.number(fields.RESOURCE_READY, READY.indexOf(ready));
  writeDetails(writer, connectionDetails);
  if (object !== undefined) writer.message(fields.RESOURCE_STRUCT, () => writeObject(writer, object));
  writeExcept(writer, before, (tag, content) => {
    if (tag === fields.RESOURCE_CONNECTION_DETAILS) return connectionDetails.has(readEntryKey(content));
    if (tag === fields.RESOURCE_STRUCT) return object !== undefined;
    return tag === fields.RESOURCE_READY && ready !== undefined;
  });
}

function writeObject(writer: Writer, object: JsonObject | Document): void {
  if (object instanceof EditedDocument) writeStructWith(writer, object.before.slice, object.values);
  else writeStruct(writer, object);
}

function writeDetails(writer: Writer, details: Draft["connectionDetails"]): void {
  for (const [key, text] of [...details].reverse()) {
    const value = toBytes(Buffer.from(text, "base64"));
    writer.entry(fields.RESOURCE_CONNECTION_DETAILS, key, () => writer.bytes(value, 0, value.length));
  }
}
