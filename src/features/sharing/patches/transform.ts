import type { Match, MathTransform, Transform } from "../../../input/transform.ts";
import { type JsonValue, ownValue } from "../../../model/json.ts";
import { convert, type Failed, failed, show, type Transformed, transformed } from "./convert.ts";
import { type GoValue, typeOf } from "./go-value.ts";
import { toText } from "./string.ts";

/**
 * The characters of JSON that a transform takes. Addresses, names and certificates are far shorter, a bundle of all public
 * certificates has 220 KB, an object in etcd at most 1.5 MB. Its owner writes a value once; each of its consumers pays for it.
 */
const MAX_LENGTH = 256 * 1024;

/** The same for a regular expression, which takes ten times as long as other transforms. */
const MAX_SEARCHED = 128 * 1024;

function lengthOf(value: GoValue): number {
  if (typeof value === "string") return value.length;
  return typeof value === "object" ? JSON.stringify(value).length : 0;
}

/**
 * Does to a value what function-patch-and-transform's transforms of the same names do; test/features/sharing/patches has
 * what differs on purpose.
 */
export function transform(value: GoValue, transforms: readonly Transform[]): Transformed {
  let last = value;
  for (const [index, next] of transforms.entries()) {
    const result = refuseLong([last], isSearch(next) ? MAX_SEARCHED : MAX_LENGTH) ?? apply(last, next);
    if (result.is === "failed") return failed(`transforms[${index}] (${next.type}): ${result.fault}`);
    last = result.value;
  }
  return transformed(last);
}

/** Fails for values that are too long together; undefined for others. */
export function refuseLong(values: readonly GoValue[], most = MAX_LENGTH): Failed | undefined {
  const length = values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
  return length > most ? failed(`the value has ${length} characters, and at most ${most} are taken`) : undefined;
}

const isSearch = (next: Transform): boolean =>
  next.type === "match"
    ? next.match.patterns.some(({ type }) => type === "regexp")
    : next.type === "string" && next.string.type === "Regexp";

function apply(value: GoValue, next: Transform): Transformed {
  switch (next.type) {
    case "map":
      return lookUp(value, next.map);
    case "match":
      return match(value, next.match);
    case "math":
      return calculate(value, next.math);
    case "string":
      return toText(value, next.string);
    case "convert":
      return convert(value, next.convert);
  }
}

function lookUp(value: GoValue, map: Readonly<Record<string, JsonValue>>): Transformed {
  const found = typeof value === "string" ? ownValue(map, value) : undefined;
  return found === undefined ? failed(`${show(value)} is not in the map`) : transformed(found);
}

function match(value: GoValue, { patterns, fallbackTo, fallbackValue }: Match): Transformed {
  if (typeof value !== "string" && patterns.length > 0) return failed(`${show(value)} is no string`);
  const found = patterns.find((pattern) =>
    pattern.type === "literal" ? pattern.literal === value : pattern.regexp.matcher(String(value)).find(),
  );
  if (found !== undefined) return transformed(found.result);
  return transformed(fallbackTo === "Input" ? value : fallbackValue);
}

/** Whole numbers that were converted to one stay whole. */
function calculate(value: GoValue, math: MathTransform): Transformed {
  if (typeof value !== "number" && typeof value !== "bigint") return failed(`${show(value)} is no number`);
  if (math.type === "Multiply") return multiply(value, math.multiply);
  const whole = typeof value === "bigint" ? Number(value) : Math.trunc(value);
  if (math.type === "ClampMin") return transformed(whole < math.clampMin ? BigInt(math.clampMin) : value);
  return transformed(whole > math.clampMax ? BigInt(math.clampMax) : value);
}

function multiply(value: number | bigint, factor: number): Transformed {
  if (typeof value === "number") return transformed(value * factor);
  const product = value * BigInt(factor);
  if (BigInt.asIntN(64, product) === product) return transformed(product);
  return failed(`${value} times ${factor} is no ${typeOf(product)}`);
}

/** A value for a field, or the reason why there is none. */
type FieldValue = Failed | { readonly is: "transformed"; readonly value: JsonValue };

/** Transforms a value to one that JSON can hold. */
export function toValue(value: JsonValue, transforms: readonly Transform[]): FieldValue {
  const result = transform(value, transforms);
  if (result.is === "failed") return result;
  const json = toJson(result.value);
  return json === undefined
    ? { is: "failed", fault: "a number that JSON cannot hold" }
    : { is: "transformed", value: json };
}

function toJson(value: GoValue): JsonValue | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value !== "bigint") return value;
  return BigInt(Number(value)) === value ? Number(value) : undefined;
}
