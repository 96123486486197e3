import type { FieldPath } from "../model/field-path.ts";
import { type JsonValue, MAX_DEPTH } from "../model/json.ts";
import { keyFrom, keyTo, readUsualEntry, skipShortEntry, valueFrom, valueTo } from "./entry.ts";
import { LIST_VALUES, STRUCT_FIELDS, VALUE_LIST, VALUE_STRUCT } from "./fields.ts";
import { isKey, type Key, toKey } from "./key.ts";
import { readEntryKey } from "./message.ts";
import { next, readEnd, readTag, skip } from "./scan.ts";
import type { Bytes, Slice } from "./slice.ts";
import { readValue } from "./struct-reader.ts";

/**
 * Values of a Struct, found in its bytes: what is not on the path is stepped over, not decoded.
 *
 * Works on messages written in the one way that every encoder writes them. Whoever asks decodes the whole where a field on
 * the path is legal but unusual (an entry's fields swapped or repeated, a value given twice), so this file stays short.
 */

/** A struct or list in the bytes, and those in it that were entered: most lookups begin with the same few steps. */
export interface Container extends Slice {
  readonly is: "struct" | "list";
  /** The one that was entered last. They are few: a Map for each container takes longer. */
  entered: Entered | undefined;
}

/** A step that was taken, where it led, and the one before it. */
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

/** The result of a look-up that only decoding the whole Struct can answer. */
export const UNUSUAL: unique symbol = Symbol("unusual");

/** The value at `path`; undefined where there is none. */
export function lookUp(root: Container, path: FieldPath): JsonValue | undefined | typeof UNUSUAL {
  const container = follow(root, path);
  if (typeof container === "string") return container === "absent" ? undefined : UNUSUAL;
  const found = find(container, path[path.length - 1] as string | number);
  if (found !== "found") return found === "absent" ? undefined : UNUSUAL;
  return readValue(null, container.bytes, from, to, path.length);
}

/** Tells whether structs only, or nothing, are on the way to the field at `path`. */
export function canHold(root: Container, path: FieldPath): boolean {
  if (path.some((step) => typeof step === "number")) return false;
  const parent = follow(root, path);
  return parent === "absent" || (parent !== "unusual" && parent.is === "struct");
}

/** Enters the containers on the path, up to the one of its last step. */
function follow(root: Container, path: FieldPath): Container | "absent" | "unusual" {
  if (path.length === 0 || path.length > MAX_DEPTH) return "unusual";
  let container = root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const step = path[depth] as string | number;
    const inner = recall(container, step) ?? enter(container, step);
    if (typeof inner === "string") return inner;
    container = inner;
  }
  return container;
}

function recall({ entered }: Container, step: string | number): Entered["to"] | undefined {
  for (let one = entered; one !== undefined; one = one.before) if (one.step === step) return one.to;
  return undefined;
}

/** Enters one, and remembers it; items of a list are too many for that. */
function enter(container: Container, step: string | number): Entered["to"] {
  const to = open(container, step);
  if (container.is === "struct") container.entered = { step, to, before: container.entered };
  return to;
}

function open(container: Container, step: string | number): Entered["to"] {
  const found = find(container, step);
  if (found !== "found") return found;
  const { bytes } = container;
  if (from === to) return "unusual";
  const kind = readTag(bytes, from, to);
  if (kind !== VALUE_STRUCT && kind !== VALUE_LIST) return "unusual";
  if (readEnd(bytes, next, to) !== to) return "unusual";
  return { bytes, start: next, end: to, is: kind === VALUE_LIST ? "list" : "struct", entered: undefined };
}

type Found = "found" | "absent" | "unusual";

/** The range of the Value that was found last. */
let from = 0;
let to = 0;

const find = (container: Container, step: string | number): Found =>
  container.is === "list" ? findItem(container, step) : findField(container, toKey(String(step)));

/** The end of the entry that was read last. */
let after = 0;

function findField({ bytes, start, end }: Slice, key: Key): Found {
  let found: Found = "absent";
  for (let at = start; at < end; at = after) {
    after = skipShortEntry(bytes, at, end, STRUCT_FIELDS, key.length);
    if (after !== at) continue;
    const here = readEntry(bytes, at, end, key);
    if (here !== "absent") found = here; // and on: of a repeated key the last one wins
  }
  return found;
}

/** Reads the entry at `at`: "absent" if its key is another one. */
function readEntry(bytes: Bytes, at: number, end: number, key: Key): Found {
  if (readUsualEntry(bytes, at, end, STRUCT_FIELDS)) {
    after = valueTo;
    if (!isKey(bytes, keyFrom, keyTo, key)) return "absent";
    from = valueFrom;
    to = valueTo;
    return "found";
  }
  const tag = readTag(bytes, at, end);
  after = skip(bytes, tag, next, end);
  const isIt = tag === STRUCT_FIELDS && readEntryKey({ bytes, start: next, end: after }) === key.text;
  return isIt ? "unusual" : "absent";
}

function findItem({ bytes, start, end }: Slice, index: string | number): Found {
  if (typeof index === "string") return "unusual"; // a list has no such field, and none can be set in it
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
