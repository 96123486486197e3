import type * as z from "zod";
import { FunctionError } from "../errors.ts";
import { brief, listSome, MAX_NAMES } from "../model/condition.ts";
import { didYouMean } from "../model/did-you-mean.ts";
import { EVERY, type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { isObject } from "../model/json.ts";

export interface Fault {
  readonly path: string;
  readonly message: string;
}

export const invalidInput = (faults: readonly Fault[]): FunctionError =>
  new FunctionError(
    "InvalidInput",
    ["cannot use the input:", ...faults.map(({ path, message }) => `  ${path}: ${message}`)].join("\n"),
  );

/** Converts the issues of an invalid input to faults, one for each wrong field. */
export const faultsIn = ({ issues }: z.core.$ZodError, schema: z.core.$ZodType): readonly Fault[] =>
  issues.flatMap((issue) => toFaults(issue, schema));

function toFaults(issue: z.core.$ZodIssue, schema: z.core.$ZodType): readonly Fault[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const fields = fieldsBelow(schema, path);
    return issue.keys.map((key) => ({
      path: formatFieldPath([...path, key]),
      message: `unknown field${suggestField(key, path, fields, issue.input)}`,
    }));
  }
  const meant = issue.code === "invalid_union" ? findMeant(issue) : undefined;
  if (meant !== undefined) return meant.flatMap((nested) => toFaults(nested, schema));
  return [{ path: path.length === 0 ? "input" : formatFieldPath(path), message: toFaultMessage(issue, path, schema) }];
}

/** The parts of a zod definition that contain other schemas. */
interface ZodDefinition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

/** Lists the paths of all fields of a schema, with EVERY for items of lists and maps. */
function listFields(schema: z.core.$ZodType, path: FieldPath = []): readonly FieldPath[] {
  const { shape = {}, element, valueType, innerType, in: from, options = [] } = schema._zod.def as ZodDefinition;
  const below = (one: z.core.$ZodType | undefined, ...step: FieldPath) =>
    one === undefined ? [] : listFields(one, [...path, ...step]);
  return [
    ...Object.entries(shape).flatMap(([field, one]) => [[...path, field], ...below(one, field)]),
    ...[element, valueType].flatMap((one) => below(one, EVERY)),
    ...[innerType, from, ...options].flatMap((one) => below(one)),
  ];
}

const isBelow = (field: FieldPath, path: FieldPath): boolean =>
  field.length > path.length && path.every((step, index) => field[index] === step || field[index] === EVERY);

const fieldsBelow = (schema: z.core.$ZodType, path: FieldPath): readonly FieldPath[] =>
  listFields(schema).filter((field) => isBelow(field, path));

/** Lists the fields of one object. */
const namesIn = (fields: readonly FieldPath[], path: FieldPath): readonly string[] => [
  ...new Set(fields.filter((field) => field.length === path.length + 1).map((field) => String(field.at(-1)))),
];

const listNames = (names: readonly string[]): string => listSome(names, MAX_NAMES, (name) => name);

/**
 * Suggests a field of the object with a similar name, or with all words of the name; else the nearest field with the same name further down;
 * else lists the object's fields.
 */
function suggestField(key: string, path: FieldPath, fields: readonly FieldPath[], input: unknown): string {
  if (path.includes("patches") && TRANSFORMING.test(key)) return TRANSFORMS;
  const isOfObject = (field: FieldPath): boolean => field.length === path.length + 1;
  // A field that is set as well was not meant, unless only the case of its letters differs.
  const mayBeMeant = (field: string): boolean =>
    !(isObject(input) && field in input) || field.toLowerCase() === key.toLowerCase();
  const known = namesIn(fields, path);
  const near = didYouMean(key, known.filter(mayBeMeant));
  if (near !== "") return near;
  const words = toWords(key);
  const longer = known.filter(mayBeMeant).filter((name) => words.every((word) => toWords(name).includes(word)));
  if (longer.length > 0) return `; did you mean ${longer.join(" or ")}?`;
  const [nearest] = fields
    .filter((field) => field.at(-1) === key && !isOfObject(field))
    .sort((a, b) => a.length - b.length);
  if (nearest === undefined) return known.length === 0 ? "" : `; the fields here are ${listNames(known)}`;
  const place = formatFieldPath([...path, ...nearest.slice(path.length)]);
  return `; did you mean ${place.replaceAll(`[${EVERY}]`, "[]")}?`;
}

