import { readObservation } from "../crossplane/external-resource.ts";
import { compareEntries } from "../model/compare.ts";
import type { Document } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../model/json.ts";

/** A managed resource as the pipeline desires it, and as observed. */
interface Resource {
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/**
 * Reads a field as text: "" if it is not set, undefined while a reference beside it is unresolved. The path leads through objects
 * and lists of one: a block is the former in one version of a kind, and the latter in another.
 */
export function textAt({ desired, observed }: Resource, path: FieldPath): string | undefined {
  const text = toText(at(desired, path));
  if (text !== "") return text;
  if (!isReferred(desired, path)) return "";
  return (observed && toText(at(observed, path))) || undefined;
}

/** Tells whether the field is filled in by the provider from a reference or a selector. */
function isReferred(desired: Document, path: FieldPath): boolean {
  const field = String(path.at(-1));
  return ["Ref", "Selector"].some((suffix) => at(desired, [...path.slice(0, -1), `${field}${suffix}`]) !== undefined);
}

function at(document: Document, path: FieldPath): JsonValue | undefined {
  const block = path.slice(0, 3);
  const found = document.at(block);
  return path.slice(3).reduce<JsonValue | undefined>((value, step) => {
    const inner = Array.isArray(value) ? value[0] : value;
    return isObject(inner) ? ownValue(inner, String(step)) : undefined;
  }, found);
}

/** Texts of objects: one that is in another one is written once for both. */
type Written = Map<JsonObject, string>;

/** Converts a value to text: to a provider a number equals a text of the same digits. */
function toText(value: JsonValue | undefined, written: Written = new Map()): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? toJson(value, written) : String(value);
}

/** Writes JSON with sorted keys; those that are numbers come first, as in every object of JavaScript. */
function toJson(value: JsonValue, written: Written): string {
  if (Array.isArray(value)) return `[${value.map((item) => toJson(item, written)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const before = written.get(value);
  if (before !== undefined) return before;
  const keys = Object.keys(value);
  const names = keys.filter((key) => !NUMBER.test(key)).sort();
  const sorted = [...keys.slice(0, keys.length - names.length), ...names];
  const fields = sorted.map((key) => `${JSON.stringify(key)}:${toJson(value[key] as JsonValue, written)}`);
  const text = `{${fields.join(",")}}`;
  written.set(value, text);
  return text;
}

const NUMBER = /^(?:0|[1-9]\d{0,8})$/;

/** The fields of the largest kinds are some hundreds. */
const MAX_FIELDS = 10_000;

/** Stops counting at the limit: whoever writes the fields decides how many there are. */
function countFields(value: JsonValue, limit: number): number {
  if (typeof value !== "object" || value === null) return 0;
  const keys = Object.keys(value);
  let count = keys.length;
  for (let i = 0; i < keys.length && count <= limit; i++) {
    count += countFields((value as JsonObject)[keys[i] as string] as JsonValue, limit - count);
  }
  return count;
}

/**
 * Finds the fields below spec.forProvider that have a reference or a selector beside them; returns sorted names, each before its
 * value. A value is undefined until it is resolved; only then a provider looks for the cloud resource. Where there are too many
 * fields nothing is known.
 */
export function findReferred({ desired, observed }: Resource): readonly (string | undefined)[] {
  const [wanted, found] = [readParameters(desired), readParameters(observed)];
  if ([wanted, found].some((parameters) => countFields(parameters, MAX_FIELDS) > MAX_FIELDS)) return [undefined];
  const written: Written = new Map();
  const blocks: Block[] = [{ path: "", wanted, found, isInText: false }];
  const referred: Referred[] = [];
  for (const block of blocks) {
    const keys = Object.keys(block.found === NO_FIELDS ? block.wanted : { ...block.wanted, ...block.found });
    const fields = findFields(keys);
    for (const field of fields) referred.push([`${block.path}${field}`, readField(block, field, written)]);
    for (const inner of keys.flatMap((key) => innerBlocks(block, key, fields))) blocks.push(inner);
  }
  const unset = observed !== undefined && readObservation(observed) === "present" ? "" : undefined;
  return referred.sort(compareEntries).flatMap(([name, value = unset]) => [name, value]);
}

type Referred = readonly [name: string, value: string | undefined];

/** An object below spec.forProvider. */
interface Block {
  /** Ends in a dot, below the outermost. */
  readonly path: string;
  readonly wanted: JsonObject;
  readonly found: JsonObject;
  /** True within a field that is referred to, whose text counts as a whole. */
  readonly isInText: boolean;
}

const NO_FIELDS: JsonObject = {};

function readParameters(document: Document | undefined): JsonObject {
  const parameters = document?.at(["spec", "forProvider"]);
  return isObject(parameters) ? parameters : NO_FIELDS;
}

const REFERENCE = /^(?<field>.*?)s?(?:Ref|Refs|Selector)$/;
const TO_VALUES = /(?:Secret|ConfigMap|providerConfig)Ref$/i;

/** Finds the fields that references fill in. A reference to a Secret or ConfigMap fills in none. */
const findFields = (keys: readonly string[]): ReadonlySet<string> =>
  new Set(
    keys
      .filter((key) => key.endsWith("Ref") || key.endsWith("Refs") || key.endsWith("Selector"))
      .flatMap((key) => (TO_VALUES.test(key) ? [] : (REFERENCE.exec(key)?.groups?.["field"] ?? []))),
  );

const readField = ({ wanted, found }: Block, field: string, written: Written): string | undefined =>
  [field, `${field}s`]
    .map((key) => toText(Object.hasOwn(wanted, key) ? wanted[key] : ownValue(found, key), written))
    .find((text) => text !== "");

/** Longer paths are hashed, because the name of every field below repeats them. */
const MAX_PATH = 512;

/**
 * The objects in a block's field. The text of a field that is referred to contains what is in it, so there the fields count that are
 * referred to once more, but none within these: a byte costs the same however deep it is.
 */
function innerBlocks(block: Block, key: string, fields: ReadonlySet<string>): readonly Block[] {
  const wanted = toBlocks(ownValue(block.wanted, key));
  const found = toBlocks(ownValue(block.found, key));
  if (wanted.length + found.length === 0) return NO_BLOCKS;
  const isReferred = fields.has(key) || (key.endsWith("s") && fields.has(key.slice(0, -1)));
  if (isReferred && block.isInText) return NO_BLOCKS;
  const path = shorten(`${block.path}${key}`);
  const isInText = isReferred || block.isInText;
  return (found.length > wanted.length ? found : wanted).map((_, index) => ({
    path: `${path}[${index}].`,
    wanted: wanted[index] ?? NO_FIELDS,
    found: found[index] ?? NO_FIELDS,
    isInText,
  }));
}

const NO_BLOCKS = [] as const;

function toBlocks(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : NO_BLOCKS;
}

const shorten = (path: string): string => (path.length > MAX_PATH ? hashText(path) : path);
