import type { Condition, Result } from "../../src/model/condition.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Ready } from "../../src/model/request.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";

/** Messages in plain JSON. Names are in Maps, so that `__proto__` is one of them. */

export interface PlainResource {
  readonly object: JsonObject;
  readonly ready: Ready;
  /** Connection details by key, in base64. */
  readonly details: ReadonlyMap<string, string>;
}

export const emptyResource: PlainResource = { object: {}, ready: "Unspecified", details: new Map() };

export interface PlainState {
  readonly composite: PlainResource;
  readonly resources: ReadonlyMap<string, PlainResource>;
}

export interface PlainRequest {
  readonly tag: string;
  readonly capabilities: readonly string[];
  readonly observed: PlainState;
  readonly desired: PlainState;
  readonly input?: JsonObject | undefined;
  readonly context?: JsonObject | undefined;
  readonly extra: ReadonlyMap<string, readonly JsonObject[]>;
  readonly required: ReadonlyMap<string, readonly JsonObject[]>;
  readonly credentials: ReadonlyMap<string, Readonly<Record<string, Buffer>>>;
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

type Objects = Readonly<Record<string, JsonObject>>;
type Lists = Readonly<Record<string, readonly JsonObject[]>>;

/** An XR and what it has composed, with readiness and connection details of the XR as a test says. */
export function stateOf(composite: JsonObject, resources: Objects = {}, more: Partial<PlainResource> = {}): PlainState {
  const all = Object.entries(resources).map(([name, object]) => [name, { ...emptyResource, ...more, object }] as const);
  return { composite: { ...emptyResource, object: composite }, resources: new Map(all) };
}

/** A request of Crossplane v2.2 with this input, which finds what `required` lists by requirement name. */
export const v2Request = (input: JsonObject, observed: PlainState, required: Lists = {}): PlainRequest => ({
  ...emptyPlainRequest,
  capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"],
  observed,
  input,
  required: new Map(Object.entries(required)),
});

const emptyState: PlainState = { composite: emptyResource, resources: new Map() };

export const emptyPlainRequest: PlainRequest = {
  tag: "",
  capabilities: [],
  observed: emptyState,
  desired: emptyState,
  extra: new Map(),
  required: new Map(),
  credentials: new Map(),
  schemas: new Map(),
};

export interface PlainResponse {
  readonly tag: string;
  readonly ttlSeconds: number | undefined;
  readonly desired: PlainState;
  readonly context: JsonObject | undefined;
  readonly results: readonly Result[];
  readonly conditions: readonly Condition[];
  readonly requirements: PlainRequirements | undefined;
  readonly output: JsonObject | undefined;
}

interface PlainRequirements {
  readonly schemas: ReadonlyMap<string, { readonly apiVersion: string; readonly kind: string }>;
  readonly resources: ReadonlyMap<string, ResourceSelector>;
  readonly extra: ReadonlyMap<string, ResourceSelector>;
}
