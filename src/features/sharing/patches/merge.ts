import type { ToFieldPath } from "../../../input/patch.ts";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../../model/json.ts";
import { Blocked, type Edit } from "./edit.ts";
import { isList, toGoJson } from "./go-value.ts";

/** The way in which a new value is merged with one that is there already. */
interface Merging {
  /** New values replace old ones, those in objects included. */
  readonly isForced: boolean;
  /** New items are added to lists. */
  readonly isAppending: boolean;
}

const MERGING: Readonly<Record<ToFieldPath, Merging | undefined>> = {
  Replace: undefined,
  MergeObjects: { isForced: false, isAppending: false },
  MergeObject: { isForced: false, isAppending: false },
  MergeObjectsAppendArrays: { isForced: false, isAppending: true },
  ForceMergeObjects: { isForced: true, isAppending: false },
  ForceMergeObjectsAppendArrays: { isForced: true, isAppending: true },
  AppendArray: { isForced: true, isAppending: true },
};

/** The edit that a policy asks for. */
export function toEdit(value: JsonValue, policy: ToFieldPath): Edit {
  const merging = MERGING[policy];
  if (merging === undefined || value === null) return () => value;
  return (before) => {
    if (before === undefined || before === null) return value;
    const isAdded = merging.isAppending && isList(before) && isList(value);
    return merge(before, isAdded ? withoutThose(before, value) : value, merging);
  };
}

/** Items that are there already are not added once more. */
function withoutThose(before: readonly JsonValue[], items: readonly JsonValue[]): readonly JsonValue[] {
  const known = new Set(before.map(toGoJson));
  return items.filter((item) => !known.has(toGoJson(item)));
}

/** As mergo does, the library that Crossplane merges with: what is empty counts as not set. */
function merge(before: JsonValue | undefined, value: JsonValue, merging: Merging): JsonValue | undefined {
  if (value === null) return merging.isForced ? null : before;
  if (before === undefined || before === null) return value;
  if (isObject(value) && isObject(before)) return mergeObjects(before, value, merging);
  return mergePlain(before, value, merging);
}

function mergePlain(before: JsonValue, value: JsonValue, { isForced, isAppending }: Merging): JsonValue {
  if (isList(value) && isAppending) return append(before, value);
  return isForced || isEmpty(before) ? value : before;
}

function append(before: JsonValue, items: readonly JsonValue[]): readonly JsonValue[] {
  if (!isList(before)) throw new Blocked("a list cannot be added to something else");
  return [...before, ...items];
}

function mergeObjects(before: JsonObject, value: JsonObject, merging: Merging): JsonObject {
  const merged = new Map(Object.entries(before));
  for (const [key, field] of Object.entries(value)) {
    const result = merge(ownValue(before, key), field, merging);
    if (result !== undefined) merged.set(key, result);
  }
  return merged.size === 0 ? value : Object.fromEntries(merged);
}

const isEmpty = (value: JsonValue): boolean =>
  isObject(value) ? Object.keys(value).length === 0 : isList(value) ? value.length === 0 : !value;
