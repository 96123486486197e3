import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";

/** google.protobuf.Struct as protobufjs' plain objects have it. */
export interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

export type Value =
  | { readonly kind?: "nullValue"; readonly nullValue: "NULL_VALUE" }
  | { readonly kind?: "boolValue"; readonly boolValue: boolean }
  | { readonly kind?: "numberValue"; readonly numberValue: number }
  | { readonly kind?: "stringValue"; readonly stringValue: string }
  | { readonly kind?: "listValue"; readonly listValue: { readonly values: readonly Value[] } }
  | { readonly kind?: "structValue"; readonly structValue: Struct };

/** Converts a JSON object to a Struct. */
export const toStruct = (object: JsonObject): Struct => ({ fields: mapValues(object, toValue) });

/** Converts a Struct to a JSON object. */
export const fromStruct = (struct: Struct): JsonObject => mapValues(struct.fields, fromValue);

function toValue(value: JsonValue): Value {
  if (value === null) return { nullValue: "NULL_VALUE" };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  return isObject(value) ? { structValue: toStruct(value) } : { listValue: { values: value.map(toValue) } };
}

function fromValue(value: Value): JsonValue {
  if ("boolValue" in value) return value.boolValue;
  if ("numberValue" in value) return value.numberValue;
  if ("stringValue" in value) return value.stringValue;
  if ("listValue" in value) return value.listValue.values.map(fromValue);
  return "structValue" in value ? fromStruct(value.structValue) : null;
}

/** Maps the values. `Object.fromEntries` defines each key, so `__proto__` stays one. */
export const mapValues = <From, To>(
  entries: Readonly<Record<string, From>>,
  to: (value: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, to(value)]));
