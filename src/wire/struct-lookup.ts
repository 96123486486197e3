import type { FieldPath } from "../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../model/json.ts";
import { LIST_VALUES, STRUCT_FIELDS, VALUE_LIST, VALUE_STRUCT } from "./fields.ts";
import { isUsualEntry, keyFrom, keyTo, readEntryKey, valueFrom } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import type { Slice } from "./slice.ts";
import { readValue } from "./struct-reader.ts";
import { isKey } from "./text.ts";

/**
 * Finds values of a Struct in its bytes, skipping all fields that are not on the path.
 *
 * Supports the one encoding that all encoders write. For a field on the path in another valid encoding (an entry's fields swapped or
 * repeated, a value given twice) the caller decodes the whole Struct.
 */

/** A struct or list in the bytes. */
interface Container extends Slice {
  readonly is: "struct" | "list";
}

/** The result of a lookup that needs the whole Struct decoded. */
export const UNUSUAL: unique symbol = Symbol("unusual");

export function lookUpValue(root: Slice, path: FieldPath): JsonValue | undefined | typeof UNUSUAL {
  const container = follow(root, path);
  if (typeof container === "string") return container === "absent" ? undefined : UNUSUAL;
  const found = findStep(container, path[path.length - 1] as string | number);
  if (found !== "found") return found === "absent" ? undefined : UNUSUAL;
  return readValue(null, container.bytes, from, to, path.length);
}

/** Tells whether the path to a field leads through structs only, or ends before it. */
export function canHold(root: Slice, path: FieldPath): boolean {
  if (path.some((step) => typeof step === "number")) return false;
  const parent = follow(root, path);
  return parent === "absent" || (parent !== "unusual" && parent.is === "struct");
}

/** Enters the containers on the path, up to the one with the last step. */
function follow({ bytes, start, end }: Slice, path: FieldPath): Container | "absent" | "unusual" {
  if (path.length === 0 || path.length > MAX_DEPTH) return "unusual";
  let container: Container = { bytes, start, end, is: "struct" };
  for (const step of path.slice(0, -1)) {
    const inner = enter(container, step);
    if (typeof inner === "string") return inner;
    container = inner;
  }
  return container;
}

function enter(container: Container, step: string | number): Container | "absent" | "unusual" {
  const found = findStep(container, step);
  if (found !== "found") return found;
  const { bytes } = container;
  if (from === to) return "unusual";
  const kind = readTag(bytes, from, to);
  if (kind !== VALUE_STRUCT && kind !== VALUE_LIST) return "unusual";
  if (readEnd(bytes, next, to) !== to) return "unusual";
  return { bytes, start: next, end: to, is: kind === VALUE_LIST ? "list" : "struct" };
}

type SearchResult = "found" | "absent" | "unusual";

/** The start of the entry or item that was found last, and the range of its Value, with which it ends. */
let foundAt = 0;
let from = 0;
let to = 0;

const findStep = (container: Container, step: string | number): SearchResult =>
  container.is === "list" ? findItem(container, step) : findEntry(container, String(step));

function findEntry({ bytes, start, end }: Slice, key: string): SearchResult {
  let found: SearchResult = "absent";
  for (let field = start, at = start; at < end; field = at) {
    const tag = readTag(bytes, at, end);
    at = skip(bytes, tag, next, end);
    const here = tag === STRUCT_FIELDS ? readEntry(bytes, next, at, key) : "absent";
    if (here === "absent") continue;
    found = here; // continues: the last of a repeated key wins
    foundAt = field;
    from = here === "found" ? valueFrom : at;
    to = at;
  }
  return found;
}

/** Reads an entry: "absent" if it has another key. */
function readEntry(bytes: Buffer, start: number, end: number, key: string): SearchResult {
  if (isUsualEntry(bytes, start, end)) return isKey(bytes, keyFrom, keyTo, key) ? "found" : "absent";
  return readEntryKey({ bytes, start, end }) === key ? "unusual" : "absent";
}

/** Finds the start of a field's entry, and its Value; of a missing one, the end of the struct. The Value of an unusual entry is left out. */
export function findField(struct: Slice, key: string): { readonly at: number; readonly value: Slice } {
  const { bytes, end } = struct;
  if (findEntry(struct, key) === "absent") return { at: end, value: { bytes, start: end, end } };
  return { at: foundAt, value: { bytes, start: from, end: to } };
}

function findItem({ bytes, start, end }: Slice, index: string | number): SearchResult {
  if (typeof index === "string") return "unusual"; // a list has no fields
  let at = start;
  for (let i = 0; at < end; i++) {
    if (readTag(bytes, at, end) !== LIST_VALUES) return "unusual";
    at = readEnd(bytes, next, end);
    if (i !== index) continue;
    from = next;
    to = at;
    return "found";
  }
  return "absent";
}
