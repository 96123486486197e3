import { readObservation } from "../crossplane/managed-resource.ts";
import { readLabel } from "../crossplane/metadata.ts";
import { listReferences } from "../crossplane/providers/reference-names.ts";
import { compareEntries } from "../model/collections.ts";
import type { Document } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, toSortedObject } from "../model/json.ts";
import { IDENTITY_LABEL } from "./annotations.ts";

/** A managed resource, desired and observed. */
export interface DesiredAndObserved {
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/**
 * Reads a field as text: "" if it is not set, undefined while a reference beside it is unresolved. A block on the path may be an object
 * or a list of one item, depending on the version of the kind.
 *
 * An observed value counts as resolved only if the reference is observed, too. Else it was set by the pipeline, and will be removed.
 */
export function textAt({ desired, observed }: DesiredAndObserved, path: FieldPath): string | undefined {
  const text = toComparableText(valueBelow(desired, path));
  if (text !== "" || !isReferred(desired, path)) return text;
  if (observed === undefined || !isReferred(observed, path)) return undefined;
  return toComparableText(valueBelow(observed, path)) || unresolved(observed);
}

/**
 * Reads a field that its reference has left unset: undefined until the reference is resolved, "" if the provider does not need it. The
 * latter shows when the provider looks for the cloud resource, or when the managed resource already has the identity label.
 */
const unresolved = (observed: Document | undefined): "" | undefined =>
  observed !== undefined &&
  (readObservation(observed) !== "unknown" || readLabel(observed, IDENTITY_LABEL) !== undefined)
    ? ""
    : undefined;

/** Tells whether the provider fills in the field from a reference or a selector. */
export function isReferred(document: Document, path: FieldPath): boolean {
  const block = path.slice(0, -1);
  return listReferences(String(path.at(-1))).some((key) => valueBelow(document, [...block, key]) !== undefined);
}

/** Reads a field below spec.forProvider, else below spec.initProvider. Upjet merges the two in this order. */
function valueBelow(document: Document, path: FieldPath): JsonValue | undefined {
  const [spec, block, ...field] = path;
  const value = readBelow(document, path);
  if (value !== undefined || block !== "forProvider" || spec !== "spec") return value;
  return readBelow(document, ["spec", "initProvider", ...field]);
}

function readBelow(document: Document, path: FieldPath): JsonValue | undefined {
  return path.slice(3).reduce<JsonValue | undefined>(
    (value, step) => {
      const inner = Array.isArray(value) ? value[0] : value;
      return isObject(inner) ? ownValue(inner, String(step)) : undefined;
    },
    document.at(path.slice(0, 3)),
  );
}

/**
 * Converts a value to text: a provider does not distinguish a number from a text of the same digits. The keys of objects are sorted,
 * numeric keys first, as in every JavaScript object.
 */
function toComparableText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, withSortedKeys) : String(value);
}

const withSortedKeys = (_key: string, value: JsonValue): JsonValue =>
  isObject(value) ? toSortedObject(new Map(Object.entries(value))) : value;

/** The most fields that are read. The largest kinds have some hundreds. */
const MAX_FIELDS = 10_000;

/** Counts fields, at most one more than the limit: a team may write any number. */
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
 * Finds the fields below spec.forProvider with a reference or a selector beside them; returns sorted names with their values. A value is
 * undefined until its reference is resolved. Of more than MAX_FIELDS fields, one undefined value stands for all.
 *
 * @param referable the outermost fields that count as literals, too.
 */
