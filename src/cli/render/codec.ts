import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { isObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { packageRoot } from "../../package.ts";
import type { Resource, RunFunctionRequest, RunFunctionResponse, State } from "./protocol.ts";

/** Loads the codec of Crossplane's side of the wire. The messages of v1beta1 have the same bytes. */
export function loadCodec() {
  const { requestSerialize, responseDeserialize } = loadMethod();
  return {
    encodeRequest: (request: RunFunctionRequest): Buffer => requestSerialize(toMessage(request)),
    // The codec's own type is `object`; with loadMethod's options it yields what the .proto file says.
    decodeResponse: (bytes: Uint8Array): RunFunctionResponse =>
      fromMessage(responseDeserialize(Buffer.from(bytes)) as ResponseMessage),
  };
}

function loadMethod(): MethodDefinition<object, object> {
  const file = fileURLToPath(new URL("proto/v1/run_function.proto", packageRoot));
  const definitions = loadSync(file, { longs: Number, enums: String, defaults: true, oneofs: true });
  const service = definitions["apiextensions.fn.proto.v1.FunctionRunnerService"];
  const method = service && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (method === undefined) throw new Error(`cannot find the method RunFunction in ${file}`);
  return method;
}

/** The request with a google.protobuf.Struct for each JSON object. */
function toMessage(request: RunFunctionRequest): object {
  const {
    observed,
    desired,
    input,
    context,
    extraResources = {},
    requiredResources = {},
    requiredSchemas = {},
  } = request;
  const toResources = ({ items }: { readonly items: readonly Resource[] }) => ({ items: items.map(withStruct) });
  return {
    ...request,
    observed: toStateMessage(observed),
    desired: toStateMessage(desired),
    ...(input && { input: toStruct(input) }),
    ...(context && { context: toStruct(context) }),
    extraResources: mapValues(extraResources, toResources),
    requiredResources: mapValues(requiredResources, toResources),
    requiredSchemas: mapValues(requiredSchemas, ({ openapiV3 }) =>
      openapiV3 ? { openapiV3: toStruct(openapiV3) } : {},
    ),
  };
}

const toStateMessage = ({ composite, resources = {} }: State) => ({
  ...(composite && { composite: withStruct(composite) }),
  resources: mapValues(resources, withStruct),
});

const withStruct = ({ resource, ...rest }: Resource) => ({
  ...rest,
  ...(resource && { resource: toStruct(resource) }),
});

/** A message of proto-loader's, with Structs in the places of JSON objects. */
type Message<T> = { readonly [Key in keyof T]: T[Key] extends JsonObject | null | undefined ? Struct | null : T[Key] };

interface StateMessage {
  readonly composite?: Message<Resource> | null;
  readonly resources?: Readonly<Record<string, Message<Resource>>>;
}

interface ResponseMessage extends Omit<RunFunctionResponse, "desired" | "context"> {
  readonly desired: StateMessage | null;
  readonly context?: Struct | null;
}

function fromMessage({ desired, context, ...rest }: ResponseMessage): RunFunctionResponse {
  return {
    ...rest,
    desired: desired && {
      composite: desired.composite ? withJson(desired.composite) : null,
      resources: mapValues(desired.resources ?? {}, withJson),
    },
    ...(context && { context: fromStruct(context) }),
  };
}

const withJson = ({ resource, ...rest }: Message<Resource>): Resource => ({
  ...rest,
  resource: resource ? fromStruct(resource) : null,
});

/** google.protobuf.Struct as protobufjs' plain objects have it. */
interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

type Value =
  | { readonly nullValue: "NULL_VALUE" }
  | { readonly boolValue: boolean }
  | { readonly numberValue: number }
  | { readonly stringValue: string }
  | { readonly listValue: { readonly values: readonly Value[] } }
  | { readonly structValue: Struct };

const toStruct = (object: JsonObject): Struct => ({ fields: mapValues(object, toValue) });

function toValue(value: JsonValue): Value {
  if (value === null) return { nullValue: "NULL_VALUE" };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return { numberValue: value };
  if (typeof value === "string") return { stringValue: value };
  return isObject(value) ? { structValue: toStruct(value) } : { listValue: { values: value.map(toValue) } };
}

const fromStruct = ({ fields }: Struct): JsonObject => mapValues(fields, fromValue);

function fromValue(value: Value): JsonValue {
  if ("boolValue" in value) return value.boolValue;
  if ("numberValue" in value) return value.numberValue;
  if ("stringValue" in value) return value.stringValue;
  if ("listValue" in value) return value.listValue.values.map(fromValue);
  return "structValue" in value ? fromStruct(value.structValue) : null;
}

/** Defines each entry, so that a key `__proto__` stays a key. */
const mapValues = <From, To>(entries: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, to(value)]));
