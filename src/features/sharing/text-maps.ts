import { FunctionError } from "../../errors.ts";
import { brief } from "../../model/condition.ts";
import { type FieldPath, formatFieldPath, valueAt } from "../../model/field-path.ts";
import { isObject, type JsonObject, type JsonValue, toPlainText } from "../../model/json.ts";
import { MANIFEST } from "./copies/observed.ts";

/** The fields that are maps of strings in every kind. */
const OF_ALL: readonly FieldPath[] = [
  ["metadata", "labels"],
  ["metadata", "annotations"],
];
/** More fields that are maps of strings, by apiVersion and kind. */
const OF_KIND: Readonly<Record<string, readonly FieldPath[]>> = {
  "v1 ConfigMap": [["data"]],
  "v1 Secret": [["data"], ["stringData"]],
};

/**
 * Converts a value for its field: in maps of strings, such as labels, numbers and booleans become strings. Kubernetes would
 * refuse a resource with a number there, which stops the XR. The manifest of an Object of provider-kubernetes has such maps, too.
 *
 * @param object the resource that has the field.
 * @throws {FunctionError} `InvalidFieldPath` if the value cannot be a string, or the path leads into a string.
 */
export function toFitting(value: JsonValue, path: FieldPath, object: JsonObject): JsonValue {
  if (startsWith(path, MANIFEST)) {
    const manifest = valueAt(object, MANIFEST);
    return isObject(manifest) ? toFitting(value, path.slice(MANIFEST.length), manifest) : value;
  }
  const kind = `${toPlainText(object["apiVersion"])} ${toPlainText(object["kind"])}`;
  const map = [...OF_ALL, ...(OF_KIND[kind] ?? [])].find((each) => startsWith(path, each));
  if (map === undefined) return value;
  const isBase64 = kind === "v1 Secret" && map[0] === "data";
  const toText = (each: JsonValue): string => toFittingText(each, path, isBase64);
  if (path.length === map.length + 1) return toText(value);
  if (path.length > map.length || !isObject(value)) throw unfit(path, "the values of this map must be strings");
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toText(each)]));
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function toFittingText(value: JsonValue, path: FieldPath, isBase64: boolean): string {
  if (typeof value === "object") throw unfit(path, "the value must be a string");
  const text = toPlainText(value);
  if (isBase64 && !BASE64.test(text)) throw unfit(path, "the value must be base64; for a plain string, set stringData");
  return text;
}

const unfit = (path: FieldPath, reason: string): FunctionError =>
  new FunctionError("InvalidFieldPath", `cannot set ${brief(formatFieldPath(path))}: ${reason}`);

const startsWith = (path: FieldPath, start: FieldPath): boolean => start.every((step, index) => path[index] === step);
