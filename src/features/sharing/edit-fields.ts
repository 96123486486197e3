import { FunctionError } from "../../errors.ts";
import type { ToFieldPath } from "../../input/patch.ts";
import { compareEntries } from "../../model/collections.ts";
import { EVERY, type FieldPath, formatFieldPath, valueAt, withValueAt } from "../../model/field-path.ts";
import { isList, isObject, type JsonObject, type JsonValue, ownValue } from "../../model/json.ts";

/** Makes a field's new value of the one that it has, if any. The path has an index or key in place of each `[*]`. */
export type Edit = (before: JsonValue | undefined, path: FieldPath) => JsonValue;

export type Edited =
  | { readonly is: "edited"; readonly object: JsonObject }
  | { readonly is: "failed"; readonly fault: string };

/** Edits the field at a path, or each field at a path with `[*]`: these have to exist. */
export function editAt(object: JsonObject, path: FieldPath, edit: Edit): Edited {
  try {
    if (!path.includes(EVERY)) {
      return { is: "edited", object: withValueAt(object, path, edit(valueAt(object, path), path)) };
    }
    let edits = 0;
    const edited = editEach(object, path, [], (before, at) => {
      edits++;
      return edit(before, at);
    });
    if (edits === 0 || !isObject(edited)) return cannotSet(path, "nothing is there");
    return { is: "edited", object: edited };
  } catch (error) {
    if (error instanceof Refused) return cannotSet(path, error.message);
    if (error instanceof FunctionError) return { is: "failed", fault: error.message };
    throw error;
  }
}

/** Thrown for a value that cannot be set: other teams write values, and must not stop this XR. */
class Refused extends Error {}

export const cannotSet = (path: FieldPath, why: string): Edited => ({
  is: "failed",
  fault: `cannot set ${formatFieldPath(path)}: ${why}`,
});

/** @param at the steps of the path so far, with an index or key in place of each `[*]` */
function editEach(value: JsonValue, path: FieldPath, at: FieldPath, edit: Edit): JsonValue {
  const step = path[at.length];
  if (step === undefined) return edit(value, at);
  const editOne = (item: JsonValue, key: string | number): JsonValue =>
    step === EVERY || step === key ? editEach(item, path, [...at, key], edit) : item;
  if (isList(value)) return value.map(editOne);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, editOne(item, key)]));
}

/** The bytes of JSON that the patches of one shared resource still may set. */
export interface Room {
  left: number;
}

/**
 * A response has 4 MiB, which other steps share, and the owner of a field does not decide how often it is set: in several places,
 * and with `[*]` in as many as another team writes.
 */
const MAX_BYTES = 512 * 1024;

export const newRoom = (): Room => ({ left: MAX_BYTES });

/** The edit that sets or merges a value, as often as there is room for it. */
export function setting(value: JsonValue, policy: ToFieldPath, room: Room): Edit {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return (before) => {
    if (bytes > room.left) throw new Refused(`the value has ${bytes} bytes; at most ${MAX_BYTES} are set in all`);
    room.left -= bytes;
    return combine(before, value, policy);
  };
}

/**
 * The edit that keeps the value that a resource has, in place of one that is not available now. What other patches or earlier steps
 * merge with it goes on.
 */
export const keeping = (value: JsonValue, policy: ToFieldPath): ((before: JsonValue | undefined) => JsonValue) => {
  const merging = MERGING[policy];
  return (before) => (merging === undefined ? value : merge(before, value, { ...merging, isKept: true }));
};

/** The way in which a new value is merged with the one that is there. */
interface Merging {
  /** New values replace old ones, those in objects included. */
  readonly isForced: boolean;
  /** New items are added to lists. */
  readonly isAppending: boolean;
  /** The value is an earlier result of the same merge, so that the lists in it have the items that are there already. */
  readonly isKept?: boolean;
}

const MERGING: Readonly<Record<ToFieldPath, Merging | undefined>> = {
  Replace: undefined,
  MergeObjects: { isForced: false, isAppending: false },
  MergeObjectsAppendArrays: { isForced: false, isAppending: true },
  ForceMergeObjects: { isForced: true, isAppending: false },
  ForceMergeObjectsAppendArrays: { isForced: true, isAppending: true },
};

function combine(before: JsonValue | undefined, value: JsonValue, policy: ToFieldPath): JsonValue {
  const merging = MERGING[policy];
  if (merging === undefined || value === null) return value;
  const isAdded = merging.isAppending && isList(before) && isList(value);
  return merge(before, isAdded ? withoutThose(before, value) : value, merging);
}

/** Items that are there already are not added once more. */
function withoutThose(before: readonly JsonValue[], items: readonly JsonValue[]): readonly JsonValue[] {
  const known = new Set(before.map(toSortedJson));
  return items.filter((item) => !known.has(toSortedJson(item)));
}

const toSortedJson = (value: JsonValue): string =>
  JSON.stringify(value, (_, nested: JsonValue) =>
    isObject(nested) ? Object.fromEntries(Object.entries(nested).sort(compareEntries)) : nested,
  );

/** Tells whether two values are equal, whatever the order of their keys. */
export const isSame = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : toSortedJson(a) === toSortedJson(b);

/** Merges as Crossplane does: what is empty counts as not set. */
function merge(before: JsonValue | undefined, value: JsonValue, merging: Merging): JsonValue {
  if (before === undefined || isEmpty(before)) return value;
  if (isObject(before) && isObject(value)) return mergeObjects(before, value, merging);
  if (!merging.isAppending || !isList(value)) return merging.isForced ? value : before;
  if (!isList(before)) throw new Refused("a list cannot be added to something else");
  return [...before, ...(merging.isKept ? withoutAsMany(before, value) : value)];
}

/** Leaves out each item as often as it is there already. */
function withoutAsMany(before: readonly JsonValue[], items: readonly JsonValue[]): readonly JsonValue[] {
  const counts = new Map<string, number>();
  for (const item of before.map(toSortedJson)) counts.set(item, (counts.get(item) ?? 0) + 1);
  return items.filter((item) => {
    const key = toSortedJson(item);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

function mergeObjects(before: JsonObject, value: JsonObject, merging: Merging): JsonObject {
  const merged = Object.entries(value).map(([key, field]) => [key, merge(ownValue(before, key), field, merging)]);
  return { ...before, ...Object.fromEntries(merged) };
}

export const isEmpty = (value: JsonValue | undefined): boolean =>
  isObject(value) ? Object.keys(value).length === 0 : isList(value) ? value.length === 0 : !value;
