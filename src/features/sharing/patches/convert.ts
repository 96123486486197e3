import type { Convert } from "../../../input/transform.ts";
import { isDeeper, isObject, type JsonValue, MAX_DEPTH } from "../../../model/json.ts";
import { formatFloat } from "./float.ts";
import { type GoValue, isList, typeOf } from "./go-value.ts";
import { parseQuantity } from "./quantity.ts";

/** A value, or the reason why there is none. */
export type Transformed = { readonly is: "transformed"; readonly value: GoValue } | Failed;

export interface Failed {
  readonly is: "failed";
  readonly fault: string;
}

export const transformed = (value: GoValue): Transformed => ({ is: "transformed", value });
export const failed = (fault: string): Failed => ({ is: "failed", fault });

type Type = "string" | "bool" | "int64" | "float64" | "object" | "array";

/** Converts as Go does: text is read whole, in decimal; a fraction is cut off; only 1 is true. */
export function convert(value: GoValue, { toType, format }: Convert): Transformed {
  const from = typeOf(value);
  const to: Type = toType === "int" ? "int64" : toType;
  if (from === "<nil>" || isList(value) || isObject(value)) return failed(`${show(value)} cannot be converted`);
  if (from === to) return transformed(value);
  const conversion = conversions[`${from} to ${to} as ${format}`];
  if (conversion === undefined) return failed(`no conversion from ${from} to ${to} with format ${format}`);
  const converted = conversion(value as never);
  if (converted === undefined) return failed(`${show(value)} is no ${to}`);
  // JSON.parse takes any depth; what is done with its result is recursive.
  if (isDeeper(converted, MAX_DEPTH)) return failed(`${show(value)} is nested deeper than ${MAX_DEPTH} levels`);
  return transformed(converted);
}

/** Each is called with the type that it is for only. Undefined for what cannot be converted. */
const conversions: Readonly<Record<string, (value: never) => GoValue | undefined>> = {
  "string to int64 as none": parseInteger,
  "string to bool as none": parseBoolean,
  "string to float64 as none": parseFloat64,
  "string to float64 as quantity": parseQuantity,
  "string to object as json": (text: string) => parseExactJson(text, isObject),
  "string to array as json": (text: string) => parseExactJson(text, isList),
  "int64 to string as none": String,
  "int64 to bool as none": (value: bigint) => value === 1n,
  "int64 to float64 as none": (value: bigint) => (BigInt(Number(value)) === value ? Number(value) : undefined),
  "bool to string as none": String,
  "bool to int64 as none": (value: boolean) => (value ? 1n : 0n),
  "bool to float64 as none": Number,
  "float64 to string as none": (value: number) => formatFloat(value, "f", undefined),
  "float64 to int64 as none": truncate,
  "float64 to bool as none": (value: number) => value === 1,
};

const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** More digits than any int64 has are not read: the time that takes grows faster than the text. */
function parseInteger(text: string): bigint | undefined {
  const digits = /^(?<sign>[+-]?)0*(?<digits>\d{1,19})$/.exec(text)?.groups;
  if (digits === undefined) return undefined;
  const value = BigInt(digits["digits"] ?? "") * (digits["sign"] === "-" ? -1n : 1n);
  return fitsInt64(value) ? value : undefined;
}

function parseBoolean(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}

function truncate(value: number): bigint | undefined {
  if (!Number.isFinite(value)) return undefined;
  const whole = BigInt(Math.trunc(value));
  return fitsInt64(whole) ? whole : undefined;
}

/** Digits can be read in one way only: otherwise a long text that is no number takes time that grows with its square. */
const DECIMAL = /^[+-]?(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:e[+-]?\d(?:_?\d)*)?$/i;
const SPECIAL = /^(?:nan|[+-]?inf(?:inity)?)$/i;

function parseFloat64(text: string): number | undefined {
  if (SPECIAL.test(text)) return toSpecial(text);
  if (!DECIMAL.test(text)) return undefined;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}

function toSpecial(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Null is null, whatever is expected. Numbers that a double does not hold exactly are not rounded. */
function parseExactJson(text: string, isExpected: (value: JsonValue) => boolean): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return (value === null || isExpected(value)) && hasExactNumbers(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A string, so that what looks like a number in it is passed over, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Of a number that may not be exact: fewer characters without an exponent are. */
const LONG_NUMBER = /[-.\d]{16}|\d[eE]/;

const hasExactNumbers = (text: string): boolean =>
  !LONG_NUMBER.test(text) || [...text.matchAll(TOKEN)].every(([token]) => isExact(token));

function isExact(token: string): boolean {
  if (token.startsWith('"') || !LONG_NUMBER.test(token)) return true;
  const value = Number(token);
  return /^-?\d+$/.test(token)
    ? token.length < 400 && Number.isFinite(value) && BigInt(token) === BigInt(value)
    : Number.isFinite(value);
}

/** Cut short: a field of a shared resource is no Secret, but need not be repeated whole either. */
export function show(value: GoValue): string {
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
