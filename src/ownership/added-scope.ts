import { readAnnotation } from "../crossplane/metadata.ts";
import type { Document } from "../model/document.ts";
import { parseFieldPath } from "../model/field-path.ts";
import { SCOPE } from "./annotations.ts";
import { type DesiredAndObserved, textAt } from "./fields.ts";

/**
 * The fields that identify a cloud resource beside those of our tables: paths from `scopeFieldPaths`; or, for a kind in no table, names of
 * fields of spec.forProvider from the kind's schema (`askReferable` in features/tags/kinds.ts).
 */
export type AddedScope = ReadonlySet<string>;

/** Reads the added fields that were hashed to the identity label, at most MAX_ADDED; undefined without the annotation SCOPE. */
export const readScope = (managed: Document): AddedScope | undefined => {
  const noted = readAnnotation(managed, SCOPE);
  return noted === undefined ? undefined : new Set(noted.split(",", MAX_ADDED));
};

/** A limit, since a team may write the annotation, and each field is looked up in the resource. */
const MAX_ADDED = 50;

/** Formats the annotation SCOPE; undefined if no fields are added. */
export const formatScope = (added: AddedScope | undefined): string | undefined => added && [...added].join();

/** Tells whether an added field is a path from `scopeFieldPaths`. A name from a kind's schema contains no dot. */
const isPath = (added: string): boolean => added.includes(".");

/** Tells whether `scopeFieldPaths` added the fields, or some of them. */
export const isFromInput = (added: AddedScope): boolean => [...added].some(isPath);

/** Reads each added path with the text of its field: undefined while a reference is unresolved, or if the path cannot be parsed. */
export const readAdded = (pair: DesiredAndObserved, added: AddedScope) =>
  [...added].filter(isPath).map((path) => [path, textAtPath(pair, path)] as const);

function textAtPath(pair: DesiredAndObserved, path: string): string | undefined {
  try {
    return textAt(pair, parseFieldPath(path));
  } catch {
    return undefined;
  }
}
