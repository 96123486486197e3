import { EVERY, type FieldPath, formatFieldPath } from "../../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, withKey } from "../../../model/json.ts";
import { isList } from "./go-value.ts";

/** Makes a value of the one that is there, at the path where it is; undefined where there is none. */
export type Edit = (before: JsonValue | undefined, path: FieldPath) => JsonValue | undefined;

export type Edited =
  | { readonly is: "edited"; readonly object: JsonObject }
  | { readonly is: "failed"; readonly fault: string };

/** Thrown on the way down, caught at the top: values come from other teams and must not stop this XR. */
export class Blocked extends Error {}

/**
 * Edits the fields at a path, as crossplane-runtime's fieldpath does. Objects and lists on the way are made, and lists filled
 * up with null; but `[*]` stands for what is there already, all the way down.
 */
export function editAt(object: JsonObject, path: FieldPath, edit: Edit): Edited {
  const way = { path, edit, edits: 0, isOverNull: false };
  try {
    const edited = path.includes(EVERY) ? editEach(object, [], way) : editOne(object, 0, way);
    if (way.edits === 0 && !way.isOverNull) throw new Blocked("nothing is there");
    return isObject(edited) ? { is: "edited", object: edited } : { is: "edited", object };
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    return cannotSet(path, error.message);
  }
}

export const cannotSet = (path: FieldPath, why: string): Edited => ({
  is: "failed",
  fault: `cannot set ${formatFieldPath(path)}: ${why}`,
});

/** The bytes of JSON that the patches of one shared resource still may set. */
export interface Room {
  left: number;
}

/**
 * A response has 4 MiB, which other steps share, and whoever writes a field does not say how often it is set: in several places,
 * and with `[*]` in as many as another team writes.
 */
const MAX_BYTES = 512 * 1024;

export const newRoom = (): Room => ({ left: MAX_BYTES });

/** The edit that sets or merges a value, as often as there is room for it. */
export function limited(edit: Edit, value: JsonValue, room: Room): Edit {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return (before, at) => {
    if (bytes > room.left) throw new Blocked(`the value has ${bytes} bytes; at most ${MAX_BYTES} are set in all`);
    room.left -= bytes;
    return edit(before, at);
  };
}

interface Way {
  readonly path: FieldPath;
  readonly edit: Edit;
  edits: number;
  /** A `[*]` was over null, which is no error. */
  isOverNull: boolean;
}

const BLOCKED = "something else is on the way";
/** A list is not filled up beyond this index. */
const MAX_INDEX = 1024;

/** A field that is null is in the way; an item that is null is not. */
function editOne(parent: JsonValue | undefined, depth: number, way: Way): JsonValue {
  const step = way.path[depth];
  if (step === undefined) return editHere(parent, way.path, way);
  if (typeof step === "number") return editItem(parent ?? [], parent === null, step, depth, way);
  if (parent !== undefined && !isObject(parent)) throw new Blocked(BLOCKED);
  const before = parent ?? {};
  return withKey(before, step, editOne(ownValue(before, step), depth + 1, way));
}

function editItem(list: JsonValue, isNull: boolean, index: number, depth: number, way: Way): JsonValue {
  if (!isList(list) || isNull) throw new Blocked(BLOCKED);
  if (index >= list.length && index > MAX_INDEX) throw new Blocked(`the index ${index} is greater than ${MAX_INDEX}`);
  const filled: JsonValue[] = [...list];
  while (filled.length <= index) filled.push(null);
  const isLast = depth + 1 === way.path.length;
  filled[index] = editOne(isLast ? filled[index] : (filled[index] ?? undefined), depth + 1, way);
  return filled;
}

function editHere(before: JsonValue | undefined, at: FieldPath, way: Way): JsonValue {
  way.edits++;
  const edited = way.edit(before, at);
  return edited === undefined ? (before ?? null) : edited;
}

function editEach(value: JsonValue, at: FieldPath, way: Way): JsonValue {
  const step = way.path[at.length];
  if (step === undefined) return editHere(value, at, way);
  if (value === null) {
    way.isOverNull ||= step === EVERY;
    return value;
  }
  if (isList(value) && (step === EVERY || typeof step === "number")) {
    return value.map((item, index) => (isMeant(step, index) ? editEach(item, [...at, index], way) : item));
  }
  if (!isObject(value) || typeof step === "number") throw new Blocked(BLOCKED);
  const fields = Object.entries(value).map(
    ([key, field]) => [key, isMeant(step, key) ? editEach(field, [...at, key], way) : field] as const,
  );
  return Object.fromEntries(fields);
}

const isMeant = (step: string | number, key: string | number): boolean => step === EVERY || step === key;
