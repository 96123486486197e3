import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import type { JsonObject } from "../../model/json.ts";
import { packageRoot } from "../../package.ts";
import type { Resource, RunFunctionRequest, RunFunctionResponse, State } from "./protocol.ts";
import { fromStruct, mapValues, type Struct, toStruct } from "./struct.ts";

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
