import { fileURLToPath } from "node:url";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import type { Struct } from "../../src/cli/render/struct.ts";

/**
 * The function protocol's messages as @grpc/proto-loader's plain objects: another reading of the same
 * bytes. Tests compare the function's own codec
 * (`src/wire/`) with them.
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

interface State {
  readonly composite?: Resource | null;
  readonly resources?: Readonly<Record<string, Resource>>;
}

interface Resource {
  readonly resource?: Struct | null;
  readonly ready?: "READY_UNSPECIFIED" | "READY_TRUE" | "READY_FALSE";
}

interface Resources {
  readonly items: readonly Resource[];
}

interface Credentials {
  readonly credentialData: { readonly data: Readonly<Record<string, Uint8Array>> };
}

interface Schema {
  readonly openapiV3?: Struct;
}

interface Requirements {
  readonly extraResources: Readonly<Record<string, ResourceSelector>>;
  readonly resources: Readonly<Record<string, ResourceSelector>>;
  readonly schemas: Readonly<Record<string, SchemaSelector>>;
}

interface ResourceSelector {
  readonly apiVersion: string;
  readonly kind: string;
  readonly matchName?: string;
  readonly matchLabels?: { readonly labels: Readonly<Record<string, string>> };
}

interface SchemaSelector {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Result {
  readonly severity: string;
  readonly message: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
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
