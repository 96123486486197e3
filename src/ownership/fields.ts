import { readObservation } from "../crossplane/managed-resource.ts";
import { readLabel } from "../crossplane/metadata.ts";
import type { IdentityFacts } from "../crossplane/providers/families.ts";
import { listReferences } from "../crossplane/providers/reference-names.ts";
import type { Document } from "../model/document.ts";
import { type FieldPath, valueAt } from "../model/field-path.ts";
import { isObject, type JsonValue, objectOf, ownValue, toSortedJson } from "../model/json.ts";
import { IDENTITY_LABEL } from "./annotations.ts";

/** A managed resource, desired and observed. */
export interface DesiredAndObserved {
  readonly desired: Document;
  readonly observed: Document | undefined;
}

/** A managed resource, and what identifies its cloud resource. */
export interface DeclaredResource extends DesiredAndObserved {
  readonly facts: IdentityFacts;
  /**
   * The external name that the provider chose; undefined if it chose none, or if the pipeline or the record sets a name. "" for a name that
   * does not count yet: until the provider has created the cloud resource, or the managed resource has the identity label.
   */
  readonly chosen?: string | undefined;
  /** The XR's namespace, which Crossplane gives to what it composes. */
  readonly namespace?: string | undefined;
  /** The account that the input names. */
  readonly account?: string | undefined;
}

/**
 * Reads a field as text: "" if it is not set, undefined while a reference beside it is unresolved. A block on the path may be an object or
 * a list of one item, depending on the version of the kind.
 *
 * An observed value counts as resolved only if the reference is observed, too. If no reference is observed, the pipeline had set the value,
 * and the next apply removes it.
 */
export function textAt({ desired, observed }: DesiredAndObserved, path: FieldPath): string | undefined {
  const text = toComparableText(valueBelow(desired, path));
  if (text !== "" || !isReferred(desired, path)) return text;
  if (observed === undefined || !isReferred(observed, path)) return undefined;
  return toComparableText(valueBelow(observed, path)) || textOfUnresolved(observed);
}

/**
 * Returns the text of an empty field that a reference should fill in: undefined while the provider may still resolve the reference; "" once
 * the provider has looked for the cloud resource without the field, or if the managed resource has the identity label.
 */
export const textOfUnresolved = (observed: Document | undefined): "" | undefined =>
  observed !== undefined &&
  (readObservation(observed) !== "unknown" || readLabel(observed, IDENTITY_LABEL) !== undefined)
    ? ""
    : undefined;

/** Tells whether the document has a reference or a selector from which the provider fills in the field. */
const isReferred = (document: Document, path: FieldPath): boolean => listReferred(document, path).length > 0;

/** Tells whether one of these has to be resolved before the provider goes on. */
export const mustBeResolved = (document: Document, path: FieldPath): boolean =>
  listReferred(document, path).some(
    (reference) => valueAt(objectOf(reference), ["policy", "resolution"]) !== "Optional",
  );

const listReferred = (document: Document, path: FieldPath): readonly JsonValue[] =>
  listReferences(String(path.at(-1)))
    .map((key) => valueBelow(document, [...path.slice(0, -1), key]))
    .filter((reference) => reference !== undefined);

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
 * Converts a value to text, "" if it is not set: a provider does not distinguish a number from a text of the same digits. The keys of
 * objects are sorted, numeric keys first, as in every JavaScript object.
 */
export function toComparableText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? toSortedJson(value) : String(value);
}
