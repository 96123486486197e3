import * as z from "zod";
import { attempt, FunctionError } from "../errors.ts";
import { toMilliseconds } from "../model/duration.ts";
import { type FieldPath, formatFieldPath, parseFieldPath } from "../model/field-path.ts";
import { isObject, type JsonValue } from "../model/json.ts";
import { DNS_LABEL } from "../model/names.ts";

/** Options of a check that runs even if the object's fields have faults, so that all faults are reported at once. */
export const onObjects = { when: ({ value }: { readonly value: unknown }) => isObject(value) } as const;

/**
 * A check as in `onObjects` that forbids a combination of fields. The fault is reported at `path`. A field with a fault of its own may
 * have any type: a condition that throws for it forbids nothing.
 */
export const forbid = <T>(path: string, error: string, isForbidden: (object: NoInfer<T>) => unknown) => {
  const isAllowed = (object: T): boolean => {
    try {
      return !isForbidden(object);
    } catch {
      return true;
    }
  };
  return z.refine<T>(isAllowed, { ...onObjects, path: path.split("."), error });
};

export const exactlyOneOf = <T extends z.ZodObject>(schema: T, keys: readonly (keyof T["shape"] & string)[]): T =>
  guardCount(schema, keys, 1);

export const atMostOneOf = <T extends z.ZodObject>(schema: T, keys: readonly (keyof T["shape"] & string)[]): T =>
  guardCount(schema, keys, 0);

const guardCount = <T extends z.ZodObject>(schema: T, keys: readonly string[], least: number): T =>
  schema.refine((object) => [least, 1].includes(findGiven(object, keys).length), {
    ...onObjects,
    error: ({ input }) => {
      const found = findGiven(input, keys);
      return `${least === 0 ? "at most" : "exactly"} one of ${keys.join(", ")}; found ${found.length === 0 ? "none" : found.join(" and ")}`;
    },
  });

const findGiven = (object: unknown, keys: readonly string[]): string[] =>
  isObject(object) ? keys.filter((key) => object[key] !== undefined) : [];

/** Requires a list's objects to differ in `key`. Parsed field paths are compared as text. */
export const unique = <T extends z.ZodArray>(list: T, key: string): T => {
  const findRepeated = (found: unknown): string | undefined => {
    const values = Array.isArray(found) ? found.filter(isObject).flatMap((item) => toComparable(item[key]) ?? []) : [];
    const seen = new Set<string>();
    return values.find((value) => seen.has(value) || !seen.add(value));
  };
  return list.refine((found) => findRepeated(found) === undefined, {
    when: ({ value }) => Array.isArray(value),
    error: ({ input }) => `more than one item with ${key} ${JSON.stringify(findRepeated(input))}`,
  });
};

/** Converts a value to text for comparison; undefined if it is not set, or comes from a field of the XR or the environment. */
function toComparable(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return formatFieldPath(value as FieldPath);
  return isObject(value) && value["is"] === "literal" ? toComparable(value["value"]) : undefined;
}

/** One of several words; the first is the default. */
export const choice = <const Words extends readonly [string, ...string[]]>(words: Words, meaning: string) =>
  z
    .enum<Words>(words)
    .default(words[0] as never)
    .describe(meaning);

export const optional = <T extends z.ZodType>(schema: T, meaning: string) => schema.optional().describe(meaning);

/** A list; empty by default. */
export const list = <T extends z.ZodType>(item: T, meaning: string) => z.array(item).prefault([]).describe(meaning);

export const flag = (byDefault: boolean, meaning: string) => z.boolean().default(byDefault).describe(meaning);

export const text = z.string().min(1);

/** A converted text. A FunctionError of the conversion becomes a fault. */
export const converted = <T>(convert: (text: string) => T) =>
  z.string().transform((text, check): T => {
    const found = attempt(() => convert(text));
    if (!(found instanceof FunctionError)) return found;
    check.addIssue(found.message);
    return z.NEVER;
  });

/** A path to one value, such as `spec.parameters.database` or `metadata.labels[team]`. */
export const fieldPath = converted(parseFieldPath);

/** A path into the XR's status, the only part of the XR that a function can set. */
export const statusPath = fieldPath.refine((path) => path[0] === "status" && typeof path[1] === "string", {
  error: "not below status, the only part of the XR that a function can set",
});

/** Any value. The input was decoded from JSON, so it is a JSON value. */
export const json = z.unknown().transform((found) => found as JsonValue);

export const NOT_A_DNS_LABEL = "not a DNS label: lower case letters, digits and '-', at most 63 characters";

export const dnsLabel = z.string().regex(DNS_LABEL, NOT_A_DNS_LABEL);

/** `v1`, or `group/v1beta1`. */
const API_VERSION = /^(?:[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?\/)?v[a-z0-9]{1,62}$/;

export const apiVersion = z.string().regex(API_VERSION, "not an API version, such as example.org/v1");

export const kind = z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,62}$/, "not a kind, such as Bucket");

/** A literal, or a field of the XR or of the environment (`apiextensions.crossplane.io/environment`). */
export type Value<T> = { readonly is: "literal"; readonly value: T } | ValueSource;

/** The field that a value comes from. */
export interface ValueSource {
  readonly is: "composite" | "environment";
  readonly path: FieldPath;
}

const sourceShape = {
  fromCompositeFieldPath: optional(fieldPath, "A field path of the XR, such as spec.parameters.database."),
  fromEnvironmentFieldPath: optional(
    fieldPath,
    "A field path of the environment that an earlier step, such as function-environment-configs, selected.",
  ),
};

const SOURCES = ["fromCompositeFieldPath", "fromEnvironmentFieldPath"] as const;

type Sources = Readonly<Partial<Record<(typeof SOURCES)[number], FieldPath | undefined>>>;

const toSource = ({ fromCompositeFieldPath, fromEnvironmentFieldPath }: Sources): ValueSource =>
  fromCompositeFieldPath === undefined
    ? { is: "environment", path: fromEnvironmentFieldPath ?? [] }
    : { is: "composite", path: fromCompositeFieldPath };

export const source = exactlyOneOf(z.strictObject(sourceShape), SOURCES).transform(toSource);

const literalOf = <T extends z.ZodType>(schema: T) =>
  schema.transform((value): { readonly is: "literal"; readonly value: z.output<T> } => ({ is: "literal", value }));

/** The schema of a literal of one of these types (no objects), or of the field that the value comes from. */
export const value = <T extends readonly [z.ZodType, ...z.ZodType[]]>(
  ...literals: T
): z.ZodType<Value<z.output<T[number]>>> => z.union([...literals.map(literalOf), source]) as never;

/** The schema of a literal, or of a field that may be marked `optional`. */
export const optionalValue = <T extends z.ZodType>(literal: T) =>
  z.union([
    literalOf(literal).transform((found) => ({ value: found as Value<z.output<T>>, optional: false })),
    exactlyOneOf(
      z.strictObject({
        ...sourceShape,
        optional: flag(false, "Do without the value while the field is not set."),
      }),
      SOURCES,
    ).transform(({ optional, ...sources }) => ({ value: toSource(sources) as Value<z.output<T>>, optional })),
  ]);

/** A Go duration of whole seconds, such as 60s or 1m30s, in seconds. */
export const duration = converted((text): number => {
  const seconds = (toMilliseconds(text, Number.MAX_SAFE_INTEGER) ?? Number.NaN) / 1000;
  if (Number.isInteger(seconds)) return seconds;
  throw new FunctionError(
    "InvalidInput",
    `not a duration of whole seconds: ${JSON.stringify(text)} (for example 60s, 5m, 1h30m)`,
  );
});
