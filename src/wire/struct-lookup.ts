import { type FieldPath, valueAt } from "../model/field-path.ts";
import type { JsonValue } from "../model/json.ts";
import { keyFrom, keyTo, readUsualEntry, valueFrom, valueTo } from "./entry.ts";
import { LIST_VALUES, STRUCT_FIELDS, VALUE_LIST, VALUE_STRUCT } from "./fields.ts";
import { next, readEnd, readTag } from "./scan.ts";
import type { Slice } from "./slice.ts";
import { MAX_DEPTH, readStruct, readValue } from "./struct-reader.ts";
import { isText } from "./text.ts";

/**
 * One value of a Struct, found in its bytes: what is not on the path is stepped over, not decoded.
 *
 * Works on messages written in the one way that every encoder writes them. Whatever is legal but unusual (an entry's
 * fields swapped, repeated or unknown) is decoded whole instead: the answer is the same, and this file stays short.
 */
export function lookUp(struct: Slice, path: FieldPath): JsonValue | undefined {
  const { bytes, start, end } = struct;
  if (path.length === 0) return readStruct(bytes, start, end);
  from = start;
  to = end;
  const found = path.length > MAX_DEPTH ? "unusual" : walk(bytes, path);
  if (found === "unusual") return valueAt(readStruct(bytes, start, end), path);
  return found === "absent" ? undefined : readValue(null, bytes, from, to, path.length);
}

/** Follows the path, step by step, from a container's content to a Value. */
function walk(bytes: Buffer, path: FieldPath, depth = 0, container: "struct" | "list" = "struct"): Found {
  const step = path[depth] as string | number;
  const found = container === "list" ? findItem(bytes, step) : findField(bytes, String(step));
  if (found !== "found" || depth === path.length - 1) return found;

  const entered = enter(bytes);
  return entered === "unusual" ? entered : walk(bytes, path, depth + 1, entered);
}

type Found = "found" | "absent" | "unusual";

/** The range of what the path has led to so far: a container's content before a step, a Value after it. */
let from = 0;
let to = 0;

function findField(bytes: Buffer, key: string): Found {
  let valueStart = -1;
  let valueEnd = -1;
  for (let at = from; at < to; at = valueTo) {
    if (!readUsualEntry(bytes, at, to, STRUCT_FIELDS)) return "unusual";
    if (!isText(bytes, keyFrom, keyTo, key)) continue;
    valueStart = valueFrom; // and on: of a repeated key the last one wins
    valueEnd = valueTo;
  }
  if (valueStart === -1) return "absent";
  from = valueStart;
  to = valueEnd;
  return "found";
}

function findItem(bytes: Buffer, index: string | number): Found {
  let at = from;
  for (let i = 0; at < to; i++) {
    if (readTag(bytes, at, to) !== LIST_VALUES) return "unusual";
    at = readEnd(bytes, next, to);
    if (i !== index) continue;
    from = next;
    to = at;
    return "found";
  }
  return "absent";
}

/** From a Value into the struct or list that it holds. */
function enter(bytes: Buffer): "struct" | "list" | "unusual" {
  if (from === to) return "unusual";
  const kind = readTag(bytes, from, to);
  if (kind !== VALUE_STRUCT && kind !== VALUE_LIST) return "unusual";
  if (readEnd(bytes, next, to) !== to) return "unusual";
  from = next;
  return kind === VALUE_LIST ? "list" : "struct";
}
