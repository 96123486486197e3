import { formatFloat } from "./float.ts";
import { isPrintable, quoteRune } from "./quote.ts";
import { isZeroPadded, pad, type Style, withoutZero } from "./style.ts";

const BASES: Readonly<Record<string, number>> = { v: 10, s: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

const MAX_RUNE = 0x10ffffn;

/** Prints an int64. Undefined for a verb that is not for integers. */
export function printInteger(value: bigint, verb: string, style: Style): string | undefined {
  const base = BASES[verb];
  if (base !== undefined) return printDigits(value, verb, base, style);
  const rune = value < 0n || value > MAX_RUNE ? 0xfffd : Number(value);
  switch (verb) {
    case "c":
      return pad(toCharacter(rune), style);
    case "q":
      return pad(quoteRune(rune, style.flags.has("+")), style);
    case "U":
      return pad(toCodePoint(value, style), withoutZero(style));
    default:
      return undefined;
  }
}

/** Surrogates are no characters. */
const toCharacter = (rune: number): string => String.fromCodePoint(rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune);

function toCodePoint(value: bigint, { flags, precision = 0 }: Style): string {
  const digits = BigInt.asUintN(64, value).toString(16).toUpperCase().padStart(Math.max(4, precision), "0");
  if (!flags.has("#") || value < 0n || value > MAX_RUNE) return `U+${digits}`;
  const character = toCharacter(Number(value));
  return `U+${digits}${isPrintable(character) ? ` '${character}'` : ""}`;
}

function printDigits(value: bigint, verb: string, base: number, style: Style): string {
  const { flags, width, precision } = style;
  if (precision === 0 && value === 0n) return " ".repeat(width);
  const sign = value < 0n ? "-" : signOfPositive(flags);
  const least = precision ?? (isZeroPadded(style) ? width - sign.length : 0);
  const digits = (value < 0n ? -value : value).toString(base).padStart(least, "0");
  return pad(
    sign + findPrefix(verb, digits, flags) + (verb === "X" ? digits.toUpperCase() : digits),
    withoutZero(style),
  );
}

function signOfPositive(flags: ReadonlySet<string>): string {
  if (flags.has("+")) return "+";
  return flags.has(" ") ? " " : "";
}

function findPrefix(verb: string, digits: string, flags: ReadonlySet<string>): string {
  const octal = flags.has("#") && digits[0] !== "0" ? "0" : "";
  if (verb === "O") return `0o${octal}`;
  return flags.has("#") ? ({ b: "0b", o: octal, x: "0x", X: "0X" }[verb] ?? "") : "";
}

/** Verbs that Go has for integers only. */
const INTEGER_VERBS = "doOcU";

/** The letters of strconv.FormatFloat by verb. */
const LETTERS: Readonly<Record<string, string>> = {
  v: "g",
  s: "g",
  F: "f",
  ...Object.fromEntries(Array.from("bgGxXfeE", (letter) => [letter, letter])),
};

/** Prints a float64; whole numbers under the verbs of integers, too. Undefined for a verb that is not for numbers. */
export function printNumber(value: number, verb: string, style: Style): string | undefined {
  if (INTEGER_VERBS.includes(verb)) {
    return Number.isInteger(value) ? printInteger(BigInt(value), verb, style) : undefined;
  }
  const letter = LETTERS[verb];
  return letter === undefined ? undefined : printFloat(value, letter, style);
}

function printFloat(value: number, letter: string, style: Style): string {
  const precision = style.precision ?? ("feE".includes(letter) ? 6 : undefined);
  const text = formatFloat(value, letter, precision);
  const unsigned = text.replace(/^[+-]/, "");
  const sign = text.startsWith("-") ? "-" : signOfPositive(style.flags);
  if (!Number.isFinite(value)) return printSpecial(sign, unsigned, style);
  const digits = style.flags.has("#") && letter !== "b" ? withPoint(unsigned, letter, precision) : unsigned;
  return padNumber(sign, digits, style);
}

/** Infinity has a sign always. */
const printSpecial = (sign: string, name: string, style: Style): string =>
  pad((sign || (name === "Inf" ? "+" : "")) + name, withoutZero(style));

function padNumber(sign: string, digits: string, style: Style): string {
  const isPadded = isZeroPadded(style) && sign !== "" && style.width > sign.length + digits.length;
  return isPadded ? sign + digits.padStart(style.width - sign.length, "0") : pad(sign + digits, style);
}

/** The flag # has a decimal point always, and zeros at the end where %g and %x would leave them out. */
function withPoint(unsigned: string, letter: string, precision: number | undefined): string {
  const shape = letter === "x" || letter === "X" ? /^(.*?)(p.*)?$/i : /^(.*?)(e.*)?$/i;
  const [, mantissa = "", tail = ""] = shape.exec(unsigned) ?? [];
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.`;
  if (!"gGx".includes(letter)) return pointed + tail;
  const significant = /[^0.].*$/s.exec(mantissa)?.[0].replace(".", "").length ?? (mantissa === "0" ? 1 : 0);
  return pointed + "0".repeat(Math.max((precision ?? 6) - significant, 0)) + tail;
}
