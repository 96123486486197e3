import type { Transform } from "../../input/patch.ts";
import { type JsonValue, ownValue } from "../../model/json.ts";

export type Transformed =
  | { readonly is: "transformed"; readonly value: JsonValue }
  | { readonly is: "failed"; readonly fault: string };

/** Does to a value what function-patch-and-transform's transforms of the same names do. */
export function transform(value: JsonValue, transforms: readonly Transform[]): Transformed {
  return transforms.reduce<Transformed>(
    (before, next) => (before.is === "failed" ? before : apply(before.value, next)),
    { is: "transformed", value },
  );
}

const done = (value: JsonValue): Transformed => ({ is: "transformed", value });
const failed = (fault: string): Transformed => ({ is: "failed", fault });

function apply(value: JsonValue, { string, map, convert }: Transform): Transformed {
  if (string !== undefined) return done(format(string.fmt, value));
  if (map !== undefined) {
    const found = typeof value === "string" ? ownValue(map, value) : undefined;
    return found === undefined ? failed(`${show(value)} is not in the map`) : done(found);
  }
  const converted = convert === undefined ? value : convertTo(convert.toType, value);
  return converted === undefined ? failed(`${show(value)} is no ${convert?.toType}`) : done(converted);
}

const format = (text: string, value: JsonValue): string =>
  text.replace(/%[%sdv]/g, (verb) => (verb === "%%" ? "%" : textOf(value)));

const textOf = (value: JsonValue): string => (typeof value === "string" ? value : JSON.stringify(value));

type Type = NonNullable<Transform["convert"]>["toType"];

/** Undefined for what cannot be converted. Numbers are read as Go does: the whole text, in decimal. */
function convertTo(type: Type, value: JsonValue): JsonValue | undefined {
  switch (type) {
    case "string":
      return textOf(value);
    case "bool":
      return toBoolean(value);
    case "int64":
      return toNumber(value, /^[+-]?\d+$/);
    case "float64":
      return toNumber(value, /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/);
  }
}

/** As Go's strconv.ParseBool. */
function toBoolean(value: JsonValue): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (["1", "t", "T", "TRUE", "true", "True", 1].includes(value as string | number)) return true;
  return ["0", "f", "F", "FALSE", "false", "False", 0].includes(value as string | number) ? false : undefined;
}

/** More than any number has that a double can hold. */
const MAX_DIGITS = 400;

function toNumber(value: JsonValue, pattern: RegExp): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > MAX_DIGITS || !pattern.test(text)) return undefined;
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

/** Cut short: a field of a shared resource is no Secret, but need not be repeated whole either. */
const show = (value: JsonValue): string => {
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};
