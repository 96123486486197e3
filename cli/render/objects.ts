import * as z from "zod";
import { isObject, type JsonObject, type JsonValue, ownValue } from "../../src/model/json.ts";
import { RenderError } from "./error.ts";

/** Finds the object at a key; empty if there is none. */
export function objectAt(value: JsonValue, key: string): JsonObject {
  const found = isObject(value) ? ownValue(value, key) : undefined;
  return isObject(found) ? found : {};
}

/**
 * Gives the object the schema's type.
 *
 * @throws {RenderError} listing all faults with their paths.
 */
export function narrow<Schema extends z.ZodType>(schema: Schema, object: JsonObject): z.output<Schema> {
  const parsed = schema.safeParse(object);
  if (parsed.success) return parsed.data;
  throw new RenderError(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
}

/** A field with a default for absent and null, as Go reads it. */
export const orElse = <Schema extends z.ZodType>(value: unknown, schema: Schema) =>
  z.preprocess((given) => given ?? value, schema);

/** A list of objects; empty by default. */
export const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => orElse([], z.array(z.object(shape)));
