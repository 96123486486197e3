import type { Draft, ResourceEdit } from "../model/draft.ts";
import type { Ready, Resource, State } from "../model/request.ts";
import { WireDocument } from "./document.ts";
import * as fields from "./fields.ts";
import {
  emptySlice,
  readEntryKey,
  readEnums,
  readMap,
  readMessage,
  readMessages,
  type Slice,
  writeExcept,
} from "./message.ts";
import { writeStruct } from "./struct-writer.ts";
import type { Writer } from "./writer.ts";

/** The names of the Ready enum's values, by number. */
const READY: readonly Ready[] = ["Unspecified", "True", "False"];

class WireResource implements Resource {
  readonly slice: Slice;
  #document: WireDocument | undefined;
  constructor(slice: Slice) {
    this.slice = slice;
  }

  get document(): WireDocument {
    this.#document ??= new WireDocument(readMessage(this.slice, fields.RESOURCE_STRUCT));
    return this.#document;
  }

  get hasConnectionDetails(): boolean {
    return readMessages(this.slice, fields.RESOURCE_CONNECTION_DETAILS).length > 0;
  }

  get ready(): Ready {
    return READY[readEnums(this.slice, fields.RESOURCE_READY).at(-1) ?? 0] ?? "Unspecified";
  }
}

/** A State message. Its resources are indexed on first use. */
export class WireState implements State {
  readonly slice: Slice;
  readonly composite: WireResource;
  #resources: ReadonlyMap<string, WireResource> | undefined;

  constructor(slice: Slice) {
    this.slice = slice;
    this.composite = new WireResource(readMessage(slice, fields.STATE_COMPOSITE));
  }

  get resources(): ReadonlyMap<string, WireResource> {
    this.#resources ??= readMap(this.slice, fields.STATE_RESOURCES, (value) => new WireResource(value));
    return this.#resources;
  }
}

/** Writes the desired state of earlier steps byte for byte, except for the draft's edits. */
export function writeState(writer: Writer, state: WireState, draft: Draft): void {
  const { composite: values, compositeReady: ready } = draft;
  const isCompositeEdited = values.length > 0 || ready !== undefined;
  for (const [name, edit] of [...draft.resources].reverse()) {
    if (edit.is === "removed") continue;
    const before = state.resources.get(name)?.slice ?? emptySlice;
    writer.entry(fields.STATE_RESOURCES, name, () => writeResource(writer, before, edit));
  }
  if (isCompositeEdited) {
    const { slice, document: before } = state.composite;
    const object = values.length === 0 ? undefined : before.with(values);
    writer.message(fields.STATE_COMPOSITE, () => writeResource(writer, slice, { object, ready }));
  }
  if (!isCompositeEdited && draft.resources.size === 0) {
    writer.bytes(state.slice.bytes, state.slice.start, state.slice.end);
    return;
  }
  writeExcept(writer, state.slice, (tag, content) => {
    if (tag === fields.STATE_COMPOSITE) return isCompositeEdited;
    return tag === fields.STATE_RESOURCES && draft.resources.has(readEntryKey(content));
  });
}

type Edit = Omit<Extract<ResourceEdit, { is: "set" }>, "is">;

function writeResource(writer: Writer, before: Slice, { object, ready }: Edit): void {
  if (ready !== undefined) writer.number(fields.RESOURCE_READY, READY.indexOf(ready));
  if (object !== undefined) writer.message(fields.RESOURCE_STRUCT, () => writeStruct(writer, object));
  writeExcept(writer, before, (tag) => {
    if (tag === fields.RESOURCE_STRUCT) return object !== undefined;
    return tag === fields.RESOURCE_READY && ready !== undefined;
  });
}
