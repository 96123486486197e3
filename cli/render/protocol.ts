import type { JsonObject } from "../../src/model/json.ts";

/**
 * The messages of the function protocol, from Crossplane's side. `Object` represents a google.protobuf.Struct: as a JSON
 * object, or as the plain objects of @grpc/proto-loader. The function's side has its own codec, in `src/wire/`.
 */
export interface RunFunctionRequest<Object = JsonObject> {
  readonly meta: { readonly tag?: string; readonly capabilities: readonly string[] };
  readonly observed: State<Object>;
  readonly desired: State<Object>;
  readonly input?: Object;
  readonly context?: Object;
  readonly extraResources?: Record<string, Resources<Object>>;
  readonly credentials?: Record<string, Credentials>;
  readonly requiredResources?: Record<string, Resources<Object>>;
  readonly requiredSchemas?: Record<string, Schema<Object>>;
}

export interface RunFunctionResponse<Object = JsonObject> {
  readonly desired: State<Object> | null;
  readonly results: readonly Result[];
  readonly context?: Object;
  readonly requirements: Requirements | null;
  readonly conditions: readonly Condition[];
}

export interface State<Object = JsonObject> {
  readonly composite?: Resource<Object> | null;
  readonly resources?: Readonly<Record<string, Resource<Object>>>;
}

export interface Resource<Object = JsonObject> {
  readonly resource?: Object | null;
  readonly ready?: "READY_UNSPECIFIED" | "READY_TRUE" | "READY_FALSE";
}

export interface Resources<Object = JsonObject> {
  readonly items: readonly Resource<Object>[];
}

interface Credentials {
  readonly credentialData: { readonly data: Readonly<Record<string, Uint8Array>> };
}

export interface Schema<Object = JsonObject> {
  readonly openapiV3?: Object;
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
  readonly namespace?: string;
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

/** The capabilities that Crossplane v2.2 advertises. */
export const capabilities: readonly string[] = [
  "CAPABILITY_CAPABILITIES",
  "CAPABILITY_REQUIRED_RESOURCES",
  "CAPABILITY_CREDENTIALS",
  "CAPABILITY_CONDITIONS",
  "CAPABILITY_REQUIRED_SCHEMAS",
];
