import type { Struct } from "./struct.ts";

/** The messages of the function protocol, as @grpc/proto-loader has them, from Crossplane's side. `src/wire/` has the function's side. */
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
  readonly context?: Struct | null;
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

interface Credentials {
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