const toWords = (name: string): readonly string[] => name.replace(/[A-Z]/g, " $&").toLowerCase().split(" ");

/** Matches fields that only patches of function-patch-and-transform have. */
const TRANSFORMING = /^(?:transforms|type|combine|variables|strategy|patchSetName)$/;

const TRANSFORMS =
  ": a patch copies a value as it is; to transform one, set toEnvironment, and use function-patch-and-transform in a later step";

/** Finds the issues of a union's only alternative that expects the value's type; undefined if none or several do. */
function findMeant({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const [meant, ...rest] = errors.filter((issues) => findWrongType(issues) === undefined);
  if (meant === undefined || rest.length > 0) return undefined;
  const mayBeList = errors.some((issues) => findWrongType(issues) === "array");
  return meant.map((issue) => {
    const message = issue.code === "custom" && mayBeList ? `${issue.message}; ${NEW_ITEM}` : issue.message;
    return { ...issue, message, path: [...path, ...issue.path] };
  });
}

/** Finds the type that an alternative expects; undefined if the value has that type. */
const findWrongType = (issues: readonly z.core.$ZodIssue[]): string | undefined =>
  issues.flatMap((issue) => (issue.path.length === 0 && issue.code === "invalid_type" ? [issue.expected] : []))[0];

const NEW_ITEM = 'begin each item of a list with "-"';

/** The codes of the issues by which zod reports a missing value. */
const MISSING: readonly unknown[] = ["invalid_type", "invalid_value", "invalid_union"];

function toFaultMessage(issue: z.core.$ZodIssue, path: FieldPath, schema: z.core.$ZodType): string {
  if (issue.input === undefined && MISSING.includes(issue.code)) return "required";
  switch (issue.code) {
    case "invalid_type":
      return explainType(issue, path, schema);
    case "invalid_value":
      return `not ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}: ${show(issue.input, path)}`;
    case "too_small":
      if (issue.origin === "array") return "an empty list";
      return issue.origin === "string" ? "empty" : issue.message;
    case "invalid_union":
      return `${explainAlternatives(issue)}: ${show(issue.input, path)}${suggestQuotes(issue)}`;
    default:
      return issue.message;
  }
}

function explainType(
  { expected, input }: z.core.$ZodIssueInvalidType,
  path: FieldPath,
  schema: z.core.$ZodType,
): string {
  if (expected === "object") {
    const names = listNames(namesIn(fieldsBelow(schema, path), path));
    return `not an object${names && ` with ${names}`}: ${show(input, path)}`;
  }
  if (expected === "record") return `not an object, such as {key: value}: ${show(input, path)}`;
  if (expected !== "array" || !isObject(input)) return `not ${article(expected)}: ${show(input, path)}`;
  return `not a list but an object with ${brief(Object.keys(input).join(", ")) || "no fields"}: ${NEW_ITEM}`;
}

/** Names the types that a union expects, such as `not a string or an object`, if the value has none of them. */
function explainAlternatives({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const types = errors.map(findWrongType).map((type) => type && article(type.replace("array", "list")));
  return types.includes(undefined)
    ? "not allowed here"
    : `not ${[...new Set(types)].join(", ").replace(/, ([^,]*)$/, " or $1")}`;
}

/** Suggests quotes for a text that YAML reads as a number or a boolean. */
function suggestQuotes({ errors, input }: z.core.$ZodIssueInvalidUnion): string {
  const mayBeText = errors.some((issues) => findWrongType(issues) === "string");
  return mayBeText && ["number", "boolean"].includes(typeof input) ? "; put it in quotes" : "";
}

const article = (type: string): string => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;

/** The fields with users' data. Their values are not shown, since messages are logged. */
const CONTENTS: readonly (string | number)[] = ["value", "defaultData", "labels", "annotations"];

/** Shows a wrong value, shortened; of users' data only the type. */
function show(value: unknown, path: FieldPath): string {
  if (path.some((step) => CONTENTS.includes(step))) return describeType(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : article(typeof value);
}
