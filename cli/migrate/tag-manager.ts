import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { given, OF_EVERY_INPUT, Reader, type Translated } from "./translate.ts";

/** Translates an input of function-tag-manager. */
export function fromTagManager(input: JsonObject): Translated {
  const reader = new Reader();
  const fields = [...OF_EVERY_INPUT, "addTags", "ignoreTags", "removeTags"];
  const { addTags, ignoreTags, removeTags } = reader.read("input", input, fields);
  const entriesOf = (name: string, list: JsonValue | undefined, translate: typeof toAdded): readonly JsonObject[] =>
    reader.readList(name, list).map((entry, index) => translate(reader, `${name}[${index}]`, entry));
  const tags = given({
    add: unlessEmpty(firstWins(entriesOf("addTags", addTags, toAdded))),
    preserve: unlessEmpty(replaceWins(entriesOf("ignoreTags", ignoreTags, toKeys))),
    remove: unlessEmpty(entriesOf("removeTags", removeTags, toKeys)),
    resources: RESOURCES,
  });
  return { spec: { tags }, remarks: reader.remarks };
}

/** The API groups of the kinds that it knows; what other clouds would refuse as a label must not stop the whole XR. */
const RESOURCES: readonly JsonObject[] = ["aws", "aws.m", "azure", "azure.m"].map((cloud) => ({
  apiGroup: `*${cloud}.upbound.io`,
}));

const unlessEmpty = (entries: readonly JsonObject[]): readonly JsonObject[] | undefined =>
  entries.length === 0 ? undefined : entries;

const isRetained = ({ policy }: JsonObject): boolean => policy === "Retain";

/** Reverses the entries: of several with one key function-tag-manager takes the first, this function the last. */
const firstWins = (add: readonly JsonObject[]): readonly JsonObject[] => [
  ...add.filter((entry) => !isRetained(entry)).reverse(),
  ...add.filter(isRetained),
];

/** Of several with one key this function takes the first, function-tag-manager the first with Replace. */
const replaceWins = (preserve: readonly JsonObject[]): readonly JsonObject[] => [
  ...preserve.filter((entry) => !isRetained(entry)),
  ...preserve.filter(isRetained),
];

function toAdded(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "tags", "policy"]);
  const optional = isFromField(entry) ? true : undefined;
  return given({ ...toSource(entry, entry["tags"] ?? {}), policy: readPolicy(entry), optional });
}

function toKeys(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "keys", "policy"]);
  return given({ ...toSource(entry, entry["keys"]), match: "Exact", policy: readPolicy(entry) });
}

/** Without a type, every policy is Replace (function-tag-manager v0.8.0 input/v1beta1/input.go, GetPolicy). */
const readPolicy = ({ type, policy }: JsonObject): JsonValue | undefined => (type === undefined ? undefined : policy);

const isFromField = ({ type }: JsonObject): boolean =>
  type === "FromCompositeFieldPath" || type === "FromEnvironmentFieldPath";

function toSource(entry: JsonObject, literal: JsonValue | undefined): JsonObject {
  if (entry["type"] === "FromCompositeFieldPath") return given({ fromCompositeFieldPath: entry["fromFieldPath"] });
  if (entry["type"] === "FromEnvironmentFieldPath") return given({ fromEnvironmentFieldPath: entry["fromFieldPath"] });
  return given({ value: literal });
}
