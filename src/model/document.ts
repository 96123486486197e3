import { type FieldPath, valueAt, withValueAt } from "./field-path.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * A JSON object, read only as far as somebody asks: `at` finds one value, `toObject` reads the whole of it. The wire
 * implements it over a request's bytes, so neither a Document nor what holds it may outlive the request.
 */
export interface Document {
  at(path: FieldPath): JsonValue | undefined;
  toObject(): JsonObject;
  /**
   * The same with another value at `path`, as `withValueAt` sets it. The wire does not decode an object for it.
   *
   * @throws {FunctionError} `InvalidFieldPath` where the path leads through something else than objects and lists.
   */
  with(path: FieldPath, value: JsonValue): Document;
}

/** A value at a path of an object. */
export interface ValueEdit {
  readonly path: FieldPath;
  readonly value: JsonValue;
}

/** A Document over an object that is decoded already. */
export const documentOf = (object: JsonObject): Document => ({
  at: (path) => valueAt(object, path),
  toObject: () => object,
  with: (path, value) => documentOf(withValueAt(object, path, value)),
});

/** Tells whether the value is a Document: JSON holds no functions. */
export const isDocument = (value: object): value is Document =>
  "toObject" in value && typeof value.toObject === "function";

/** The non-empty string at `path`; undefined where there is none. */
export function stringAt(document: Document, path: FieldPath): string | undefined {
  const value = document.at(path);
  return typeof value === "string" && value !== "" ? value : undefined;
}
