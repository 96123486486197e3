import { readObservation } from "../crossplane/external-resource.ts";
import { compareEntries } from "../model/compare.ts";
import type { Document } from "../model/document.ts";
import type { FieldPath } from "../model/field-path.ts";
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

/** Converts a value to text: to a provider a number equals a text of the same digits. */
function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(sorted(value)) : String(value);
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(compareEntries));
}

/**
 * Finds the fields below spec.forProvider that have a reference or a selector beside them; returns sorted names, each before its
 * value. A value is undefined until it is resolved; only then a provider looks for the cloud resource.
 */
export function findReferred({ desired, observed }: Resource): readonly (string | undefined)[] {
  const wanted = fieldsBelow(desired);
  const found = observed === undefined ? NO_FIELDS : fieldsBelow(observed);
  const fields = new Set([...referredIn(wanted), ...referredIn(found)]);
  const isResolved = observed !== undefined && readObservation(observed) === "present";
  return [...fields].sort().flatMap((field) => {
    const value = [field, `${field}s`].map((name) => wanted.get(name) ?? found.get(name)).find((text) => text);
    return [field, value ?? (isResolved ? "" : undefined)];
  });
}

type Fields = ReadonlyMap<string, string>;

const NO_FIELDS: Fields = new Map();

/** Reads a managed resource's fields, by their paths below spec.forProvider. */
function fieldsBelow(document: Document): Fields {
  const parameters = document.at(["spec", "forProvider"]);
  return isObject(parameters) ? new Map(flatten(parameters, "")) : NO_FIELDS;
}

function flatten(object: JsonObject, prefix: string): readonly (readonly [string, string])[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const blocks = (Array.isArray(value) ? value : [value]).filter(isObject);
    const inner = blocks.flatMap((block, index) => flatten(block, `${path}[${index}].`));
    return [[path, toText(value)] as const, ...inner];
  });
}

const REFERENCE = /^(?<field>.*?)s?(?:Ref|Refs|Selector)$/;

/** Finds the fields that references fill in. A reference to a Secret or ConfigMap fills in none. */
function referredIn(fields: Fields): readonly string[] {
  return [...fields.keys()].flatMap((name) => {
    const field = /(?:Secret|ConfigMap|providerConfig)Ref$/i.test(name)
      ? undefined
      : REFERENCE.exec(name)?.groups?.["field"];
    return field ?? [];
  });
}
