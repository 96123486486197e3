import { isTimestamp } from "./timestamp.ts";

/**
 * What a plain (unquoted) YAML scalar means to go-yaml v2, the library under Kubernetes' tools: YAML 1.1, where `on`, `y`
 * and `0x1F` are not strings. One set of rules serves both ways: reading resolves, writing quotes what would not stay a
 * string.
 *
 * Source: go.yaml.in/yaml/v2, resolve.go.
 */
export type Resolved =
  | { readonly is: "null" }
  | { readonly is: "bool"; readonly value: boolean }
  | { readonly is: "number"; readonly value: number }
  | { readonly is: "timestamp" } // read as the string that it is, written in quotes
  | { readonly is: "string" };

export function resolvePlain(text: string): Resolved {
  if (isNull.test(text)) return { is: "null" };
  if (isTrue.test(text)) return { is: "bool", value: true };
  if (isFalse.test(text)) return { is: "bool", value: false };
  if (isTimestamp(text)) return { is: "timestamp" };

  const value = specialFloats.get(text) ?? toInteger(withoutUnderscores(text)) ?? toFloat(withoutUnderscores(text));
  return value === undefined ? { is: "string" } : { is: "number", value };
}

const isNull = /^(?:|~|null|Null|NULL)$/;
const isTrue = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const isFalse = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;

const specialFloats: ReadonlyMap<string, number> = new Map([
  ...[".nan", ".NaN", ".NAN"].map((text) => [text, Number.NaN] as const),
  ...["", "+"].flatMap((sign) => [".inf", ".Inf", ".INF"].map((text) => [sign + text, Infinity] as const)),
  ...[".inf", ".Inf", ".INF"].map((text) => [`-${text}`, -Infinity] as const),
]);

/** `1_000` is a number; what does not begin like one, such as `_1`, stays as it is. */
const withoutUnderscores = (text: string): string => (/^[-+\d]/.test(text) ? text.replaceAll("_", "") : text);

const integer = /^(?<sign>[-+]?)(?<digits>0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;

/** A whole number, in any base, that fits Go's int64 or uint64. */
function toInteger(text: string): number | undefined {
  const { sign, digits } = integer.exec(text)?.groups ?? {};
  if (digits === undefined) return undefined;
  const size = BigInt(digits.replace(/^0(?=\d)/, "0o"));
  if (sign === "-") return size <= 2n ** 63n ? Number(-size) : undefined;
  return size < 2n ** (sign === "+" ? 63n : 64n) ? Number(size) : undefined;
}

const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** A number that fits a float64. */
const toFloat = (text: string): number | undefined =>
  float.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;

/** YAML 1.1's base 60, `1:30`: go-yaml reads it as a string, and writes it in quotes for the parsers that do not. */
export const isBase60 = (text: string): boolean => /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/.test(text);
