/**
 * Quantities of Kubernetes, such as 500m, 10Gi and 1e3, as the double that apimachinery's Quantity.AsApproximateFloat64 gives:
 * a few cases are exact there only up to nine decimal places.
 */

const PATTERN = /^(?<sign>[+-]?)0*(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<suffix>[eEinumkKMGTP]*[+-]?\d*)$/;

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const MAX_INT64 = 2n ** 63n - 1n;
/** Smaller parts are rounded up. */
const NANO = 9;
/** Longer ones have more digits than any quantity needs. */
const MAX_LENGTH = 400;

/** Undefined for what is no quantity. */
export function parseQuantity(text: string): number | undefined {
  const groups = text === "" || text.length > MAX_LENGTH ? undefined : PATTERN.exec(text)?.groups;
  if (groups === undefined || text === "+" || text === "-") return bareSign(text);
  const { sign = "", whole = "", fraction = "", suffix = "" } = groups;
  const unit = toUnit(suffix);
  if (unit === undefined) return undefined;
  const magnitude = scale(whole === "" ? "0" : whole, fraction, unit);
  return sign === "-" && magnitude !== 0 ? -magnitude : magnitude;
}

/** Kubernetes takes a sign alone for zero. */
const bareSign = (text: string): number | undefined => (text === "+" || text === "-" ? 0 : undefined);

interface Unit {
  readonly base: 2 | 10;
  readonly exponent: number;
}

function toUnit(suffix: string): Unit | undefined {
  if (Object.hasOwn(DECIMAL, suffix)) return { base: 10, exponent: DECIMAL[suffix] ?? 0 };
  if (Object.hasOwn(BINARY, suffix)) return { base: 2, exponent: BINARY[suffix] ?? 0 };
  const exponent = /^[eE](?<digits>[+-]?\d{1,9})$/.exec(suffix)?.groups?.["digits"];
  return exponent === undefined ? undefined : { base: 10, exponent: Number(exponent) };
}

function scale(whole: string, fraction: string, { base, exponent }: Unit): number {
  const length = whole.length + fraction.length;
  const unscaled = BigInt(whole + fraction);
  if (base === 10) {
    const power = exponent - fraction.length;
    return length <= 18 && power >= -NANO ? times(unscaled, power) : roundUp(unscaled, power);
  }
  const shifted = unscaled << BigInt(exponent);
  const isShort = fraction === "" && 15 - length - Math.trunc(Math.fround((Math.fround(exponent) * 3) / 10)) - 1 >= 0;
  if (isShort && shifted <= MAX_INT64) return Number(shifted);
  if (unscaled > MAX_INT64 * 10n ** BigInt(fraction.length) || shifted > MAX_INT64 * 10n ** BigInt(fraction.length)) {
    return Number(MAX_INT64);
  }
  return roundUp(shifted, -fraction.length);
}

/** To nine decimal places, and at least the smallest part that there is. */
function roundUp(unscaled: bigint, power: number): number {
  if (unscaled === 0n) return 0;
  const places = power + NANO;
  if (places > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  if (places >= 0) return times(unscaled * 10n ** BigInt(places), -NANO);
  if (-places > MAX_LENGTH * 2) return times(1n, -NANO);
  const divisor = 10n ** BigInt(-places);
  return times((unscaled + divisor - 1n) / divisor, -NANO);
}

/** Multiplies as Go's math.Pow10 does, in two steps. */
function times(unscaled: bigint, power: number): number {
  if (power === 0) return Number(unscaled);
  return Number(unscaled) * toPowerOf10(power);
}

function toPowerOf10(power: number): number {
  if (power > 308) return Number.POSITIVE_INFINITY;
  if (power < -323) return 0;
  const size = Math.abs(power);
  const [coarse, fine] = [size - (size % 32), size % 32].map(String);
  return power < 0 ? Number(`1e-${coarse}`) / Number(`1e${fine}`) : Number(`1e${coarse}`) * Number(`1e${fine}`);
}
