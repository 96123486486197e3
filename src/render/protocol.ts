import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import type { Struct } from "./struct.ts";

/**
 * The function protocol's messages as @grpc/proto-loader's plain objects: what Crossplane's side of the wire writes and
 * reads here. The function's own side has its own codec (`wire/`); that the two agree is part of what rendering proves.
 */
export interface RunFunctionRequest {
  readonly meta: { readonly tag?: string; readonly capabilities: readonly string[] };
  readonly observed: State;
  readonly desired: State;
  readonly input?: Struct;
  readonly context?: Struct;
  readonly extraResources?: Record<string, Resources>;
  readonly credentials?: Record<string, Credentials>;
  readonly requiredResources?: Record<string, Resources>;
  readonly requiredSchemas?: Record<string, Schema>;
}

export interface RunFunctionResponse {
  readonly desired: State | null;
  readonly results: readonly Result[];
  readonly context?: Struct;
  readonly requirements: Requirements | null;
  readonly conditions: readonly Condition[];
}

export interface State {
  readonly composite?: Resource | null;
  readonly resources?: Readonly<Record<string, Resource>>;
}

export interface Resource {
  readonly resource?: Struct | null;
  readonly ready?: "READY_UNSPECIFIED" | "READY_TRUE" | "READY_FALSE";
}

export interface Resources {
  readonly items: readonly Resource[];
}

export interface Credentials {
  readonly credentialData: { readonly data: Readonly<Record<string, Uint8Array>> };
}

export interface Schema {
  readonly openapiV3?: Struct;
}

export interface Requirements {
  readonly extraResources: Readonly<Record<string, ResourceSelector>>;
  readonly resources: Readonly<Record<string, ResourceSelector>>;
  readonly schemas: Readonly<Record<string, SchemaSelector>>;
}

export interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly matchName?: string;
  readonly matchLabels?: { readonly labels: Readonly<Record<string, string>> };
}

export interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Result {
  readonly severity: string;
  readonly message: string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

/** What Crossplane v2.2 advertises. */
export const capabilities: readonly string[] = [
  "CAPABILITY_CAPABILITIES",
  "CAPABILITY_REQUIRED_RESOURCES",
  "CAPABILITY_CREDENTIALS",
  "CAPABILITY_CONDITIONS",
  "CAPABILITY_REQUIRED_SCHEMAS",
];

/**
 * A function that takes and returns encoded messages, as one over plain objects: what Crossplane and the network between
 * would do with them.
 */
export function overTheWire(
  answer: (request: Uint8Array) => Uint8Array,
): (request: RunFunctionRequest) => RunFunctionResponse {
  const { requestSerialize, responseDeserialize } = loadMethod();
  return (request) =>
    // The codec's own type is `object`; with loadMethod's options it yields what the .proto file says.
    responseDeserialize(Buffer.from(answer(requestSerialize(request)))) as RunFunctionResponse;
}

/** The RunFunction method of `proto/v1`, with its codecs. */
export function loadMethod(): MethodDefinition<object, object> {
  const file = fileURLToPath(new URL("../../proto/v1/run_function.proto", import.meta.url));
  const definitions = loadSync(file, { longs: Number, enums: String, defaults: true, oneofs: true });
  const service = definitions["apiextensions.fn.proto.v1.FunctionRunnerService"];
  const method = service && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (method === undefined) throw new Error(`cannot find the method RunFunction in ${file}`);
  return method;
}
