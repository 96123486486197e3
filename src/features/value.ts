import type { Value, ValueSource } from "../input/fields.ts";
import { formatFieldPath } from "../model/field-path.ts";
import { isList, isObject, type JsonValue, toPlainText } from "../model/json.ts";
import type { Call } from "./feature.ts";

/** The context key of the environment, which function-environment-configs or Crossplane v1 sets for later steps. */
export const ENVIRONMENT = "apiextensions.crossplane.io/environment";

/** A resolved value of the input, or the field that is not set. */
export type Resolved<T> = { readonly is: "set"; readonly value: T } | { readonly is: "unset"; readonly field: string };

/** Resolves a value to a string, and converts numbers and booleans to one. */
export const resolveString = (value: Value<string>, call: Call): Resolved<string> =>
  value.is === "literal"
    ? { is: "set", value: value.value }
    : toResolved(readField(value, call), toNonEmptyText, "a text", value);

export function resolveTexts(map: Readonly<Record<string, Value<string>>>, call: Call): Resolved<Texts> {
  const texts: [string, string][] = [];
  for (const [key, value] of Object.entries(map)) {
    const text = resolveString(value, call);
    if (text.is === "unset") return text;
    texts.push([key, text.value]);
  }
  return { is: "set", value: Object.fromEntries(texts) };
}

type Texts = Readonly<Record<string, string>>;

/** Resolves a value to a list of strings; a single string is a list of one. */
export function resolveStrings(value: Value<string | string[]>, call: Call): Resolved<readonly string[]> {
  if (value.is === "literal") return { is: "set", value: [value.value].flat() };
  return toResolved(readField(value, call), toTexts, "a text", value);
}

function toTexts(found: JsonValue | undefined): readonly string[] | undefined {
  const texts = (isList(found) ? found : [found]).map(toNonEmptyText);
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined;
}

export const resolveJson = (value: Value<JsonValue>, call: Call): Resolved<JsonValue> =>
  value.is === "literal"
    ? { is: "set", value: value.value }
    : toResolved(readField(value, call), (found) => found, "a value", value);

export const resolveMap = (source: ValueSource, call: Call): Resolved<Entries> =>
  toResolved(readField(source, call), toEntries, "an object", source);

type Entries = readonly (readonly [string, string])[];

function toEntries(found: JsonValue | undefined): Entries | undefined {
  const toEntry = ([key, value]: readonly [string, JsonValue]): readonly (readonly [string, string])[] => {
    const text = value === "" ? "" : toNonEmptyText(value);
    return text === undefined ? [] : [[key, text]];
  };
  return isObject(found) ? Object.entries(found).flatMap(toEntry) : undefined;
}

export const readField = ({ is, path }: ValueSource, { composite, request }: Call): JsonValue | undefined =>
  is === "composite" ? composite.document.at(path) : request.context.at([ENVIRONMENT, ...path]);

const toNonEmptyText = (value: JsonValue | undefined): string | undefined => toPlainText(value) || undefined;

/** Describes the field of a value: `spec.parameters.tags of the XR`. */
export const describeField = ({ is, path }: ValueSource): string =>
  `${formatFieldPath(path)} of the ${is === "composite" ? "XR" : "environment"}`;

/** Converts the value of a field. @param wanted what the field has to contain, for a field with another type */
function toResolved<T>(
  found: JsonValue | undefined,
  convert: (found: JsonValue | undefined) => T | undefined,
  wanted: string,
  source: ValueSource,
): Resolved<T> {
  const value = convert(found);
  if (value !== undefined) return { is: "set", value };
  const field = describeField(source);
  return {
    is: "unset",
    field: found === undefined || found === null || found === "" ? field : `${wanted} in ${field}`,
  };
}
