import type { Draft, ResourceEdit } from "../model/draft.ts";
import { withValueAt } from "../model/field-path.ts";
import { ENTRY_KEY, ENTRY_VALUE, RESOURCE_READY, RESOURCE_STRUCT, STATE_COMPOSITE, STATE_RESOURCES } from "./fields.ts";
import { readEntryKey, readMessage } from "./message.ts";
import { READY, type WireResource } from "./resource.ts";
import { emptySlice, type Slice } from "./slice.ts";
import { writeExcept } from "./splice.ts";
import type { WireState } from "./state.ts";
import { writeStructWith } from "./struct-splice.ts";
import { writeStruct } from "./struct-writer.ts";
import type { Writer } from "./writer.ts";

type SetEdit = Extract<ResourceEdit, { is: "set" }>;

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

function editOfComposite(composite: WireResource, draft: Draft): SetEdit | undefined {
  const { composite: values, compositeReady: ready } = draft;
  if (values.length === 0) return ready === undefined ? undefined : { is: "set", ready };
  const before = composite.document.toObject();
  return {
    is: "set",
    object: values.reduce((object, { path, value }) => withValueAt(object, path, value), before),
    ready,
  };
}

function writeEntry(writer: Writer, name: string, before: WireResource | undefined, edit: SetEdit): void {
  writer.message(STATE_RESOURCES, () => {
    writer.message(ENTRY_VALUE, () => writeResource(writer, before?.slice ?? emptySlice, edit));
    writer.string(ENTRY_KEY, name);
  });
}

function writeResource(writer: Writer, before: Slice, edit: SetEdit): void {
  const { object, value, ready } = edit;
  const isEdited = object !== undefined || value !== undefined;
  if (ready !== undefined) writer.number(RESOURCE_READY, READY.indexOf(ready));
  if (isEdited) writer.message(RESOURCE_STRUCT, () => writeObject(writer, before, edit));
  writeExcept(writer, before, (tag) => {
    if (tag === RESOURCE_STRUCT) return isEdited;
    return tag === RESOURCE_READY && ready !== undefined;
  });
}

function writeObject(writer: Writer, before: Slice, { object, value }: SetEdit): void {
  if (object !== undefined) writeStruct(writer, value ? withValueAt(object, value.path, value.value) : object);
  else if (value !== undefined) writeStructWith(writer, readMessage(before, RESOURCE_STRUCT), value.path, value.value);
}
