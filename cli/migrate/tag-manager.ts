import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { given, type Reader, type Translate } from "./translate.ts";

type ToEntries = (reader: Reader, path: string, entry: JsonValue) => JsonObject | readonly JsonObject[];

/** Translates an input of function-tag-manager. */
export const fromTagManager: Translate = (reader, input) => {
  const fields = reader.readInput(input, ["addTags", "ignoreTags", "removeTags"]);
  const entriesOf = (name: string, toEntries: ToEntries): readonly JsonObject[] =>
    reader.readList(name, fields[name]).flatMap((entry, index) => toEntries(reader, `${name}[${index}]`, entry));
  const tags = given({
    add: unlessEmpty(firstWins(entriesOf("addTags", toAdded))),
    preserve: unlessEmpty(replaceWins(entriesOf("ignoreTags", toKeys))),
    remove: unlessEmpty(entriesOf("removeTags", toKeys)),
    resources: RESOURCES,
  });
  return { tags };
};

/** The API groups of the kinds that it tags. A tag that another cloud would refuse as a label must not stop the whole XR. */
const RESOURCES = ["aws", "aws.m", "azure", "azure.m"].map((cloud) => ({ apiGroup: `*${cloud}.upbound.io` }));

const unlessEmpty = (entries: readonly JsonObject[]): readonly JsonObject[] | undefined =>
  entries.length === 0 ? undefined : entries;

const isRetained = ({ onExisting }: JsonObject): boolean => onExisting === "Retain";

/** Reverses the entries: of several with one key function-tag-manager takes the first, this function the last. */
const firstWins = (add: readonly JsonObject[]): readonly JsonObject[] => [
  ...add.filter((entry) => !isRetained(entry)).reverse(),
  ...add.filter(isRetained),
];

/** Of several with one key this function takes the first, function-tag-manager the first with Replace. */
const replaceWins = (preserve: readonly JsonObject[]): readonly JsonObject[] =>
  preserve.toSorted((a, b) => Number(isRetained(a)) - Number(isRetained(b)));

function toAdded(reader: Reader, path: string, value: JsonValue): readonly JsonObject[] {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "tags", "policy"]);
  const onExisting = readPolicy(entry);
  const source = toSource(entry);
  if (source !== undefined) return [given({ value: { ...source, optional: true }, onExisting })];
  const tags = reader.read(`${path}.tags`, entry["tags"], Object.keys(isObject(entry["tags"]) ? entry["tags"] : {}));
  return Object.entries(tags).map(([key, text]) => given({ key, value: text, onExisting }));
}

/** The characters that mean something in a glob; function-tag-manager compares keys exactly. */
const GLOB = /[*?]/;

function toKeys(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "keys", "policy"]);
  const source = toSource(entry);
  const keys = source ?? entry["keys"];
  if (source === undefined && GLOB.test(JSON.stringify(keys) ?? "")) {
    reader.remarks.push(`${path}.keys: here * and ? match other characters`);
  }
  return given({ keys, onExisting: readPolicy(entry) });
}

/** Without a type, every policy is Replace (function-tag-manager v0.8.0 input/v1beta1/input.go, GetPolicy). */
const readPolicy = ({ type, policy }: JsonObject): JsonValue | undefined => (type === undefined ? undefined : policy);

/** Reads the field that an entry takes its value from; undefined for a literal. */
function toSource({ type, fromFieldPath }: JsonObject): JsonObject | undefined {
  if (type === "FromCompositeFieldPath") return given({ fromCompositeFieldPath: fromFieldPath });
  return type === "FromEnvironmentFieldPath" ? given({ fromEnvironmentFieldPath: fromFieldPath }) : undefined;
}
