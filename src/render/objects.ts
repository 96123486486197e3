import type { z } from "zod";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../model/json.ts";
import { RenderError } from "./error.ts";

/** The object at a key; empty where there is none. */
export function objectAt(value: JsonValue, key: string): JsonObject {
  const found = isObject(value) ? ownValue(value, key) : undefined;
  return isObject(found) ? found : {};
}

/**
 * The object with the types that the schema promises.
 *
 * @throws {RenderError} with all faults, each with its path.
 */
export function narrow<Schema extends z.ZodType>(schema: Schema, object: JsonObject): z.output<Schema> {
  const parsed = schema.safeParse(object);
  if (parsed.success) return parsed.data;
  throw new RenderError(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}
