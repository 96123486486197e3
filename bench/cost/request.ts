import type { JsonObject } from "../../src/model/json.ts";
import { runFunction } from "../../src/run-function.ts";
import { inputOf } from "../../testing/builders/sharing.ts";
import { lookUpIn } from "../../testing/simulations/look-up.ts";
import { decodeResponse, encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyResource, type PlainRequest, type PlainSelector, type PlainState } from "../../testing/wire/plain.ts";

/** The parts of a request in which one field is large. */
export interface Parts {
  readonly xr: JsonObject;
  /** The input's spec. */
  readonly spec: JsonObject;
  readonly observed?: Readonly<Record<string, JsonObject>>;
  readonly desired?: Readonly<Record<string, JsonObject>>;
  /** The XR's connection details, in base64. */
  readonly details?: Readonly<Record<string, string>>;
  readonly context?: JsonObject;
  /** All else that is in the cluster: what requirements are answered from. */
  readonly cluster?: readonly JsonObject[];
}

/** Crossplane's limit of calls in one reconcile. */
const MAX_CALLS = 6;

/** The request of the last call of a reconcile: every requirement is answered, as Crossplane v2 does. */
export function requestOf({
  xr,
  spec,
  observed = {},
  desired = {},
  details = {},
  context,
  cluster = [],
}: Parts): Buffer {
  const lookUp = lookUpIn(cluster);
  const composite = { ...emptyResource, object: xr, details: new Map(Object.entries(details)) };
  let request: PlainRequest = {
    tag: "cost",
    capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"],
    observed: { ...stateOf(observed), composite },
    desired: stateOf(desired),
    input: inputOf(spec),
    context,
    extra: new Map(),
    required: new Map(),
    credentials: new Map(),
    schemas: new Map(),
  };
  for (let calls = 1; calls < MAX_CALLS; calls++) {
    const { requirements } = decodeResponse(runFunction(encodeRequest(request)).response);
    const asked = [...(requirements?.resources ?? [])];
    if (asked.every(([name]) => request.required.has(name))) break;
    request = { ...request, required: new Map(asked.map(([name, selector]) => [name, lookUp(selector)])) };
  }
  return encodeRequest(request);
}

/** The composed resources of that request's answer, as observed once their providers have made them ready and report them. */
export function copiesOf(parts: Parts): Readonly<Record<string, JsonObject>> {
  const { desired } = decodeResponse(runFunction(requestOf(parts)).response);
  const conditions = ["Ready", "Synced"].map((type) => ({ type, status: "True" }));
  return Object.fromEntries(
    [...desired.resources].map(([name, { object }], index) => {
      const metadata = { ...(object["metadata"] as JsonObject), name: `composed-${index}` };
      return [name, { ...object, metadata, status: { conditions, atProvider: object["spec"] ?? null } }];
    }),
  );
}

/** The selectors that the function requires in the first call. */
export function selectorsOf(parts: Parts): readonly PlainSelector[] {
  const { requirements } = decodeResponse(runFunction(requestOf({ ...parts, cluster: [] })).response);
  return [...(requirements?.resources.values() ?? [])];
}

const stateOf = (objects: Readonly<Record<string, JsonObject>>): PlainState => ({
  composite: emptyResource,
  resources: new Map(Object.entries(objects).map(([name, object]) => [name, { ...emptyResource, object }])),
});
