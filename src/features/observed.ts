import type { Document } from "../model/document.ts";
import { type FieldPath, withValueAt } from "../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue } from "../model/json.ts";

/**
 * Picks fields of an observed resource that are to be desired as they are. Labels and annotations that Crossplane sets itself
 * are left out.
 */
export const pick = (observed: Document, paths: readonly FieldPath[]): JsonObject =>
  paths.reduce<JsonObject>((object, path) => {
    const value = withoutCrossplanes(path, observed.at(path));
    return value === undefined ? object : withValueAt(object, path, value);
  }, {});

function withoutCrossplanes([root, field]: FieldPath, value: JsonValue | undefined): JsonValue | undefined {
  if (root !== "metadata" || (field !== "labels" && field !== "annotations") || !isObject(value)) return value;
  const others = Object.entries(value).filter(([key]) => !key.startsWith("crossplane.io/"));
  return others.length === 0 ? undefined : Object.fromEntries(others);
}
