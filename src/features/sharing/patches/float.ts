/**
 * Prints doubles as Go's strconv.FormatFloat does: rounded exactly, halves to the even digit, where JavaScript rounds halves
 * up.
 */

/** The significant digits of a positive number, without zeros at the end, and the position of its decimal point. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** @param precision the digits that the verb asks for; undefined for as many as tell the number from all others */
export function formatFloat(value: number, verb: string, precision: number | undefined): string {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (!Number.isFinite(value)) return sign === "" ? "+Inf" : "-Inf";
  return sign + formatPositive(Math.abs(value), verb, precision);
}

function formatPositive(value: number, verb: string, precision: number | undefined): string {
  switch (verb) {
    case "b":
      return formatBinary(value);
    case "x":
      return formatHexadecimal(value, precision);
    case "X":
      return formatHexadecimal(value, precision).toUpperCase();
    case "e":
    case "E":
      return formatExponent(toDecimal(value, precision === undefined ? undefined : precision + 1), verb, precision);
    case "f":
      return formatPlain(toDecimal(value, undefined, precision), precision);
    default:
      return formatShort(value, verb === "G" ? "E" : "e", precision);
  }
}

const formatPlain = ({ digits, point }: Decimal, places = Math.max(digits.length - point, 0)): string => {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  const fraction = `${"0".repeat(Math.max(-point, 0))}${digits.slice(Math.max(point, 0))}`;
  return places > 0 ? `${whole}.${fraction.padEnd(places, "0").slice(0, places)}` : whole;
};

function formatExponent({ digits, point }: Decimal, letter: string, places = Math.max(digits.length - 1, 0)): string {
  const exponent = digits === "" ? 0 : point - 1;
  const mantissa = digits.padEnd(places + 1, "0");
  const fraction = places > 0 ? `.${mantissa.slice(1, places + 1)}` : "";
  return `${mantissa[0]}${fraction}${letter}${withTwoDigits(exponent)}`;
}

/** The verb %g: an exponent for very small and large numbers. */
function formatShort(value: number, letter: string, precision: number | undefined): string {
  const wanted = precision === undefined ? undefined : Math.max(precision, 1);
  const decimal = toDecimal(value, wanted);
  const { digits, point } = decimal;
  const isWhole = digits.length >= point;
  const most = wanted === undefined ? 6 : wanted > digits.length && isWhole ? digits.length : wanted;
  const shown = Math.min(wanted ?? digits.length, digits.length);
  if (point - 1 < -4 || point - 1 >= most) return formatExponent(decimal, letter, Math.max(shown - 1, 0));
  return formatPlain(decimal);
}

/** Rounds to a number of digits, or of decimal places; without either, the digits are the fewest that tell it apart. */
function toDecimal(value: number, digits: number | undefined, places?: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  if (digits === undefined && places === undefined) {
    const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
    return trimmed(mantissa.replace(".", ""), Number(exponent) + 1);
  }
  const exact = toExactDecimal(value);
  return rounded(exact, digits ?? exact.point + (places ?? 0));
}

const trimmed = (digits: string, point: number): Decimal => {
  const significant = digits.replace(/0+$/, "");
  return { digits: significant, point: significant === "" ? 0 : point };
};

function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: "", point: 0 };
  if (count >= digits.length) return { digits, point };
  const kept = digits.slice(0, count);
  const rest = digits.slice(count);
  const isHalf = rest === "5";
  const isUp = isHalf ? Number(kept.at(-1) ?? 0) % 2 === 1 : rest >= "5";
  if (!isUp) return trimmed(kept, point);
  const next = String(BigInt(`0${kept}`) + 1n).padStart(count, "0");
  return trimmed(next, next.length > count ? point + 1 : point);
}

interface Binary {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const FRACTION_BITS = 52;
const LEADING_BIT = 2n ** 52n;

/** The number is mantissa · 2^exponent. */
function toBinary(value: number): Binary {
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleBE(value);
  const bits = buffer.readBigUInt64BE();
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & (LEADING_BIT - 1n);
  const mantissa = biased === 0 ? fraction : fraction | LEADING_BIT;
  return { mantissa, exponent: Math.max(biased, 1) - 1023 - FRACTION_BITS };
}

/** Every double has a finite decimal form. */
function toExactDecimal(value: number): Decimal {
  const { mantissa, exponent } = toBinary(value);
  if (exponent >= 0) {
    const digits = String(mantissa << BigInt(exponent));
    return trimmed(digits, digits.length);
  }
  const digits = String(mantissa * 5n ** BigInt(-exponent));
  return trimmed(digits, digits.length + exponent);
}

const withSign = (exponent: number): string => `${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;

function formatBinary(value: number): string {
  const { mantissa, exponent } = toBinary(value);
  return `${mantissa}p${withSign(exponent)}`;
}

const NIBBLES = 13;

function formatHexadecimal(value: number, precision: number | undefined): string {
  const { mantissa, exponent } = roundedTo(normalised(value), precision);
  const hexadecimal = mantissa.toString(16).padStart(NIBBLES + 1, "0");
  const fraction = hexadecimal.slice(1);
  const shown =
    precision === undefined ? fraction.replace(/0+$/, "") : fraction.padEnd(precision, "0").slice(0, precision);
  return `0x${hexadecimal[0]}${shown && `.${shown}`}p${withTwoDigits(exponent)}`;
}

const withTwoDigits = (exponent: number): string =>
  `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

/** The mantissa begins with its leading bit, which has the exponent. */
function normalised(value: number): Binary {
  const binary = toBinary(value);
  let { mantissa } = binary;
  if (mantissa === 0n) return { mantissa, exponent: 0 };
  let exponent = binary.exponent + FRACTION_BITS;
  for (; mantissa < LEADING_BIT; exponent--) mantissa <<= 1n;
  return { mantissa, exponent };
}

/** Rounds to that many hexadecimal digits, halves to the even one. */
function roundedTo(binary: Binary, precision = NIBBLES): Binary {
  if (precision >= NIBBLES) return binary;
  const unit = 1n << BigInt((NIBBLES - precision) * 4);
  const rest = binary.mantissa % unit;
  const isOdd = (binary.mantissa / unit) % 2n === 1n;
  const isUp = rest * 2n > unit || (rest * 2n === unit && isOdd);
  const mantissa = binary.mantissa - rest + (isUp ? unit : 0n);
  const isCarried = mantissa >= 2n * LEADING_BIT;
  return isCarried
    ? { mantissa: mantissa >> 1n, exponent: binary.exponent + 1 }
    : { mantissa, exponent: binary.exponent };
}
