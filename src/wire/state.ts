import type { State } from "../model/resource.ts";
import { STATE_COMPOSITE, STATE_RESOURCES } from "./fields.ts";
import { readMap, readMessage } from "./message.ts";
import { WireResource } from "./resource.ts";
import type { Slice } from "./slice.ts";

/** A State message. Its resources are indexed on first use, and each is decoded when it is read. */
export class WireState implements State {
  readonly slice: Slice;
  readonly composite: WireResource;
  #resources: ReadonlyMap<string, WireResource> | undefined;

  constructor(slice: Slice) {
    this.slice = slice;
    this.composite = new WireResource(readMessage(slice, STATE_COMPOSITE));
  }

  get resources(): ReadonlyMap<string, WireResource> {
    this.#resources ??= readMap(this.slice, STATE_RESOURCES, (value) => new WireResource(value));
    return this.#resources;
  }
}
