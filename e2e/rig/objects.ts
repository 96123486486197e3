import { type ShownCondition, shownCondition } from "../../src/model/condition.ts";
import { documentOf } from "../../src/model/document.ts";
import { parseFieldPath, valueAt } from "../../src/model/field-path.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";

/** Readers of the API server's objects, for scenarios. An object that does not exist has only undefined fields. */

export const at = (object: JsonObject | undefined, path: string): JsonValue | undefined =>
  object && valueAt(object, parseFieldPath(path));

export const conditionOf = (object: JsonObject | undefined, type: string): ShownCondition | undefined =>
  object && shownCondition(documentOf(object), type);

export const nameOf = (object: JsonObject): string => String(at(object, "metadata.name"));

/** A Secret's value as the API server shows it. */
export const encode = (text: string): string => Buffer.from(text).toString("base64");
