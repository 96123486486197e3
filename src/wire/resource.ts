import type { Ready, Resource } from "../model/resource.ts";
import { WireDocument } from "./document.ts";
import { RESOURCE_CONNECTION_DETAILS, RESOURCE_READY, RESOURCE_STRUCT } from "./fields.ts";
import { readBytesMap, readEnums, readMessage } from "./message.ts";
import type { Bytes, Slice } from "./slice.ts";

/** The names of the Ready enum's values, by number. */
export const READY: readonly Ready[] = ["Unspecified", "True", "False"];

/** A Resource message, decoded as far as it is read. There may be ten thousand, so it is its own slice. */
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
    this.#document ??= new WireDocument(readMessage(this, RESOURCE_STRUCT));
    return this.#document;
  }

  /** Connection details by key. The values are views of the request's bytes. */
  get connectionDetails(): ReadonlyMap<string, Uint8Array> {
    return readBytesMap(this, RESOURCE_CONNECTION_DETAILS);
  }

  get ready(): Ready {
    return READY[readEnums(this, { unpacked: RESOURCE_READY }).at(-1) ?? 0] ?? "Unspecified";
  }
}
