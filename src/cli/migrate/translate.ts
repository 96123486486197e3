import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";

/** An input of this function, and what could not be said in it or means something else. */
export interface Translated {
  readonly spec: JsonObject;
  readonly remarks: readonly string[];
}

/** Collects remarks while an input is translated; a field that nobody has taken is a remark as well. */
export class Reader {
  readonly remarks: string[] = [];

  /** The object's fields, of which all are known. */
  read(path: string, value: JsonValue | undefined, known: readonly string[]): JsonObject {
    const object = isObject(value) ? value : {};
    for (const key of Object.keys(object)) {
      if (!known.includes(key)) this.remarks.push(`${path}.${key}: not translated`);
    }
    return object;
  }
}

export const toList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** The fields that have a value. */
export const given = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

/** Labels to select by; theirs name the type of each, ours the source. */
export const toLabels = (reader: Reader, path: string, matchers: JsonValue | undefined): readonly JsonObject[] =>
  toList(matchers).map((matcher, index) => {
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

/** The resolution of a policy, which is one for all shared resources there. */
export const readResolution = (reader: Reader, policy: JsonValue | undefined): JsonValue | undefined =>
  reader.read("spec.policy", policy, ["resolution"])["resolution"] === "Optional" ? "Optional" : undefined;

/** A DNS label for a name; of those that are taken, the first that is not. */
export function toName(text: string, taken: Set<string>): string {
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
