import type { JsonObject, JsonValue } from "../../model/json.ts";
import { given, Reader, type Translated, toList } from "./translate.ts";

/** Translates an input of function-tag-manager. */
export function fromTagManager(input: JsonObject): Translated {
  const reader = new Reader();
  const fields = ["apiVersion", "kind", "metadata", "addTags", "ignoreTags", "removeTags"];
  const { addTags, ignoreTags, removeTags } = reader.read("input", input, fields);
  const add = toList(addTags).map((entry, index) => toAdded(reader, `addTags[${index}]`, entry));
  const tags = given({
    add: firstWins(add),
    preserve:
      ignoreTags && (toList(ignoreTags).map((entry, at) => toKeys(reader, `ignoreTags[${at}]`, entry)) as JsonValue),
    remove:
      removeTags && (toList(removeTags).map((entry, at) => toKeys(reader, `removeTags[${at}]`, entry)) as JsonValue),
  });
  return { spec: { tags }, remarks: reader.remarks };
}

/** Reverses the entries: of several with one key function-tag-manager takes the first, this function the last. */
const firstWins = (add: readonly JsonObject[]): readonly JsonObject[] | undefined =>
  add.length === 0
    ? undefined
    : [
        ...add.filter(({ policy }) => policy !== "Retain").reverse(),
        ...add.filter(({ policy }) => policy === "Retain"),
      ];

function toAdded(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "tags", "policy"]);
  const optional = isFromField(entry) ? true : undefined;
  return given({ ...toSource(entry, entry["tags"]), policy: entry["policy"], optional });
}

function toKeys(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "keys", "policy"]);
  return given({ ...toSource(entry, entry["keys"]), match: "Exact", policy: entry["policy"] });
}

const isFromField = ({ type }: JsonObject): boolean =>
  type === "FromCompositeFieldPath" || type === "FromEnvironmentFieldPath";

function toSource(entry: JsonObject, literal: JsonValue | undefined): JsonObject {
  if (entry["type"] === "FromCompositeFieldPath") return given({ fromCompositeFieldPath: entry["fromFieldPath"] });
  if (entry["type"] === "FromEnvironmentFieldPath") return given({ fromEnvironmentFieldPath: entry["fromFieldPath"] });
  return given({ value: literal });
}
