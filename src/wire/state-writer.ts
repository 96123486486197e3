import type { Draft, ResourceEdit } from "../model/draft.ts";
import { withValueAt } from "../model/field-path.ts";
import {
  ENTRY_KEY,
  ENTRY_VALUE,
  RESOURCE_CONNECTION_DETAILS,
  RESOURCE_READY,
  RESOURCE_STRUCT,
  STATE_COMPOSITE,
  STATE_RESOURCES,
} from "./fields.ts";
import { readEntryKey, readMessage } from "./message.ts";
import { READY, type WireResource } from "./resource.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { writeExcept } from "./splice.ts";
import type { WireState } from "./state.ts";
import { writeStructWith } from "./struct-splice.ts";
import { writeStruct } from "./struct-writer.ts";
import type { Writer } from "./writer.ts";

type SetEdit = Extract<ResourceEdit, { is: "set" }>;

/** Only the XR publishes connection details of its own. */
interface CompositeEdit extends SetEdit {
  readonly connectionDetails?: Draft["connectionDetails"];
}

/** The desired state: what the steps before us desired, as it came, but for what the draft edits. */
export function writeState(writer: Writer, state: WireState, draft: Draft): void {
  const compositeEdit = editOfComposite(state.composite, draft);
  for (const [name, edit] of [...draft.resources].reverse()) {
    if (edit.is === "set") writeEntry(writer, name, state.resources.get(name), edit);
  }
  if (compositeEdit !== undefined) {
    writer.message(STATE_COMPOSITE, () => writeResource(writer, state.composite.slice, compositeEdit));
  }
  if (compositeEdit === undefined && draft.resources.size === 0) {
    writer.bytes(state.slice.bytes, state.slice.start, state.slice.end);
    return;
  }
  writeExcept(writer, state.slice, (tag, content) => {
    if (tag === STATE_COMPOSITE) return compositeEdit !== undefined;
    return tag === STATE_RESOURCES && draft.resources.has(readEntryKey(content));
  });
}

function editOfComposite(composite: WireResource, draft: Draft): CompositeEdit | undefined {
  const { composite: values, compositeReady: ready, connectionDetails } = draft;
  if (values.length === 0) {
    const isUntouched = ready === undefined && connectionDetails.size === 0;
    return isUntouched ? undefined : { is: "set", ready, connectionDetails };
  }
  const before = composite.document.toObject();
  const object = values.reduce((parent, { path, value }) => withValueAt(parent, path, value), before);
  return { is: "set", object, ready, connectionDetails };
}

function writeEntry(writer: Writer, name: string, before: WireResource | undefined, edit: SetEdit): void {
  writer.message(STATE_RESOURCES, () => {
    writer.message(ENTRY_VALUE, () => writeResource(writer, before?.slice ?? emptySlice, edit));
    writer.string(ENTRY_KEY, name);
  });
}

const noDetails: Draft["connectionDetails"] = new Map();

function writeResource(writer: Writer, before: Slice, edit: CompositeEdit): void {
  const { object, value, ready, connectionDetails = noDetails } = edit;
  const isEdited = object !== undefined || value !== undefined;
  if (ready !== undefined) writer.number(RESOURCE_READY, READY.indexOf(ready));
  writeDetails(writer, connectionDetails);
  if (isEdited) writer.message(RESOURCE_STRUCT, () => writeObject(writer, before, edit));
  writeExcept(writer, before, (tag, content) => {
    if (tag === RESOURCE_CONNECTION_DETAILS) return connectionDetails.has(readEntryKey(content));
    if (tag === RESOURCE_STRUCT) return isEdited;
    return tag === RESOURCE_READY && ready !== undefined;
  });
}

function writeObject(writer: Writer, before: Slice, { object, value }: SetEdit): void {
  if (object !== undefined) writeStruct(writer, value ? withValueAt(object, value.path, value.value) : object);
  else if (value !== undefined) writeStructWith(writer, readMessage(before, RESOURCE_STRUCT), value.path, value.value);
}

function writeDetails(writer: Writer, details: Draft["connectionDetails"]): void {
  for (const [key, text] of [...details].reverse()) {
    const value = Buffer.from(text, "base64");
    writer.message(RESOURCE_CONNECTION_DETAILS, () => {
      writer.message(ENTRY_VALUE, () => writer.bytes(value, 0, value.length));
      writer.string(ENTRY_KEY, key);
    });
  }
}
