import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";

/** An input of this function, and remarks on fields that were not translated or have another meaning. */
export interface Translated {
  readonly spec: JsonObject;
  readonly remarks: readonly string[];
}

/** Collects remarks while an input is translated, one for each unknown field. */
export class Reader {
  readonly remarks: string[] = [];

  /** Reads an object's fields, and remarks on those that are not in `known`. What is not set has none. */
  read(path: string, value: JsonValue | undefined, known: readonly string[]): JsonObject {
    if (!isObject(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no object`);
    const object = isObject(value) ? value : {};
    for (const key of Object.keys(object)) {
      if (!known.includes(key)) this.remarks.push(`${path}.${key}: not translated`);
    }
    return object;
  }

  /** Reads the items of a list. What is not set has none. */
  readList(path: string, value: JsonValue | undefined): readonly JsonValue[] {
    if (!Array.isArray(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no list`);
    return Array.isArray(value) ? value : [];
  }
}

/** The fields of every input. */
export const OF_EVERY_INPUT = ["apiVersion", "kind", "metadata"] as const;

const isUnset = (value: JsonValue | undefined): boolean => value === undefined || value === null;

/** Drops the fields without a value. */
export const given = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

/** Translates label matchers: other functions name the type of each, this one the source. */
const toLabels = (reader: Reader, path: string, matchers: JsonValue | undefined): readonly JsonObject[] =>
  reader.readList(path, matchers).map((matcher, index) => {
    const known = ["type", "key", "value", "valueFromFieldPath", "fromFieldPathPolicy"];
    const label = reader.read(`${path}[${index}]`, matcher, known);
    const isValue = label["type"] === "Value";
    return given({
      key: label["key"],
      value: isValue ? label["value"] : undefined,
      fromCompositeFieldPath: isValue ? undefined : label["valueFromFieldPath"],
      optional: label["fromFieldPathPolicy"] === "Optional" ? true : undefined,
    });
  });

/** The fields of a selector in both functions. */
export const SELECTOR = ["minMatch", "maxMatch", "sortByFieldPath", "matchLabels"] as const;

/** No effective limit, the default of both functions: Crossplane returns fewer. */
const NO_LIMIT = 100_000;

/** Translates a selector of several resources. */
export const toSelect = (reader: Reader, path: string, selector: JsonObject) => ({
  matchLabels: toLabels(reader, `${path}.matchLabels`, selector["matchLabels"]) as JsonValue,
  minMatch: selector["minMatch"] ?? 0,
  maxMatch: selector["maxMatch"] ?? NO_LIMIT,
  sortByFieldPath: selector["sortByFieldPath"] ?? "metadata.name",
});

/** Translates a reference by name. */
export const toReference = (reader: Reader, path: string, ref: JsonValue | undefined) => ({
  name: given({ value: reader.read(`${path}.ref`, ref, ["name"])["name"] }),
});

/** Reads the resolution of a policy, which there holds for all references: a missing selection is a Fatal result. */
export const readResolution = (reader: Reader, policy: JsonValue | undefined): "Optional" | "Fail" =>
  reader.read("spec.policy", policy, ["resolution"])["resolution"] === "Optional" ? "Optional" : "Fail";

/** Makes a DNS label of a text, with a number if the label is taken already. */
export function toDnsLabel(text: string, taken: Set<string>): string {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  const base =
    words
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 50) || "shared";
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`;
  taken.add(name);
  return name;
}
