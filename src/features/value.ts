import type { Value, ValueSource } from "../input/fields.ts";
import { formatFieldPath } from "../model/field-path.ts";
import { isList, isObject, type JsonValue, toPlainText } from "../model/json.ts";
import type { Call } from "./feature.ts";

/** The context key of the environment, which function-environment-configs or Crossplane v1 sets for later steps. */
export const ENVIRONMENT = "apiextensions.crossplane.io/environment";

/** A resolved value of the input, or the field that is not set. */
export type Resolved<T> = { readonly is: "set"; readonly value: T } | { readonly is: "unset"; readonly field: string };

/** Resolves a value to a string, and converts numbers and booleans to one. */
export function resolveString(value: Value<string>, call: Call): Resolved<string> {
  if (value.is === "literal") return { is: "set", value: value.value };
  const found = readField(value, call);
  return toResolved(toNonEmptyText(found), value, found);
}

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
  const found = readField(value, call);
  const texts = (isList(found) ? found : [found]).map(toNonEmptyText);
  return toResolved(texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined, value, found);
}

export const resolveJson = (value: Value<JsonValue>, call: Call): Resolved<JsonValue> =>
  value.is === "literal" ? { is: "set", value: value.value } : toResolved(readField(value, call), value);

export function resolveMap(source: ValueSource, call: Call): Resolved<readonly (readonly [string, string])[]> {
  const found = readField(source, call);
  const toEntry = ([key, value]: readonly [string, JsonValue]): readonly (readonly [string, string])[] => {
    const text = value === "" ? "" : toNonEmptyText(value);
    return text === undefined ? [] : [[key, text]];
  };
  return toResolved(isObject(found) ? Object.entries(found).flatMap(toEntry) : undefined, source);
}

export const readField = ({ is, path }: ValueSource, { composite, request }: Call): JsonValue | undefined =>
  is === "composite" ? composite.document.at(path) : request.context.at([ENVIRONMENT, ...path]);

const toNonEmptyText = (value: JsonValue | undefined): string | undefined => toPlainText(value) || undefined;

/** Describes the field of a value: `spec.parameters.tags of the XR`. */
export const describeField = ({ is, path }: ValueSource): string =>
  `${formatFieldPath(path)} of the ${is === "composite" ? "XR" : "environment"}`;

/** @param found what the field has in place of a text */
const toResolved = <T>(value: T | undefined, source: ValueSource, found: JsonValue = ""): Resolved<T> => {
  if (value !== undefined) return { is: "set", value };
  return { is: "unset", field: `${found === null || found === "" ? "" : "a text in "}${describeField(source)}` };
};
