import { isObject, type JsonObject, type JsonValue, pick } from "../../model/json.ts";

/** Tells whether a value is empty. Many Compositions write `subnetIds: []` or `[""]` until their cloud has answered. */
export const isEmpty = (value: JsonValue | symbol): boolean =>
  value === "" ||
  (Array.isArray(value) && value.every((item) => item === "")) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Leaves out empty fields, also below other fields. */
export function withoutEmpty(object: JsonObject): JsonObject {
  const full = pick(object, (_key, value) => !isEmpty(value));
  return Object.fromEntries(
    Object.entries(full).map(([key, value]) => [key, isObject(value) ? withoutEmpty(value) : value]),
  );
}
