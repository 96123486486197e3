import { type FieldPath, valueAt, withValueAt } from "./field-path.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * A JSON object, read only as far as somebody asks: `at` finds one value, `toObject` reads the whole of it. The wire
 * implements it over a request's bytes, so neither a Document nor what holds it may outlive the request.
 */
export interface Document {
  /**
   * The value at `path`; undefined where there is none. What is nested too deep to be decoded is no value that can be used:
   * `tooDeep` stands for it. Whoever may write a field could otherwise stop whoever reads it.
   */
  at<T = undefined>(path: FieldPath, tooDeep?: T): JsonValue | undefined | T;
  /** @throws {FunctionError} `InvalidMessage` where it is nested too deep. */
  toObject(): JsonObject;
  /**
   * The same with other values at some paths, set one after the other as `withValueAt` sets them. The wire does not decode an
   * object for it.
   *
   * @throws {FunctionError} `InvalidFieldPath` where a path leads through something else than objects and lists.
   */
  with(edits: readonly ValueEdit[]): Document;
}

/** Stands for a value that is nested deeper than `MAX_DEPTH`, where a reader tells that from none. */
export const TOO_DEEP: unique symbol = Symbol("nested too deep");

/** A value at a path of an object. */
export interface ValueEdit {
  readonly path: FieldPath;
  readonly value: JsonValue;
}

/** A Document over an object that is decoded already. */
export const documentOf = (object: JsonObject): Document => ({
  at: (path) => valueAt(object, path),
  toObject: () => object,
  with: (edits) => documentOf(withValues(object, edits)),
});

/** The object with these values set one after the other. */
export const withValues = (object: JsonObject, edits: readonly ValueEdit[]): JsonObject =>
  edits.reduce((before, { path, value }) => withValueAt(before, path, value), object);

/** Tells whether the value is a Document: JSON holds no functions. */
export const isDocument = (value: object): value is Document =>
  "toObject" in value && typeof value.toObject === "function";

/** The non-empty string at `path`; undefined where there is none. */
export function stringAt(document: Document, path: FieldPath): string | undefined {
  const value = document.at(path);
  return typeof value === "string" && value !== "" ? value : undefined;
}
