import { ENVIRONMENT } from "../crossplane/environment.ts";
import type { Value } from "../input/fields.ts";
import { formatFieldPath } from "../model/field-path.ts";
import { isObject, type JsonValue, toPlainText } from "../model/json.ts";
import type { Call } from "./feature.ts";

/** A resolved value of the input, or the field that has to be set first. */
export type Resolved<T> = { readonly is: "set"; readonly value: T } | { readonly is: "unset"; readonly field: string };

/** A value that has to be one string; numbers and booleans are written as YAML would. */
export function resolveString(value: Value<string>, call: Call): Resolved<string> {
  if (value.is === "literal") return { is: "set", value: value.value };
  const text = toText(lookUp(value, call));
  return text === undefined ? unset(value) : { is: "set", value: text };
}

/** A value that has to be a string or a list of strings. */
export function resolveStrings(value: Value<string | string[]>, call: Call): Resolved<readonly string[]> {
  if (value.is === "literal") return { is: "set", value: [value.value].flat() };
  const found = lookUp(value, call);
  const texts = (isList(found) ? found : [found]).map(toText);
  return texts.length > 0 && texts.every((text) => text !== undefined) ? { is: "set", value: texts } : unset(value);
}

/** A value of any type. */
export function resolveJson(value: Value<JsonValue>, call: Call): Resolved<JsonValue> {
  const found = value.is === "literal" ? value.value : lookUp(value, call);
  if (found !== undefined) return { is: "set", value: found };
  return value.is === "literal" ? { is: "set", value: null } : unset(value);
}

/** A value that has to be a map of strings. */
export function resolveMap(
  value: Value<Readonly<Record<string, string>>>,
  call: Call,
): Resolved<readonly (readonly [string, string])[]> {
  if (value.is === "literal") return { is: "set", value: Object.entries(value.value) };
  const found = lookUp(value, call);
  if (!isObject(found)) return unset(value);
  const entries: (readonly [string, string])[] = [];
  for (const key of Object.keys(found)) {
    const text = found[key] === "" ? "" : toText(found[key]);
    if (text !== undefined) entries.push([key, text]);
  }
  return { is: "set", value: entries };
}

type Reference = Exclude<Value<never>, { is: "literal" }>;

const lookUp = ({ is, path }: Reference, { composite, request }: Call): JsonValue | undefined =>
  is === "composite" ? composite.document.at(path) : request.context.at([ENVIRONMENT, ...path]);

/** Array.isArray does not tell readonly lists from other values. */
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const toText = (value: JsonValue | undefined): string | undefined => toPlainText(value) || undefined;

/** The field that a value comes from, for people: `spec.parameters.tags of the XR`. */
export const describeField = ({ is, path }: Reference): string =>
  `${formatFieldPath(path)} of the ${is === "composite" ? "XR" : "environment"}`;

const unset = (reference: Reference): Resolved<never> => ({ is: "unset", field: describeField(reference) });