export function findReferred(
  { desired, observed }: DesiredAndObserved,
  referable: ReadonlySet<string> = new Set(),
): readonly ReferredField[] {
  const [wanted, found] = [readParameters(desired), readParameters(observed)];
  if ([wanted, found].some((parameters) => countFields(parameters, MAX_FIELDS) > MAX_FIELDS)) return [["", undefined]];
  const blocks: Block[] = [{ path: "", wanted, found, isInText: false }];
  const referred: ReferredField[] = [];
  for (const block of blocks) {
    const keys = Object.keys(block.found === NO_FIELDS ? block.wanted : { ...block.wanted, ...block.found });
    const literals = block.path === "" ? [...keys.filter(isParent), ...findLiterals(block, referable)] : [];
    const fields = new Set([...findFields(keys), ...literals]);
    const resolved = findFields(Object.keys(block.found));
    for (const field of fields) referred.push([`${block.path}${field}`, readField(block, field, resolved.has(field))]);
    for (const inner of keys.flatMap((key) => innerBlocks(block, key, fields))) blocks.push(inner);
  }
  const unset = unresolved(observed);
  return referred.sort(compareEntries).map(([name, value = unset]) => [name, value]);
}

type ReferredField = readonly [name: string, value: string | undefined];

/** spec.forProvider, or an object in it. */
interface Block {
  /** The field's path, ending in a dot; "" for the outermost block. */
  readonly path: string;
  readonly wanted: JsonObject;
  readonly found: JsonObject;
  /** True within a referred field: the text of that field contains this block. */
  readonly isInText: boolean;
}

const NO_FIELDS: JsonObject = {};

function readParameters(document: Document | undefined): JsonObject {
  const [parameters, initial] = ["forProvider", "initProvider"].map((block) => document?.at(["spec", block]));
  const fields = isObject(parameters) ? parameters : NO_FIELDS;
  return isObject(initial) ? { ...initial, ...fields } : fields;
}

const REFERENCE = /^(?<field>.*?)s?(?:Ref|Refs|Selector)$/;
const TO_VALUES = /(?:Secret|ConfigMap|providerConfig)Ref$/i;

/**
 * Tells whether a field names a parent, be it a literal: providers outside the tables have two clusters `main` in two projects. Others are
 * not counted, since many an id can change in place.
 */
export const isParent = (field: string): boolean =>
  /^(?:account|cluster|domain|environment|organi[sz]ation|org|project|realm|team|tenant|workspace|zone)I[dD]$/.test(
    field,
  );

/** Finds the fields that references fill in. References to a Secret or ConfigMap fill in none. */
const findFields = (keys: readonly string[]): ReadonlySet<string> =>
  new Set(
    keys
      .filter((key) => key.endsWith("Ref") || key.endsWith("Refs") || key.endsWith("Selector"))
      .flatMap((key) => (TO_VALUES.test(key) ? [] : (REFERENCE.exec(key)?.groups?.["field"] ?? []))),
  );

/** Finds the fields that are set, under the names that they would have by their references. */
const findLiterals = ({ wanted }: Block, referable: ReadonlySet<string>): readonly string[] =>
  Object.keys(wanted)
    .filter((key) => referable.has(key) && toComparableText(wanted[key]) !== "")
    .map((key) => key.replace(/s$/, ""));

/** Reads a field: as desired, or as the provider filled it in. */
const readField = ({ wanted, found }: Block, field: string, isResolved: boolean): string | undefined =>
  [field, `${field}s`]
    .map((key) => ownValue(Object.hasOwn(wanted, key) || !isResolved ? wanted : found, key))
    .map(toComparableText)
    .find((text) => text !== "");

/** The longest path that is not hashed. The names of all fields below repeat it. */
const MAX_PATH = 512;

/**
 * Finds the objects in a block's field. The text of a referred field contains the fields below it; referred fields below it count once
 * more. Deeper ones do not, so that the cost of a byte does not grow with its depth.
 */
function innerBlocks(block: Block, key: string, fields: ReadonlySet<string>): readonly Block[] {
  const wanted = toBlocks(ownValue(block.wanted, key));
  const found = toBlocks(ownValue(block.found, key));
  if (wanted.length + found.length === 0) return NO_BLOCKS;
  const isReferred = fields.has(key) || (key.endsWith("s") && fields.has(key.slice(0, -1)));
  if (isReferred && block.isInText) return NO_BLOCKS;
  const fullPath = `${block.path}${key}`;
  const path = fullPath.length > MAX_PATH ? hashText(fullPath) : fullPath;
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
