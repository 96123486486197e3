import type { FieldPath } from "../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../model/json.ts";
import { LIST_VALUES, STRUCT_FIELDS, VALUE_LIST, VALUE_STRUCT } from "./fields.ts";
import { isUsualEntry, keyFrom, keyTo, readEntryKey, type Slice, valueFrom } from "./message.ts";
import { isKey, next, readEnd, readTag, skip } from "./scan.ts";
import { readValue } from "./struct-reader.ts";

/**
 * Finds values in a Struct's bytes, skipping all fields that are not on the path. Protobuf allows unusual encodings that
 * no known encoder writes, such as a value given twice. `lookUpValue` returns UNUSUAL for these: decode the whole Struct.
 */

export const UNUSUAL: unique symbol = Symbol("unusual");

export function lookUpValue(root: Slice, path: FieldPath): JsonValue | undefined | typeof UNUSUAL {
  const found = find(root, path);
  if (found !== "found") return found === "absent" ? undefined : UNUSUAL;
  return readValue(null, root.bytes, valueStart, valueEnd, path.length);
}

/** Tells whether a value can be spliced in at a path: all values on the way that exist are structs. */
export function canSplice(root: Slice, path: FieldPath): boolean {
  if (path.length === 0 || path.length > MAX_DEPTH || path.some((step) => typeof step === "number")) return false;
  if (path.length === 1) return true;
  const found = find(root, path.slice(0, -1));
  return found === "absent" || (found === "found" && open(root.bytes) === VALUE_STRUCT);
}

type SearchResult = "found" | "absent" | "unusual";

/** Results of the last search: the start of the entry, and the range of its Value. The entry ends where its Value ends. */
let entryStart = 0;
let valueStart = 0;
let valueEnd = 0;

function find({ bytes, start, end }: Slice, path: FieldPath): SearchResult {
  if (path.length === 0 || path.length > MAX_DEPTH) return "unusual";
  valueStart = start;
  valueEnd = end;
  let found = findStep(bytes, VALUE_STRUCT, path[0] as string | number);
  for (let depth = 1; depth < path.length && found === "found"; depth++) {
    found = findStep(bytes, open(bytes), path[depth] as string | number);
  }
  return found;
}

/**
 * Moves `valueStart` from a Value to the content of its struct or list. @returns the tag of the struct or list; for
 * another Value, or one with several fields, 0 and no move.
 */
function open(bytes: Buffer): number {
  if (valueStart === valueEnd) return 0;
  const kind = readTag(bytes, valueStart, valueEnd);
  if (kind !== VALUE_STRUCT && kind !== VALUE_LIST) return 0;
  if (readEnd(bytes, next, valueEnd) !== valueEnd) return 0;
  valueStart = next;
  return kind;
}

/** Finds the Value of a step in the struct or list that was opened last. @param kind the tag that `open` returned */
function findStep(bytes: Buffer, kind: number, step: string | number): SearchResult {
  if (kind === VALUE_STRUCT)
    return findEntry(bytes, valueStart, valueEnd, typeof step === "string" ? step : String(step));
  return kind === VALUE_LIST ? findItem(bytes, valueStart, valueEnd, step) : "unusual";
}

function findEntry(bytes: Buffer, start: number, end: number, key: string): SearchResult {
  let found: SearchResult = "absent";
  for (let field = start, at = start; at < end; field = at) {
    const tag = readTag(bytes, at, end);
    at = tag === STRUCT_FIELDS ? readEnd(bytes, next, end) : skip(bytes, tag, next, end);
    const here = tag === STRUCT_FIELDS ? readEntry(bytes, next, at, key) : "absent";
    if (here === "absent") continue;
    found = here; // continues: the last of a repeated key wins
    entryStart = field;
    valueStart = here === "found" ? valueFrom : at;
    valueEnd = at;
  }
  return found;
}

/** Compares an entry's key with `key`; "absent" if they differ. After "found", the Value starts at `valueFrom`. */
function readEntry(bytes: Buffer, start: number, end: number, key: string): SearchResult {
  if (isUsualEntry(bytes, start, end)) return isKey(bytes, keyFrom, keyTo, key) ? "found" : "absent";
  return readEntryKey({ bytes, start, end }) === key ? "unusual" : "absent";
}

/** Finds the start of a field's entry, and its Value. For a missing field both are at the struct's end; an unusual entry has an empty Value. */
export function findField({ bytes, start, end }: Slice, key: string): { readonly at: number; readonly value: Slice } {
  if (findEntry(bytes, start, end, key) === "absent") return { at: end, value: { bytes, start: end, end } };
  return { at: entryStart, value: { bytes, start: valueStart, end: valueEnd } };
}

function findItem(bytes: Buffer, start: number, end: number, index: string | number): SearchResult {
  if (typeof index === "string") return "unusual"; // a list has no fields
  let at = start;
  for (let i = 0; at < end; i++) {
    if (readTag(bytes, at, end) !== LIST_VALUES) return "unusual";
    at = readEnd(bytes, next, end);
    if (i !== index) continue;
    valueStart = next;
    valueEnd = at;
    return "found";
  }
  return "absent";
}
