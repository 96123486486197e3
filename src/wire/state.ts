import type { State } from "../model/resource.ts";
import { STATE_COMPOSITE, STATE_RESOURCES } from "./fields.ts";
import { readMap, readMessage } from "./message.ts";
import { WireResource } from "./resource.ts";
import type { Slice } from "./slice.ts";

/** A State message, indexed once somebody asks: which resources it has, and where. None of them is decoded by that. */
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
