import { documentOf } from "../../model/document.ts";
import type { FieldPath } from "../../model/field-path.ts";
import { isObject, type JsonValue } from "../../model/json.ts";
import type { SchemaSelector } from "../../model/requirement.ts";
import type { Call } from "../feature.ts";
import { readShape } from "./tag-map.ts";

/** The answer to whether a kind has a field by its OpenAPI schema. */
export interface FieldInSchema {
  readonly is: "there" | "absent" | "pending" | "unknown";
  /** The shape that the schema gives the field. */
  readonly shape?: JsonValue | undefined;
}

/** Asks Crossplane v2.2 and later for the schema; earlier versions cannot be asked. */
export function findField({ apiVersion, kind }: SchemaSelector, fieldPath: FieldPath, call: Call): FieldInSchema {
  if (!call.request.capabilities.has("RequiredSchemas")) return { is: "unknown" };
  const answer = call.requirements.askSchema({ name: `tags/${apiVersion}/${kind}`, apiVersion, kind });
  if (answer.is !== "resolved") return { is: answer.is };
  const path = fieldPath.flatMap((step) => ["properties", step]);
  const schema = answer.schema.at(path);
  const shape = isObject(schema) ? readShape(documentOf(schema)) : undefined;
  return { is: shape === undefined ? "absent" : "there", shape };
}
