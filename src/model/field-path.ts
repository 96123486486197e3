import { FunctionError } from "../errors.ts";
import { isObject, type JsonObject, type JsonValue, ownValue, pick } from "./json.ts";

/** A parsed field path: a string names an object's field, a number a list's index. */
export type FieldPath = readonly (string | number)[];

/** Matches one step of a path: `.name`, `name` at the start, or `[name or index]`. */
const segment = /(?:(?<=^)|(?<!^)\.)(?<field>[^.[\]]+)|\[(?<bracketed>[^[\]]+)\]/y;

/** The most steps of a path. Each is a level of recursion, and no Kubernetes object has as many levels. */
const MAX_STEPS = 100;

const index = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Parses `spec.subnets[0].id` or `metadata.annotations[crossplane.io/external-name]`, the syntax of
 * crossplane-runtime's `pkg/fieldpath`; names in brackets may be quoted. Rejects wildcards, which lead to several values.
 *
 * @throws {FunctionError} `InvalidFieldPath`, naming the position.
 */
export function parseFieldPath(text: string): FieldPath {
  const path: (string | number)[] = [];
  for (let position = 0; position < text.length; position = segment.lastIndex) path.push(stepAt(text, position));
  if (path.length === 0) throw notAPath(text, "it is empty");
  if (path.length > MAX_STEPS) throw notAPath(text, `it has more than ${MAX_STEPS} steps`);
  return path;
}

function stepAt(text: string, position: number): string | number {
  segment.lastIndex = position;
  const { field, bracketed } = segment.exec(text)?.groups ?? {};
  // Removes quotes. The lookbehind lets the search begin only once in a row of quotes: linear time.
  const name = field ?? bracketed?.replace(/^['"]+|(?<!['"])['"]+$/g, "");
  if (!name || name === EVERY) throw notAPath(text, `at position ${position}`);
  return bracketed !== undefined && index.test(bracketed) ? Number(bracketed) : name;
}

/** A step that means every item of a list or map. Only messages have it: `parseFieldPath` rejects it. */
export const EVERY = "*";

const notAPath = (text: string, reason: string): FunctionError =>
  new FunctionError("InvalidFieldPath", `not a field path: ${JSON.stringify(text.slice(0, 100))}, ${reason}`);

/** Formats a path for `parseFieldPath`: `spec.subnets[0].id`, `metadata.annotations[crossplane.io/paused]`. */
export const formatFieldPath = (path: FieldPath): string =>
  path
    .map((step, position) => {
      if (typeof step === "number") return `[${step}]`;
      if (step === EVERY || /[.[\]]/.test(step)) return `[${step}]`;
      return position === 0 ? step : `.${step}`;
    })
    .join("");

/** Reads the value at `path`; undefined if a step is missing, or leads into neither object nor list. */
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

/** Returns a copy with `value` at `path`; creates objects and lists that are missing on the way. @throws {FunctionError} `InvalidFieldPath` */
export function withValueAt(root: JsonObject, path: FieldPath, value: JsonValue): JsonObject {
  const object = withNested(root, path, value);
  if (isObject(object)) return object;
  throw new FunctionError(
    "InvalidFieldPath",
    `cannot set ${formatFieldPath(path)}: a value on this path is not the object or the list that the path needs, or the list is too short`,
  );
}

/** Returns a copy of `root` without the value at `path`. A value on the way that is not an object is removed instead. */
export function withoutValueAt(root: JsonObject, [step, ...rest]: FieldPath): JsonObject {
  const key = String(step);
  const value = ownValue(root, key);
  if (value === undefined) return root;
  if (rest.length > 0 && isObject(value)) return { ...root, [key]: withoutValueAt(value, rest) };
  return pick(root, (other) => other !== key);
}

/** Sets a value below `parent`; undefined if a value on the way is neither object nor list, or a list is too short. */
function withNested(parent: JsonValue | undefined, path: FieldPath, value: JsonValue): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  return typeof step === "number"
    ? withItem(parent ?? [], step, rest, value)
    : withProperty(parent ?? {}, step, rest, value);
}

function withItem(list: JsonValue, index: number, rest: FieldPath, value: JsonValue): JsonValue | undefined {
  if (!Array.isArray(list) || index > list.length) return undefined;
  const item = withNested(list[index], rest, value);
  return item === undefined ? undefined : [...list.slice(0, index), item, ...list.slice(index + 1)];
}

function withProperty(object: JsonValue, key: string, rest: FieldPath, value: JsonValue): JsonValue | undefined {
  if (!isObject(object)) return undefined;
  const field = withNested(ownValue(object, key), rest, value);
  // A computed property defines `__proto__`; an assignment would set the prototype.
  return field === undefined ? undefined : { ...object, [key]: field };
}
