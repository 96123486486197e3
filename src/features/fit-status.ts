import type { Composite } from "../crossplane/composite.ts";
import { brief, listSome, MAX_NAMES } from "../model/condition.ts";
import type { ValueEdit } from "../model/document.ts";
import { EVERY, type FieldPath, formatFieldPath } from "../model/field-path.ts";
import { isList, isObject, type JsonObject, type JsonValue, ownValue } from "../model/json.ts";
import type { Call } from "./feature.ts";

/**
 * Removes fields that the XR's schema lacks from values for its status. With such a field Crossplane cannot apply the
 * status at all, and all conditions become stale. If a whole value is removed, the status keeps what the XR shows.
 *
 * Requires the schema (Crossplane v2.2 and later) until the XR shows all values. Removes nothing before the answer.
 *
 * @returns lacking: the fields that the schema lacks.
 */
export function fitStatus(values: readonly ValueEdit[], { request, composite, requirements }: Call) {
  const isShown = ({ path, value }: ValueEdit): boolean => contains(composite.document.at(path), value);
  const asIs = { values, lacking: [] };
  if (!request.capabilities.has("RequiredSchemas") || values.every(isShown)) return asIs;
  const { apiVersion, kind } = composite;
  const answer = requirements.askSchema({ name: `status/${apiVersion}/${kind}`, apiVersion, kind });
  if (answer.is !== "resolved") return asIs;
  const lacking = new Map<string, FieldPath>();
  const schema = answer.schema.at(STATUS_SCHEMA);
  const fitted = values.flatMap((edit): readonly ValueEdit[] => {
    if (isShown(edit)) return [edit];
    const { path, value } = edit;
    const fitting = toFitting(value, path.slice(1).reduce(stepInto, schema), path, lacking);
    const kept = fitting === undefined ? composite.document.at(path) : fitting;
    return kept === undefined ? [] : [{ path, value: kept }];
  });
  return { values: fitted, lacking: [...lacking.values()] };
}

const STATUS_SCHEMA: FieldPath = ["properties", "status"];

export const explainLacking = (lacking: readonly FieldPath[], { kind }: Composite): string =>
  `cannot set ${listSome(lacking, MAX_NAMES, (path) => brief(formatFieldPath(path)))}: the XRD of ${kind} has no such field, ` +
  "or has it with another type; correct the XRD's schema, or change toCompositeFieldPath";

/** Tells whether the XR shows a value. Shown objects may have more fields, from defaults; lists have to be of the same length. */
export function contains(shown: JsonValue | undefined, value: JsonValue): boolean {
  if (isList(value)) {
    return isList(shown) && shown.length === value.length && value.every((item, index) => contains(shown[index], item));
  }
  if (!isObject(value)) return shown === value;
  return isObject(shown) && Object.entries(value).every(([key, field]) => contains(ownValue(shown, key), field));
}

/** Picks the part of a value that its schema allows. @param lacking receives the paths of the removed fields, by their text. */
function toFitting(
  value: JsonValue,
  schema: JsonValue | undefined,
  at: FieldPath,
  lacking: Map<string, FieldPath>,
): JsonValue | undefined {
  if (schema === ANYTHING) return value;
  if (!isObject(schema) || !hasType(value, schema)) {
    lacking.set(formatFieldPath(at), at);
    return undefined;
  }
  if (isList(value)) {
    const items = value.map((item, index) => toFitting(item, stepInto(schema, index), [...at, EVERY], lacking));
    return items.filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const fitting = toFitting(field, stepInto(schema, key), [...at, key], lacking);
    return fitting === undefined ? [] : [[key, fitting] as const];
  });
  return Object.fromEntries(fields);
}

/** The schema that allows any value: `additionalProperties: true`, and all below it. */
const ANYTHING = true;

function stepInto(schema: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (!isObject(schema)) return schema === ANYTHING ? ANYTHING : undefined;
  const { properties, additionalProperties, items } = schema;
  const own = isObject(properties) ? ownValue(properties, String(step)) : undefined;
  const found = typeof step === "number" ? items : (own ?? additionalProperties);
  if (found !== undefined && found !== false) return found;
  return schema["x-kubernetes-preserve-unknown-fields"] === true ? ANYTHING : undefined;
}

/** Tells whether a value has the type of its schema; with another type the API server refuses the whole status. */
function hasType(value: JsonValue, { type, nullable }: JsonObject): boolean {
  if (value === null) return nullable === true || type === undefined;
  if (type === "integer") return Number.isInteger(value);
  // A schema without a type allows anything, or x-kubernetes-int-or-string.
  return (
    !["object", "array", "string", "number", "boolean"].includes(String(type)) ||
    (isList(value) ? "array" : typeof value) === type
  );
}
