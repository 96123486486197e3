import { isObject, type JsonObject, type JsonValue, toPlainText } from "../../src/model/json.ts";

/** Translates an input of another function to the spec of this one's. */
export type Translate = (reader: Reader, input: JsonObject) => JsonObject;

/** Collects remarks while an input is translated: on fields that were not translated, or have another meaning. */
export class Reader {
  readonly remarks: string[] = [];

  readInput(input: JsonObject, known: readonly string[]): JsonObject {
    return this.read("input", input, ["apiVersion", "kind", "metadata", ...known]);
  }

  /** Reads an object's fields, and remarks on those that are not in `known`; none if the object is not set. */
  read(path: string, value: JsonValue | undefined, known: readonly string[]): JsonObject {
    if (!isObject(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no object`);
    const object = isObject(value) ? value : {};
    for (const key of Object.keys(object)) {
      if (!known.includes(key)) this.remarks.push(`${path}.${key}: not translated`);
    }
    return object;
  }

  /** Reads the items of a list; none if it is not set. */
  readList(path: string, value: JsonValue | undefined): readonly JsonValue[] {
    if (!Array.isArray(value) && !isUnset(value)) this.remarks.push(`${path}: not translated, since it is no list`);
    return Array.isArray(value) ? value : [];
  }
}

const isUnset = (value: JsonValue | undefined): boolean => value === undefined || value === null;

const given = (fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

/** The context key under which templates read function-extra-resources' results. */
const CONTEXT_KEY = "apiextensions.crossplane.io/extra-resources";

/** Translates an input of function-extra-resources. */
export const fromExtraResources: Translate = (reader, input) => {
  const fields = reader.readInput(input, ["spec"]);
  const spec = reader.read("spec", fields["spec"], ["extraResources", "context", "policy"]);
  const context = reader.read("spec.context", spec["context"], ["key"]);
  const resolution = readResolution(reader, spec["policy"]);
  const taken = new Set<string>();
  const sharedResources = reader
    .readList("spec.extraResources", spec["extraResources"])
    .map((source, index) => toShared(reader, `spec.extraResources[${index}]`, source, resolution, taken));
  return { contextKey: context["key"] ?? CONTEXT_KEY, sharedResources };
};

const FIELDS = ["type", "ref", "selector", "kind", "apiVersion", "namespace", "into"];

function toShared(reader: Reader, path: string, source: JsonValue, resolution: string, taken: Set<string>): JsonObject {
  const { type, ref, selector, kind, apiVersion, namespace, into: found } = reader.read(path, source, FIELDS);
  const into = toPlainText(found);
  const isSelector = type === "Selector";
  const select = isSelector
    ? toSelect(reader, `${path}.selector`, reader.read(`${path}.selector`, selector, SELECTOR))
    : toReference(reader, path, ref);
  return given({
    name: toDnsLabel(into, taken),
    into,
    apiVersion,
    kind,
    select: given({ ...select, namespace }),
    grant: "None",
    resolution: isSelector ? "Fail" : resolution,
  });
}

/** Translates an input of function-environment-configs. */
export const fromEnvironmentConfigs: Translate = (reader, input) => {
  const fields = reader.readInput(input, ["spec"]);
  const spec = reader.read("spec", fields["spec"], ["environmentConfigs", "defaultData", "policy"]);
  const resolution = readResolution(reader, spec["policy"]);
  const sharedResources = reader
    .readList("spec.environmentConfigs", spec["environmentConfigs"])
    .map((source, index) => toEnvironmentConfig(reader, index, source, resolution));
  const environment = spec["defaultData"] === undefined ? undefined : { defaultData: spec["defaultData"] };
  return given({ environment, sharedResources });
};

function toEnvironmentConfig(reader: Reader, index: number, value: JsonValue, resolution: string): JsonObject {
  const path = `spec.environmentConfigs[${index}]`;
  const { type, ref, selector, toFieldPath } = reader.read(path, value, ["type", "ref", "selector", "toFieldPath"]);
  const isSelector = type === "Selector";
  return {
    name: `environment-${index}`,
    apiVersion: "apiextensions.crossplane.io/v1beta1",
    kind: "EnvironmentConfig",
    select: isSelector ? toOneOrMore(reader, `${path}.selector`, selector) : toReference(reader, path, ref),
    toEnvironment: given({ fromFieldPath: "data", toFieldPath: toFieldPath || undefined }),
    grant: "None",
    resolution: isSelector ? "Fail" : resolution,
  };
}

function toOneOrMore(reader: Reader, path: string, value: JsonValue | undefined): JsonObject {
  const { mode = "Single", ...selector } = reader.read(path, value, ["mode", ...SELECTOR]);
  const select = toSelect(reader, path, selector);
  return mode === "Single" ? { matchLabels: select.matchLabels } : select;
}

/** Translates label matchers: other functions have a list of them, this one a map of values. */
function toLabels(reader: Reader, path: string, matchers: JsonValue | undefined): JsonObject {
  const labels = new Map<string, { readonly at: string; readonly value: JsonValue }>();
  for (const [index, matcher] of reader.readList(path, matchers).entries()) {
    const at = `${path}[${index}]`;
    const label = reader.read(at, matcher, ["type", "key", "value", "valueFromFieldPath", "fromFieldPathPolicy"]);
    const key = toPlainText(label["key"]);
    const before = labels.get(key);
    if (before !== undefined) reader.remarks.push(`${before.at}: not translated, since a later one has its key`);
    labels.set(key, { at, value: label["type"] === "Value" ? (label["value"] ?? "") : toSource(label) });
  }
  return Object.fromEntries([...labels].map(([key, { value }]) => [key, value]));
}

const toSource = ({ valueFromFieldPath, fromFieldPathPolicy }: JsonObject): JsonObject =>
  given({ fromCompositeFieldPath: valueFromFieldPath, optional: fromFieldPathPolicy === "Optional" || undefined });

/** The fields of a selector in both functions. */
const SELECTOR = ["minMatch", "maxMatch", "sortByFieldPath", "matchLabels"] as const;

/** No effective limit, the default of both functions: Crossplane returns fewer. */
const NO_LIMIT = 100_000;

const toSelect = (reader: Reader, path: string, selector: JsonObject) => ({
  matchLabels: toLabels(reader, `${path}.matchLabels`, selector["matchLabels"]),
  minMatch: selector["minMatch"] ?? 0,
  maxMatch: selector["maxMatch"] ?? NO_LIMIT,
  sortByFieldPath: selector["sortByFieldPath"] ?? "metadata.name",
});

const toReference = (reader: Reader, path: string, ref: JsonValue | undefined) =>
  given({ name: reader.read(`${path}.ref`, ref, ["name"])["name"] });

/** Reads the resolution of a policy. In function-environment-configs, a missing selection is a Fatal result unless it is optional. */
const readResolution = (reader: Reader, policy: JsonValue | undefined): "Optional" | "Fail" =>
  reader.read("spec.policy", policy, ["resolution"])["resolution"] === "Optional" ? "Optional" : "Fail";

/** Makes a DNS label of a text, with a number if the label is taken already. */
function toDnsLabel(text: string, taken: Set<string>): string {
  const lower = text.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  const words = lower.match(/[a-z0-9]+/g) ?? ["shared"];
  const base = words.join("-").slice(0, 50);
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}-${count}`;
  taken.add(name);
  return name;
}

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
  const onExisting = readTagPolicy(entry);
  const source = toTagSource(entry);
  if (source !== undefined) return [given({ value: { ...source, optional: true }, onExisting })];
  const tags = reader.read(`${path}.tags`, entry["tags"], Object.keys(isObject(entry["tags"]) ? entry["tags"] : {}));
  return Object.entries(tags).map(([key, text]) => given({ key, value: text, onExisting }));
}

/** The characters that mean something in a glob; function-tag-manager compares keys exactly. */
const GLOB = /[*?]/;

function toKeys(reader: Reader, path: string, value: JsonValue): JsonObject {
  const entry = reader.read(path, value, ["type", "fromFieldPath", "keys", "policy"]);
  const source = toTagSource(entry);
  const keys = source ?? entry["keys"];
  if (source === undefined && GLOB.test(JSON.stringify(keys) ?? "")) {
    reader.remarks.push(`${path}.keys: here * and ? match other characters`);
  }
  return given({ keys, onExisting: readTagPolicy(entry) });
}

/** Without a type, every policy is Replace (function-tag-manager v0.8.0 input/v1beta1/input.go, GetPolicy). */
const readTagPolicy = ({ type, policy }: JsonObject): JsonValue | undefined =>
  type === undefined ? undefined : policy;

/** Reads the field that an entry takes its value from; undefined for a literal. */
function toTagSource({ type, fromFieldPath }: JsonObject): JsonObject | undefined {
  if (type === "FromCompositeFieldPath") return given({ fromCompositeFieldPath: fromFieldPath });
  return type === "FromEnvironmentFieldPath" ? given({ fromEnvironmentFieldPath: fromFieldPath }) : undefined;
}
