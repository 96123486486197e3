import { type FieldPath, valueAt, withValueAt } from "./field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";

/** A JSON object, decoded where it is read. It may refer to the request's bytes, and must not outlive the request. */
export interface Document {
  /**
   * Reads the value at `path`: undefined if there is none, and `tooDeep` if it is nested too deep to decode. With an
   * error instead, the author of one field could stop the whole XR.
   */
  at<T = undefined>(path: FieldPath, tooDeep?: T): JsonValue | undefined | T;
  /** @throws {FunctionError} `InvalidMessage` where the object is nested too deep. */
  toObject(): JsonObject;
  /**
   * Returns a copy with values set in this order, if possible without decoding the object.
   * @throws {FunctionError} `InvalidFieldPath` for a path through a value that is neither object nor list.
   */
  with(edits: readonly ValueEdit[]): Document;
}

/** A mark to pass as `tooDeep`, for readers that distinguish a value nested deeper than `MAX_DEPTH` from a missing one. */
export const TOO_DEEP: unique symbol = Symbol("nested too deep");

export interface ValueEdit {
  readonly path: FieldPath;
  readonly value: JsonValue;
}

export const documentOf = (object: JsonObject): Document => ({
  at: (path) => valueAt(object, path),
  toObject: () => object,
  with: (edits) => documentOf(withValues(object, edits)),
});

export const withValues = (object: JsonObject, edits: readonly ValueEdit[]): JsonObject =>
  edits.reduce((before, { path, value }) => withValueAt(before, path, value), object);

export const toDocument = (object: JsonObject | Document): Document =>
  isDocument(object) ? object : documentOf(object);

export const isDocument = (value: object): value is Document =>
  "toObject" in value && typeof value.toObject === "function";

/** Reads the objects in the list at `path`; none for another value. */
export function objectsAt(document: Document, path: FieldPath): readonly JsonObject[] {
  const list = document.at(path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Reads the non-empty string at `path`; undefined for another value. */
export function stringAt(document: Document, path: FieldPath): string | undefined {
  const value = document.at(path);
  return typeof value === "string" && value !== "" ? value : undefined;
}
