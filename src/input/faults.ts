import type * as z from "zod";
import { FunctionError } from "../errors.ts";
import { didYouMean } from "../model/did-you-mean.ts";
import { type FieldPath, formatFieldPath } from "../model/field-path.ts";

/** A fault of the input: its path, and a message. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

export const invalidInput = (faults: readonly Fault[]): FunctionError =>
  new FunctionError(
    "InvalidInput",
    ["cannot use the input:", ...faults.map(({ path, message }) => `  ${path}: ${message}`)].join("\n"),
  );

/** Converts a schema's issues to faults, one for each wrong field. */
export const faultsIn = ({ issues }: z.core.$ZodError, schema: z.core.$ZodType): readonly Fault[] =>
  issues.flatMap((issue) => toFaults(issue, schema));

function toFaults(issue: z.core.$ZodIssue, schema: z.core.$ZodType): readonly Fault[] {
  const path = issue.path.filter((step) => typeof step !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = listFields(schema, path);
    return issue.keys.map((key) => ({
      path: formatFieldPath([...path, key]),
      message: `unknown field${didYouMean(key, known)}`,
    }));
  }
  const meant = issue.code === "invalid_union" ? findMeant(issue) : undefined;
  if (meant !== undefined) return meant.flatMap((nested) => toFaults(nested, schema));
  return [{ path: path.length === 0 ? "input" : formatFieldPath(path), message: toFaultMessage(issue, path) }];
}

/** The parts of zod's definitions that lead to other schemas. */
interface ZodDefinition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

/** Lists the fields of a schema's object at a path; empty if the schema has no object there. */
function listFields(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape, element, valueType, innerType, in: input, options } = schema._zod.def as ZodDefinition;
  const wrapped = innerType ?? input;
  if (wrapped !== undefined) return listFields(wrapped, path);
  if (options !== undefined) return options.flatMap((option) => listFields(option, path));
  const [step, ...rest] = path;
  if (step === undefined) return Object.keys(shape ?? {});
  const next = shape?.[String(step)] ?? element ?? valueType;
  return next === undefined ? [] : listFields(next, rest);
}

/** Finds the issues of the only alternative whose type matches the value, with whole paths. */
function findMeant({ errors, path }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const [meant, ...others] = errors.filter(
    (issues) => !issues.some((issue) => issue.path.length === 0 && issue.code === "invalid_type"),
  );
  if (meant === undefined || others.length > 0) return undefined;
  return meant.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

/** The issues of a value of a wrong type, or of none. */
const OF_TYPES: readonly unknown[] = ["invalid_type", "invalid_value", "invalid_union"];

function toFaultMessage(issue: z.core.$ZodIssue, path: FieldPath): string {
  if (issue.input === undefined && OF_TYPES.includes(issue.code)) return "required";
  switch (issue.code) {
    case "invalid_type":
      return `not ${article(issue.expected)}: ${show(issue.input, path)}`;
    case "invalid_value":
      return `not ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}: ${show(issue.input, path)}`;
    case "too_small":
      return issue.origin === "array" ? "an empty list" : "empty";
    case "invalid_union":
      return `not allowed here: ${show(issue.input, path)}`;
    default:
      return issue.message;
  }
}

const article = (type: string): string => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;

/** Fields with users' data. Messages are logged, so they do not show these values. */
const CONTENTS: readonly (string | number)[] = ["value", "defaultData", "labels", "annotations"];

/** Shows a wrong value, shortened; only its type for users' data. */
function show(value: unknown, path: FieldPath): string {
  if (path.some((step) => CONTENTS.includes(step))) return describeType(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}

function describeType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : article(typeof value);
}
