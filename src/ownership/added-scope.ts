import { readAnnotation } from "../crossplane/metadata.ts";
import type { Document } from "../model/document.ts";
import { parseFieldPath } from "../model/field-path.ts";
import { SCOPE } from "./annotations.ts";
import { type DesiredAndObserved, textAt } from "./fields.ts";

/**
 * The fields that identify a cloud resource beside those of our tables: paths from `scopeFieldPaths`; or, for a kind in no table, names of
 * fields of spec.forProvider that its schema adds.
 */
export type AddedScope = ReadonlySet<string>;

/** Reads the fields that counted in addition when the managed resource got its labels; undefined if none did. */
export const readScope = (managed: Document): AddedScope | undefined => {
  const noted = readAnnotation(managed, SCOPE);
  return noted === undefined ? undefined : new Set(noted.split(",", MAX_ADDED));
};

/** The most fields that are read from the annotation, which a team may write. Each is looked up in the resource. */
const MAX_ADDED = 50;

/** Formats the annotation for `readScope`. */
export const formatScope = (added: AddedScope | undefined): string | undefined => added && [...added].join();

/** Tells whether an added field is a path from `scopeFieldPaths`. Otherwise it is a field's name from a schema, which contains no dot. */
const isPath = (added: string): boolean => added.includes(".");

/** Tells whether the input has added the fields, by `scopeFieldPaths`. */
export const isFromInput = (added: AddedScope): boolean => [...added].some(isPath);

/** Reads the fields at added paths; undefined while a reference is unresolved, or where a text of the annotation is no path. */
export const readAdded = (pair: DesiredAndObserved, added: AddedScope) =>
  [...added].filter(isPath).map((path) => [path, textAtPath(pair, path)] as const);

function textAtPath(pair: DesiredAndObserved, path: string): string | undefined {
  try {
    return textAt(pair, parseFieldPath(path));
  } catch {
    return undefined;
  }
}
