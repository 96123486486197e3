import { type Document, documentOf, type ValueEdit, withValues } from "../model/document.ts";
import { type FieldPath, valueAt } from "../model/field-path.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Slice } from "./message.ts";
import { canSplice, lookUpValue, UNUSUAL } from "./struct-lookup.ts";
import { readStruct, TooDeep } from "./struct-reader.ts";

const ANNOTATIONS: FieldPath = ["metadata", "annotations"];

const NO_EDITS: readonly ValueEdit[] = [];

/** A Struct that stays encoded until it is read as a whole. `writeStruct` copies its bytes, and splices the edits into them. */
export class WireDocument implements Document {
  readonly slice: Slice;
  /** The values to set in the Struct. No edit's path equals or continues that of another. */
  readonly edits: readonly ValueEdit[];
  /** The same Struct without edits; undefined if this one has none. */
  readonly #base: WireDocument | undefined;
  #object: JsonObject | undefined;
  /** The annotations, decoded once: features read a dozen of them. */
  #annotations: { readonly value: JsonValue | undefined | typeof UNUSUAL } | undefined;

  constructor(slice: Slice, edits = NO_EDITS, base?: WireDocument) {
    this.slice = slice;
    this.edits = edits;
    this.#base = base;
  }

  at<T>(path: FieldPath, tooDeep?: T): JsonValue | undefined | T {
    if (this.#object !== undefined) return valueAt(this.#object, path);
    const edit = this.edits === NO_EDITS ? undefined : this.edits.find((each) => overlap(each.path, path));
    // An edit at the path or above it has the value.
    if (edit !== undefined && edit.path.length <= path.length) {
      return valueAt(edit.value, path.slice(edit.path.length));
    }
    try {
      // An edit below the path changes the value: decode the whole object.
      const found = edit === undefined ? this.#lookUp(path) : UNUSUAL;
      return found === UNUSUAL ? valueAt(this.toObject(), path) : found;
    } catch (error) {
      if (error instanceof TooDeep) return tooDeep;
      throw error;
    }
  }

  #lookUp(path: FieldPath): JsonValue | undefined | typeof UNUSUAL {
    if (this.#base !== undefined) return this.#base.#lookUp(path);
    if (path[0] !== ANNOTATIONS[0] || path[1] !== ANNOTATIONS[1]) return lookUpValue(this.slice, path);
    this.#annotations ??= { value: lookUpValue(this.slice, ANNOTATIONS) };
    const { value } = this.#annotations;
    return value === undefined || value === UNUSUAL ? value : valueAt(value, path.slice(ANNOTATIONS.length));
  }

  toObject(): JsonObject {
    const { bytes, start, end } = this.slice;
    this.#object ??= withValues(this.#base?.toObject() ?? readStruct(bytes, start, end), this.edits);
    return this.#object;
  }

  with(edits: readonly ValueEdit[]): Document {
    const all = [...this.edits];
    for (const edit of edits) {
      const canBeSpliced = canSplice(this.slice, edit.path) && !all.some(({ path }) => overlap(path, edit.path));
      if (!canBeSpliced) return documentOf(withValues(this.toObject(), edits));
      all.push(edit);
    }
    return new WireDocument(this.slice, all, this.#base ?? this);
  }
}

/** Tells whether the paths are equal, or one continues the other. A number may also be an object's key, so texts are compared. */
function overlap(a: FieldPath, b: FieldPath): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i] && String(a[i]) !== String(b[i])) return false;
  return true;
}
