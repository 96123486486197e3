import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { isObject, type JsonObject, type JsonValue } from "../../src/model/json.ts";
import { packageRoot } from "../../src/package.ts";

/**
 * Loads the RunFunction method of `proto/v1`, with the codecs of @grpc/proto-loader, for Crossplane's side of the wire. Its messages are
 * those below; `src/wire/` has the function's side.
 */
export function loadMethod(): MethodDefinition<object, object> {
  const file = fileURLToPath(new URL("proto/v1/run_function.proto", packageRoot));
  const definitions = loadSync(file, { longs: Number, enums: String, defaults: true, oneofs: true });
  const service = definitions["apiextensions.fn.proto.v1.FunctionRunnerService"];
  const method = service && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (method === undefined) throw new Error(`cannot find the method RunFunction in ${file}`);
  return method;
}

type Named<T> = Readonly<Record<string, T>>;

/** A request, as @grpc/proto-loader takes it. */
export interface RunFunctionRequest {
  readonly meta: { readonly tag?: string; readonly capabilities: readonly string[] };
  readonly observed: State;
  readonly desired: State;
  readonly input?: Struct;
  readonly context?: Struct;
  readonly extraResources?: Named<Resources>;
  readonly credentials?: Named<{ readonly credentialData: { readonly data: Named<Uint8Array> } }>;
  readonly requiredResources?: Named<Resources>;
  readonly requiredSchemas?: Named<Schema>;
}

export interface RunFunctionResponse {
  readonly desired: State | null;
  readonly results: readonly { readonly severity: string; readonly message: string }[];
  readonly context?: Struct | null;
  readonly requirements: Requirements | null;
  readonly conditions: readonly Condition[];
}

export interface State {
  readonly composite?: Resource | null;
  readonly resources?: Named<Resource>;
}

export interface Resource {
  readonly resource?: Struct | null;
  readonly connectionDetails?: Named<Uint8Array>;
  readonly ready?: "READY_UNSPECIFIED" | "READY_TRUE" | "READY_FALSE";
}

export type Resources = { readonly items: readonly Resource[] };

export type Schema = { readonly openapiV3?: Struct };

export interface Requirements {
  readonly extraResources: Named<ResourceSelector>;
  readonly resources: Named<ResourceSelector>;
  readonly schemas: Named<SchemaSelector>;
}

export type SchemaSelector = Readonly<Record<"apiVersion" | "kind", string>>;

export interface ResourceSelector extends SchemaSelector {
  readonly matchName?: string;
  readonly namespace?: string;
  readonly matchLabels?: { readonly labels: Named<string> };
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

/** google.protobuf.Struct. */
export type Struct = { readonly fields: Named<Value> };

export interface Value {
  readonly nullValue?: "NULL_VALUE";
  readonly boolValue?: boolean;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly listValue?: { readonly values: readonly Value[] };
  readonly structValue?: Struct;
}

export const toStruct = (object: JsonObject): Struct => ({ fields: mapValues(object, toValue) });

export const fromStruct = (struct: Struct): JsonObject => mapValues(struct.fields, fromValue);

function toValue(value: JsonValue): Value {
  if (value === null) return { nullValue: "NULL_VALUE" };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  return isObject(value) ? { structValue: toStruct(value) } : { listValue: { values: value.map(toValue) } };
}

function fromValue({ boolValue, numberValue, stringValue, listValue, structValue }: Value): JsonValue {
  if (structValue) return fromStruct(structValue);
  return listValue?.values.map(fromValue) ?? stringValue ?? numberValue ?? boolValue ?? null;
}

/** Maps the values. `Object.fromEntries` defines each key, so `__proto__` stays one. */
export const mapValues = <From, To>(entries: Named<From>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, to(value)]));
