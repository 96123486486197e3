import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { packageRoot } from "../../src/package.ts";
import type { Resource, RunFunctionRequest, RunFunctionResponse, State } from "./protocol.ts";
import { fromStruct, mapValues, type Struct, toStruct } from "./struct.ts";

/** Loads the codec of Crossplane's side of the wire. The messages of v1beta1 have the same bytes. */
export function loadCodec() {
  const { requestSerialize, responseDeserialize } = loadMethod();
  return {
    encodeRequest: (request: RunFunctionRequest): Buffer => requestSerialize(toMessage(request)),
    // The codec's type is `object`; with loadMethod's options it returns the messages of the .proto file.
    decodeResponse: (bytes: Uint8Array): RunFunctionResponse =>
      fromMessage(responseDeserialize(Buffer.from(bytes)) as RunFunctionResponse<Struct>),
  };
}

/** Loads the RunFunction method of `proto/v1`, with the codecs of @grpc/proto-loader. */
export function loadMethod(): MethodDefinition<object, object> {
  const file = fileURLToPath(new URL("proto/v1/run_function.proto", packageRoot));
  const definitions = loadSync(file, { longs: Number, enums: String, defaults: true, oneofs: true });
  const service = definitions["apiextensions.fn.proto.v1.FunctionRunnerService"];
  const method = service && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (method === undefined) throw new Error(`cannot find the method RunFunction in ${file}`);
  return method;
}

/** Converts each JSON object of the request to a google.protobuf.Struct. */
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

function fromMessage({ desired, context, ...rest }: RunFunctionResponse<Struct>): RunFunctionResponse {
  return {
    ...rest,
    desired: desired && {
      composite: desired.composite ? withJson(desired.composite) : null,
      resources: mapValues(desired.resources ?? {}, withJson),
    },
    ...(context && { context: fromStruct(context) }),
  };
}

const withJson = ({ resource, ...rest }: Resource<Struct>): Resource => ({
  ...rest,
  resource: resource ? fromStruct(resource) : null,
});
