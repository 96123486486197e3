import type { FieldPath } from "../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../model/json.ts";
import { keyFrom, keyTo, readUsualEntry, skipShortEntry, valueFrom, valueTo } from "./entry.ts";
import { LIST_VALUES, STRUCT_FIELDS, VALUE_LIST, VALUE_STRUCT } from "./fields.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import type { Bytes, Slice } from "./slice.ts";
import { readValue } from "./struct-reader.ts";
import { encodeKey, isKey, type Key } from "./text.ts";

/**
 * Finds values of a Struct in its bytes, skipping all fields that are not on the path.
 *
 * Supports the one encoding that all encoders write. For a field on the path in another valid encoding (an entry's fields swapped or
 * repeated, a value given twice) the caller decodes the whole Struct.
 */

/** A struct or list in the bytes, which caches its entered containers: most lookups start with the same few steps. */
export interface Container extends Slice {
  readonly is: "struct" | "list";
  /** The last entered container. They are few: a Map per container would be slower. */
  entered: Entered | undefined;
}

/** A step that was taken, its result, and the step before it. */
interface Entered {
  readonly step: string | number;
  readonly to: Container | "absent" | "unusual";
  readonly before: Entered | undefined;
}

export const toContainer = ({ bytes, start, end }: Slice): Container => ({
  bytes,
  start,
  end,
  is: "struct",
  entered: undefined,
});

/** The result of a lookup that needs the whole Struct decoded. */
export const UNUSUAL: unique symbol = Symbol("unusual");

export function lookUpValue(root: Container, path: FieldPath): JsonValue | undefined | typeof UNUSUAL {
  const container = follow(root, path);
  if (typeof container === "string") return container === "absent" ? undefined : UNUSUAL;
  const found = findStep(container, path[path.length - 1] as string | number);
  if (found !== "found") return found === "absent" ? undefined : UNUSUAL;
  return readValue(null, container.bytes, from, to, path.length);
}

/** Tells whether the path to a field leads through structs only, or ends before it. */
export function canHold(root: Container, path: FieldPath): boolean {
  if (path.some((step) => typeof step === "number")) return false;
  const parent = follow(root, path);
  return parent === "absent" || (parent !== "unusual" && parent.is === "struct");
}

/** Enters the containers on the path, up to the one with the last step. */
function follow(root: Container, path: FieldPath): Container | "absent" | "unusual" {
  if (path.length === 0 || path.length > MAX_DEPTH) return "unusual";
  let container = root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const step = path[depth] as string | number;
    const inner = enter(container, step);
    if (typeof inner === "string") return inner;
    container = inner;
  }
  return container;
}

/** Enters a container and caches it; items of a list are too many to cache. */
function enter(container: Container, step: string | number): Entered["to"] {
  for (let one = container.entered; one !== undefined; one = one.before) if (one.step === step) return one.to;
  const to = open(container, step);
  if (container.is === "struct") container.entered = { step, to, before: container.entered };
  return to;
}

function open(container: Container, step: string | number): Entered["to"] {
  const found = findStep(container, step);
  if (found !== "found") return found;
  const { bytes } = container;
  if (from === to) return "unusual";
  const kind = readTag(bytes, from, to);
  if (kind !== VALUE_STRUCT && kind !== VALUE_LIST) return "unusual";
  if (readEnd(bytes, next, to) !== to) return "unusual";
  return { bytes, start: next, end: to, is: kind === VALUE_LIST ? "list" : "struct", entered: undefined };
}

type SearchResult = "found" | "absent" | "unusual";

/** The start of the entry or item that was found last, and the range of its Value, with which it ends. */
let foundAt = 0;
let from = 0;
let to = 0;

const findStep = (container: Container, step: string | number): SearchResult =>
  container.is === "list" ? findItem(container, step) : findEntry(container, encodeKey(String(step)));

/** The end of the last entry that was read. */
let after = 0;

function findEntry({ bytes, start, end }: Slice, key: Key): SearchResult {
  let found: SearchResult = "absent";
  for (let at = start; at < end; at = after) {
    after = skipShortEntry(bytes, at, end, STRUCT_FIELDS, key.bytes.length);
    if (after !== at) continue;
    const here = readEntry(bytes, at, end, key);
    if (here === "absent") continue;
    found = here; // continues: the last of a repeated key wins
    foundAt = at;
  }
  return found;
}

/** Finds the start of a field's entry, and its Value; of a missing one, the end of the struct. The Value of an unusual entry is left out. */
export function findField(struct: Slice, key: string): { readonly at: number; readonly value: Slice } {
  const { bytes, end } = struct;
  if (findEntry(struct, encodeKey(key)) === "absent") return { at: end, value: { bytes, start: end, end } };
  return { at: foundAt, value: { bytes, start: from, end: to } };
}

/** Reads the entry at `at`: "absent" if it has another key. */
function readEntry(bytes: Bytes, at: number, end: number, key: Key): SearchResult {
  if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
    after = valueTo;
    if (!isKey(bytes, keyFrom, keyTo, key)) return "absent";
    from = valueFrom;
    to = valueTo;
    return "found";
  }
  const tag = readTag(bytes, at, end);
  after = skip(bytes, tag, next, end);
  if (tag !== STRUCT_FIELDS || readEntryKey({ bytes, start: next, end: after }) !== key.text) return "absent";
  from = after;
  to = after;
  return "unusual";
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
