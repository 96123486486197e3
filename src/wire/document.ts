import type { Document } from "../model/document.ts";
import { type FieldPath, valueAt } from "../model/field-path.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Slice } from "./slice.ts";
import { lookUp } from "./struct-lookup.ts";
import { readStruct } from "./struct-reader.ts";

/** A Struct that stays encoded until somebody reads the whole of it. */
export class WireDocument implements Document {
  readonly slice: Slice;
  #object: JsonObject | undefined;

  constructor(slice: Slice) {
    this.slice = slice;
  }

  at(path: FieldPath): JsonValue | undefined {
    return this.#object === undefined ? lookUp(this.slice, path) : valueAt(this.#object, path);
  }

  toObject(): JsonObject {
    this.#object ??= readStruct(this.slice.bytes, this.slice.start, this.slice.end);
    return this.#object;
  }
}
