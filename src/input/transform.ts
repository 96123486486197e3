import { RE2JS } from "re2js";
import * as z from "zod";
import { isObject, type JsonValue, toPlainText } from "../model/json.ts";
import { exactlyOneOf, json, onObjects } from "./fields.ts";
import { type Format, format } from "./format.ts";

/** A regular expression of RE2, as in Go: its time is linear in the text's length, even for hostile texts. */
const regexp = z.string().transform((text, check): RE2JS => {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    check.addIssue(`not a regular expression of RE2: ${error instanceof Error ? error.message : String(error)}`);
    return z.NEVER;
  }
});

/** Guards an object whose `type` determines which other key it has. */
const withKeyOfType = <T extends z.ZodObject>(schema: T, keys: Readonly<Record<string, string>>, standard: string): T =>
  schema.refine((object) => findFaults(object, keys, standard).length === 0, {
    ...onObjects,
    error: ({ input }) => findFaults(input, keys, standard).join("; "),
  });

function findFaults(object: unknown, keys: Readonly<Record<string, string>>, standard: string): readonly string[] {
  const type = isObject(object) ? (object["type"] ?? standard) : undefined;
  const wanted = keys[toPlainText(type)];
  if (!isObject(object) || wanted === undefined) return [];
  const others = [...new Set(Object.values(keys))].filter((key) => key !== wanted && object[key] !== undefined);
  const strange = others.map((key) => `${key} does not go with type ${toPlainText(type)}`);
  return object[wanted] === undefined ? [`type ${toPlainText(type)} needs ${wanted}`, ...strange] : strange;
}

/** The conversions of a text. */
export const CONVERSIONS = [
  "ToUpper",
  "ToLower",
  "ToBase64",
  "FromBase64",
  "ToJson",
  "ToSha1",
  "ToSha256",
  "ToSha512",
  "ToAdler32",
] as const;

export type StringTransform =
  | { readonly type: "Format"; readonly fmt: Format }
  | { readonly type: "Convert"; readonly convert: (typeof CONVERSIONS)[number] }
  | { readonly type: "TrimPrefix" | "TrimSuffix"; readonly trim: string }
  | { readonly type: "Regexp"; readonly regexp: { readonly match: RE2JS; readonly group: number } }
  | { readonly type: "Join"; readonly join: { readonly separator: string } }
  | { readonly type: "Replace"; readonly replace: { readonly search: string; readonly replace: string } };

const STRING_KEYS = {
  Format: "fmt",
  Convert: "convert",
  TrimPrefix: "trim",
  TrimSuffix: "trim",
  Regexp: "regexp",
  Join: "join",
  Replace: "replace",
} as const;

const string = withKeyOfType(
  z.strictObject({
    type: z
      .enum(["Format", "Convert", "TrimPrefix", "TrimSuffix", "Regexp", "Join", "Replace"])
      .default("Format")
      .describe("The kind of change."),
    fmt: format.optional().describe("Prints the value as Go's fmt.Sprintf does, with any of its verbs."),
    convert: z.enum(CONVERSIONS).optional().describe("Makes another text of the value's text."),
    trim: z.string().optional().describe("Cut off where the value's text begins or ends with it."),
    regexp: z
      .strictObject({
        match: regexp.describe("A regular expression of RE2."),
        group: z.int().nonnegative().default(0).describe("The group whose text is taken; 0 is the whole match."),
      })
      .optional()
      .describe("Takes the first match out of the value's text."),
    join: z
      .strictObject({ separator: z.string().describe("Goes between the items.") })
      .optional()
      .describe("Joins the items of a list."),
    replace: z
      .strictObject({
        search: z.string().describe("What is replaced."),
        replace: z.string().describe("Goes in its place."),
      })
      .optional()
      .describe("Replaces a text wherever it occurs."),
  }),
  STRING_KEYS,
  "Format",
).transform(({ type, ...rest }) => ({ type, [STRING_KEYS[type]]: rest[STRING_KEYS[type]] }) as StringTransform);

