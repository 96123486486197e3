import type { Document } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";

/**
 * Sorts resources by the values at a path, texts before numbers, as function-extra-resources does; where the values are the
 * same, by namespace and name. Missing values come last: a resource that lacks the field must not come before those that
 * have it.
 */
export function sortBy(resources: readonly Document[], path: FieldPath = []): readonly Document[] {
  const keyed = resources.map((resource) => ({ resource, keys: toKeys(resource, path) }));
  keyed.sort((a, b) => compare(a.keys, b.keys));
  return keyed.map(({ resource }) => resource);
}

type Key = string | number | undefined;

const toKeys = (resource: Document, path: FieldPath): readonly Key[] => [
  path.length === 0 ? "" : toKey(resource.at(path)),
  toKey(resource.at(["metadata", "namespace"])) ?? "",
  toKey(resource.at(["metadata", "name"])) ?? "",
];

function toKey(value: JsonValue | undefined): Key {
  if (typeof value === "number" || typeof value === "string") return value === "" ? undefined : value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function compare(a: readonly Key[], b: readonly Key[]): number {
  for (const [index, key] of a.entries()) {
    const order = compareKeys(key, b[index]);
    if (order !== 0) return order;
  }
  return 0;
}

const RANKS = ["string", "number", "undefined"];

function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return RANKS.indexOf(typeof a) - RANKS.indexOf(typeof b);
  if (a === undefined || b === undefined || a === b) return 0;
  return a < b ? -1 : 1;
}
