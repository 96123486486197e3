import { FunctionError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, withKey } from "./json.ts";

/** The parsed segments of a field path: a string names an object's field, a number a list's index. */
export type FieldPath = readonly (string | number)[];

/** One step of a path: `.name`, `name` at the start, or `[name or index]`. Sticky: it is matched where the last ended. */
const segment = /(?:(?<=^)|(?<!^)\.)(?<field>[^.[\]]+)|\[(?<bracketed>[^[\]]+)\]/y;

const index = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Parses `spec.subnets[0].id` or `metadata.annotations[crossplane.io/external-name]`, the syntax of
 * crossplane-runtime's `pkg/fieldpath`, quotes inside brackets included. Wildcards are not paths to one value and fail.
 *
 * @throws {FunctionError} `InvalidFieldPath`, naming the position.
 */
export function parseFieldPath(text: string): FieldPath {
  const path: (string | number)[] = [];
  for (let position = 0; position < text.length; position = segment.lastIndex) {
    segment.lastIndex = position;
    const { field, bracketed } = segment.exec(text)?.groups ?? {};
    const name = field ?? bracketed?.replace(/^['"]+|['"]+$/g, "");
    if (!name || name === "*") {
      throw new FunctionError("InvalidFieldPath", `not a field path: ${JSON.stringify(text)}, at position ${position}`);
    }
    path.push(bracketed !== undefined && index.test(bracketed) ? Number(bracketed) : name);
  }
  if (path.length === 0) throw new FunctionError("InvalidFieldPath", "not a field path: it is empty");
  return path;
}

/** The value at `path`, or undefined where a step of it is missing or is not an object or list. */
export function valueAt(root: JsonValue, path: FieldPath): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const step of path) {
    value = stepInto(value, step);
    if (value === undefined) return undefined;
  }
  return value;
}

function stepInto(value: JsonValue, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isObject(value) ? ownValue(value, String(step)) : undefined;
}

/**
 * A copy of `root` with `value` at `path`. Missing objects and list items on the way are made.
 *
 * @throws {FunctionError} `InvalidFieldPath` where the path leads through something that is neither object nor list, or
 *   past the end of a list.
 */
export function withValueAt(root: JsonObject, path: FieldPath, value: JsonValue): JsonObject {
  const [step, ...rest] = path;
  if (typeof step !== "string") {
    throw new FunctionError("InvalidFieldPath", `cannot set index ${String(step)} of an object`);
  }
  return withKey(root, step, rest.length === 0 ? value : withNested(ownValue(root, step), rest, value));
}

function withNested(parent: JsonValue | undefined, path: FieldPath, value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (typeof step !== "number") {
    if (parent !== undefined && !isObject(parent)) {
      throw new FunctionError("InvalidFieldPath", `cannot set field ${String(step)}: its parent is not an object`);
    }
    return withValueAt(parent ?? {}, path, value);
  }
  const list = parent ?? [];
  if (!Array.isArray(list) || step > list.length) {
    throw new FunctionError("InvalidFieldPath", `cannot set index ${step}: its parent is not a list that long`);
  }
  return list.with(step, rest.length === 0 ? value : withNested(list[step], rest, value));
}
