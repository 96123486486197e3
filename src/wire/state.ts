import type { Ready, Resource, State } from "../model/request.ts";
import { WireDocument } from "./document.ts";
import * as fields from "./fields.ts";
import { readBytesMap, readEnums, readMap, readMessage } from "./message.ts";
import type { Bytes, Slice } from "./slice.ts";

/** The names of the Ready enum's values, by number. */
export const READY: readonly Ready[] = ["Unspecified", "True", "False"];

/** A Resource message, decoded lazily. It is its own slice, because there may be ten thousand. */
export class WireResource implements Resource, Slice {
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
  #document: WireDocument | undefined;

  constructor({ bytes, start, end }: Slice) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  get document(): WireDocument {
    this.#document ??= new WireDocument(readMessage(this, fields.RESOURCE_STRUCT));
    return this.#document;
  }

  /** Connection details by key. The values are views of the request's bytes. */
  get connectionDetails(): ReadonlyMap<string, Uint8Array> {
    return readBytesMap(this, fields.RESOURCE_CONNECTION_DETAILS);
  }

  get ready(): Ready {
    return READY[readEnums(this, { unpacked: fields.RESOURCE_READY }).at(-1) ?? 0] ?? "Unspecified";
  }
}

/** A State message. Its resources are indexed on first use, and each is decoded when it is read. */
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
