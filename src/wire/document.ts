import { type Document, documentOf, type ValueEdit, withValues } from "../model/document.ts";
import { type FieldPath, valueAt } from "../model/field-path.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Slice } from "./slice.ts";
import { type Container, canHold, lookUpValue, toContainer, UNUSUAL } from "./struct-lookup.ts";
import { readStruct, TooDeep } from "./struct-reader.ts";

/** A Struct that stays encoded until it is read as a whole. */
export class WireDocument implements Document {
  readonly slice: Slice;
  #root: Container | undefined;
  #object: JsonObject | undefined;

  constructor(slice: Slice) {
    this.slice = slice;
  }

  at<T>(path: FieldPath, tooDeep?: T): JsonValue | undefined | T {
    if (this.#object !== undefined) return valueAt(this.#object, path);
    try {
      const found = lookUpValue(this.#container(), path);
      return found === UNUSUAL ? valueAt(this.toObject(), path) : found;
    } catch (error) {
      return replaceError(error, tooDeep);
    }
  }

  toObject(): JsonObject {
    this.#object ??= readStruct(this.slice.bytes, this.slice.start, this.slice.end);
    return this.#object;
  }

  with(edits: readonly ValueEdit[]): Document {
    return splice(this, [], edits) ?? documentOf(withValues(this.toObject(), edits));
  }

  /** Tells whether a value can be set at `path` in the bytes: the path leads through objects only. */
  canSplice(path: FieldPath): boolean {
    return canHold(this.#container(), path);
  }

  #container(): Container {
    this.#root ??= toContainer(this.slice);
    return this.#root;
  }
}

/** A WireDocument with values to set, which are spliced into its bytes when it is encoded. */
export class EditedDocument implements Document {
  readonly before: WireDocument;
  /** The values; no path leads to or through another. */
  readonly values: readonly ValueEdit[];
  #object: JsonObject | undefined;

  constructor(before: WireDocument, values: readonly ValueEdit[]) {
    this.before = before;
    this.values = values;
  }

  at<T>(path: FieldPath, tooDeep?: T): JsonValue | undefined | T {
    if (!meetsOneOf(this.values, path)) return this.before.at(path, tooDeep);
    const edit = this.values.find((candidate) => candidate.path.length <= path.length && meet(candidate.path, path));
    if (edit !== undefined) return valueAt(edit.value, path.slice(edit.path.length));
    try {
      return valueAt(this.toObject(), path);
    } catch (error) {
      return replaceError(error, tooDeep);
    }
  }

  toObject(): JsonObject {
    this.#object ??= withValues(this.before.toObject(), this.values);
    return this.#object;
  }

  with(edits: readonly ValueEdit[]): Document {
    return splice(this.before, this.values, edits) ?? documentOf(withValues(this.toObject(), edits));
  }
}

/** Returns `tooDeep` for the error of a value that is nested too deep, and rethrows others. */
function replaceError<T>(error: unknown, tooDeep: T): T {
  if (error instanceof TooDeep) return tooDeep;
  throw error;
}

/** Sets further values; undefined if one cannot be spliced. */
function splice(
  document: WireDocument,
  before: readonly ValueEdit[],
  edits: readonly ValueEdit[],
): EditedDocument | undefined {
  const values = [...before, ...edits];
  for (let i = before.length; i < values.length; i++) {
    const { path } = values[i] as ValueEdit;
    if (!document.canSplice(path) || meetsOneOf(values, path, i)) return undefined;
  }
  return new EditedDocument(document, values);
}

/** Tells whether one of the first `count` values is at a path that meets this one. */
function meetsOneOf(values: readonly ValueEdit[], path: FieldPath, count = values.length): boolean {
  for (let i = 0; i < count; i++) if (meet((values[i] as ValueEdit).path, path)) return true;
  return false;
}

/** Tells whether one of the paths leads to or through the other. A number can be the name of a field too. */
function meet(a: FieldPath, b: FieldPath): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i] && String(a[i]) !== String(b[i])) return false;
  return true;
}