export type MathTransform =
  | { readonly type: "Multiply"; readonly multiply: number }
  | { readonly type: "ClampMin"; readonly clampMin: number }
  | { readonly type: "ClampMax"; readonly clampMax: number };

const math = withKeyOfType(
  z.strictObject({
    type: z.enum(["Multiply", "ClampMin", "ClampMax"]).default("Multiply").describe("The calculation."),
    multiply: z.int().optional().describe("Multiplies the number."),
    clampMin: z.int().optional().describe("The least that comes out."),
    clampMax: z.int().optional().describe("The most that comes out."),
  }),
  { Multiply: "multiply", ClampMin: "clampMin", ClampMax: "clampMax" },
  "Multiply",
).transform((given) => given as MathTransform);

type Pattern = { readonly result: JsonValue } & (
  | { readonly type: "literal"; readonly literal: string }
  | { readonly type: "regexp"; readonly regexp: RE2JS }
);

const pattern = withKeyOfType(
  z.strictObject({
    type: z.enum(["literal", "regexp"]).default("literal").describe("How the value is compared."),
    literal: z.string().optional().describe("The value itself."),
    regexp: regexp.optional().describe("A regular expression of RE2, found anywhere in the value."),
    result: json.optional().describe("The value that comes out."),
  }),
  { literal: "literal", regexp: "regexp" },
  "literal",
).transform(({ result = null, ...given }) => ({ ...given, result }) as Pattern);

const match = z
  .strictObject({
    patterns: z.array(pattern).min(1).describe("Tried in this order; the first that matches counts."),
    fallbackTo: z
      .enum(["Value", "Input"])
      .default("Value")
      .describe("What comes out where none matches: `fallbackValue`, or the value itself."),
    fallbackValue: json.optional().describe("Comes out where none matches. Default: null."),
  })
  .refine(({ fallbackTo, fallbackValue }) => fallbackTo !== "Input" || fallbackValue === undefined, {
    ...onObjects,
    path: ["fallbackValue"],
    error: "does not go with fallbackTo Input",
  })
  .transform(({ fallbackValue = null, ...given }) => ({ ...given, fallbackValue }));

const convert = z.strictObject({
  toType: z.enum(["string", "bool", "int", "int64", "float64", "object", "array"]).describe("The type that comes out."),
  format: z
    .enum(["none", "quantity", "json"])
    .default("none")
    .describe("How a string is read: a Kubernetes quantity (to float64) or JSON (to object and array)."),
});

export type Match = z.output<typeof match>;
export type Convert = z.output<typeof convert>;

export type Transform =
  | { readonly type: "string"; readonly string: StringTransform }
  | { readonly type: "map"; readonly map: Readonly<Record<string, JsonValue>> }
  | { readonly type: "match"; readonly match: Match }
  | { readonly type: "math"; readonly math: MathTransform }
  | { readonly type: "convert"; readonly convert: Convert };

const KINDS = ["string", "map", "match", "math", "convert"] as const;

/** A change of a value; its keys are those of function-patch-and-transform. */
export const transform = exactlyOneOf(
  z.strictObject({
    type: z.enum(KINDS).optional().describe("The kind of change; may be left out."),
    string: string.optional().describe("Makes a text of the value."),
    map: z
      .record(z.string(), json)
      .refine((pairs) => Object.keys(pairs).length > 0, { error: "empty" })
      .optional()
      .describe("Looks the value up."),
    match: match.optional().describe("Compares the value with patterns."),
    math: math.optional().describe("Calculates."),
    convert: convert.optional().describe("Makes another type of the value."),
  }),
  KINDS,
)
  .refine(({ type, ...given }) => type === undefined || given[type] !== undefined, {
    path: ["type"],
    error: "does not match the other key",
  })
  .transform((given): Transform => ({ ...given, type: KINDS.find((kind) => given[kind] !== undefined) }) as Transform);
