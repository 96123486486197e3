import type { Document } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import type { JsonValue } from "../../model/json.ts";

/**
 * Resources by the values at a path, numbers as numbers and all else as text, as function-extra-resources sorts them; where
 * the values are the same or missing, by namespace and name. Missing values come first.
 */
export function inOrder(resources: readonly Document[], path: FieldPath = []): readonly Document[] {
  const keyed = resources.map((resource) => ({ resource, keys: keysOf(resource, path) }));
  keyed.sort((a, b) => compare(a.keys, b.keys));
  return keyed.map(({ resource }) => resource);
}

type Key = string | number;

const keysOf = (resource: Document, path: FieldPath): readonly Key[] => [
  path.length === 0 ? "" : toKey(resource.at(path)),
  ...[
    ["metadata", "namespace"],
    ["metadata", "name"],
  ].map((identity) => toKey(resource.at(identity))),
];

function toKey(value: JsonValue | undefined): Key {
  if (typeof value === "number" || typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function compare(a: readonly Key[], b: readonly Key[]): number {
  for (const [index, key] of a.entries()) {
    const order = compareKeys(key, b[index] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

/** Numbers come after texts, so that what is missing ("") comes first. */
function compareKeys(a: Key, b: Key): number {
  if (typeof a !== typeof b) return typeof a === "string" ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
