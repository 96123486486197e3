import type { JsonObject } from "../../src/model/json.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import { runFunction } from "../../src/run-function.ts";
import { inputOf } from "../../testing/builders/sharing.ts";
import { lookUpIn } from "../../testing/simulations/store.ts";
import { decodeResponse, encodeRequest } from "../../testing/wire/oracle.ts";
import { emptyResource, type PlainResponse, type PlainState } from "../../testing/wire/plain.ts";

export type Objects = Readonly<Record<string, JsonObject>>;

/** The parts of a request that one row makes large. */
export interface Parts {
  readonly xr: JsonObject;
  readonly observed?: Objects;
  readonly desired?: Objects;
  readonly context?: JsonObject;
}

/** A request to this function, and the cluster around it. */
export interface OurParts extends Parts {
  /** The input's spec. */
  readonly spec: JsonObject;
  /** All else that is in the cluster: what requirements are answered from. */
  readonly cluster?: readonly JsonObject[];
}

/** Encodes a request to any function: with its input, and the required resources by their names. */
export function encode(
  { xr, observed = {}, desired = {}, context }: Parts,
  input: JsonObject = { kind: "Input" },
  required: ReadonlyMap<string, readonly JsonObject[]> = new Map(),
): Buffer {
  return encodeRequest({
    tag: "bench",
    capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_REQUIRED_RESOURCES"],
    observed: { ...stateOf(observed), composite: { ...emptyResource, object: xr } },
    desired: stateOf(desired),
    input,
    context,
    extra: new Map(),
    required,
    credentials: new Map(),
    schemas: new Map(),
  });
}

/** Crossplane's limit of calls in one reconcile. */
const MAX_CALLS = 6;

/** Makes the request of the last call of a reconcile: every requirement is answered, as Crossplane v2 does. */
export function lastCall({ spec, cluster = [], ...parts }: OurParts): Buffer {
  const lookUp = lookUpIn(cluster);
  let required: ReadonlyMap<string, readonly JsonObject[]> = new Map();
  for (let calls = 1; calls < MAX_CALLS; calls++) {
    const asked = [...selectorsIn(encode(parts, inputOf(spec), required))];
    if (asked.every(([name]) => required.has(name))) break;
    required = new Map(asked.map(([name, selector]) => [name, lookUp(selector)]));
  }
  return encode(parts, inputOf(spec), required);
}

/** Answers a request. @throws {Error} where the input is refused: a benchmark of it would measure nothing. */
function answerTo(request: Buffer): PlainResponse {
  const answer = decodeResponse(runFunction(request).response);
  const refused = answer.results.find(({ reason }) => reason === "InvalidInput");
  if (refused !== undefined) throw new Error(refused.message);
  return answer;
}

/** The selectors that the function answers a request with. */
export const selectorsIn = (request: Buffer): ReadonlyMap<string, ResourceSelector> =>
  answerTo(request).requirements?.resources ?? new Map();

/** The composed resources that the function answers a request with, by name. */
export const desiredIn = (request: Buffer): Objects =>
  Object.fromEntries([...answerTo(request).desired.resources].map(([name, { object }]) => [name, object]));

const stateOf = (objects: Objects): PlainState => ({
  composite: emptyResource,
  resources: new Map(Object.entries(objects).map(([name, object]) => [name, { ...emptyResource, object }])),
});
