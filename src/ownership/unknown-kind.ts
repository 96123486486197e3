import { compareEntries } from "../model/collections.ts";
import type { Document } from "../model/document.ts";
import { hashText } from "../model/hash.ts";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../model/json.ts";
import { type DesiredAndObserved, textOfUnresolved, toComparableText } from "./fields.ts";

// Finds the fields that identify the cloud resource of a kind in no table, beside the name.

/** The most fields that are read below spec.forProvider. The largest kinds have some hundreds. */
const MAX_FIELDS = 10_000;

/** Counts the fields at any depth, and stops above the limit: a team may write any number. */
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
 * Finds the fields below spec.forProvider that identify the cloud resource, beside its name: each field with a reference or a selector,
 * and outermost literals that are `referable` or name a parent. Returns sorted paths with values. A value is undefined until its reference
 * is resolved. If there are more than MAX_FIELDS fields, returns one undefined value for all.
 */
export function findReferred(
  { desired, observed }: DesiredAndObserved,
  referable: ReadonlySet<string> = new Set(),
): readonly ReferredField[] {
  const [wanted, found] = [readParameters(desired), readParameters(observed)];
  if ([wanted, found].some((parameters) => countFields(parameters, MAX_FIELDS) > MAX_FIELDS)) return [["", undefined]];
  const blocks: Block[] = [{ path: "", wanted, found, isInText: false }];
  const referred: ReferredField[] = [];
  // Each block appends the blocks inside it, which are read in their turn: a team may nest blocks as deep as it likes.
  for (const block of blocks) {
    const keys = Object.keys(block.found === NO_FIELDS ? block.wanted : { ...block.wanted, ...block.found });
    const literals = block.path === "" ? [...keys.filter(isParent), ...findLiterals(block, referable)] : [];
    const fields = new Set([...findFields(keys), ...literals]);
    const resolved = findFields(Object.keys(block.found));
    for (const field of fields) referred.push([`${block.path}${field}`, readField(block, field, resolved.has(field))]);
    for (const key of keys) for (const inner of findInner(block, key, fields)) blocks.push(inner);
  }
  const unset = textOfUnresolved(observed); // the value of references that the provider has not filled in
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
 * Tells whether a field names a parent, and so counts even as a literal: two projects may each have a cluster `main`. Literals of other ids
 * do not count, since many can change in place.
 */
const isParent = (field: string): boolean =>
  /^(?:account|cluster|domain|environment|organi[sz]ation|org|project|realm|team|tenant|workspace|zone)I[dD]$/.test(
    field,
  );

/** Finds the fields that references fill in. A reference to a Secret, ConfigMap or ProviderConfig fills in none. */
const findFields = (keys: readonly string[]): ReadonlySet<string> =>
  new Set(
    keys
      .filter((key) => key.endsWith("Ref") || key.endsWith("Refs") || key.endsWith("Selector"))
      .flatMap((key) => (TO_VALUES.test(key) ? [] : (REFERENCE.exec(key)?.groups?.["field"] ?? []))),
  );

/**
 * Finds the fields of `referable` that are desired, under the names that references would give them, such as `subnetId` for `subnetIds`.
 */
const findLiterals = ({ wanted }: Block, referable: ReadonlySet<string>): readonly string[] =>
  Object.keys(wanted)
    .filter((key) => referable.has(key) && toComparableText(wanted[key]) !== "")
    .map((key) => key.replace(/s$/, ""));

/** Reads a field, as desired or as the provider filled it in; undefined if it is empty. */
const readField = ({ wanted, found }: Block, field: string, isResolved: boolean): string | undefined =>
  [field, `${field}s`] // a reference `fooRef` fills in `foo`, or `foos`
    .map((key) => ownValue(Object.hasOwn(wanted, key) || !isResolved ? wanted : found, key))
    .map(toComparableText)
    .find((text) => text !== "");

/** The longest path that is not hashed, in UTF-16 units. The paths of all fields below repeat it. */
const MAX_PATH = 512;

/** Finds the blocks in one of a block's fields: an object, or the objects of a list. */
function findInner(block: Block, key: string, fields: ReadonlySet<string>): readonly Block[] {
  const wanted = toBlocks(ownValue(block.wanted, key));
  const found = toBlocks(ownValue(block.found, key));
  if (wanted.length + found.length === 0) return NO_BLOCKS;
  const isReferred = fields.has(key) || (key.endsWith("s") && fields.has(key.slice(0, -1)));
  // The text of a referred field contains all blocks inside it. A referred field among these counts once more; the blocks inside that one
  // do not, or a byte would cost more the deeper it lies.
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
