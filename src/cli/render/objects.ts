import * as z from "zod";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../model/json.ts";
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

/** A field as Go reads it: where it is absent or null, it has another value. */
export const orElse = <Schema extends z.ZodType>(value: unknown, schema: Schema) =>
  z.preprocess((given) => given ?? value, schema);

/** A list of objects; an empty one where there is none. */
export const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => orElse([], z.array(z.object(shape)));
