import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../src/model/json.ts";
import { invalidInput, whileDoing } from "../files.ts";
import { findResources, findSchemas, findUnmatchedKinds } from "./answers.ts";
import type { Inputs, Step } from "./inputs.ts";
import { metadataMap, objectAt } from "./objects.ts";
import {
  type Condition,
  mapValues,
  type Requirements,
  type ResourceSelector,
  type RunFunctionRequest,
  type RunFunctionResponse,
  type State,
  type Struct,
  toStruct,
} from "./protocol.ts";
import { findRuntime, type Runtime } from "./runtime.ts";
import { readConnectionDetails, readCredentials } from "./secrets.ts";

/** The state of a pipeline after a step, which the next step gets. */
export interface PipelineState {
  readonly desired: State;
  readonly context: Struct | null;
  readonly conditions: readonly Condition[];
  readonly results: readonly JsonObject[];
}

export type CallFunction = (runtime: Runtime, request: RunFunctionRequest) => Promise<RunFunctionResponse>;

export const RESOURCE_NAME = "crossplane.io/composition-resource-name";

/** The number of further calls that changed requirements may cause. */
const MAX_ITERATIONS = 5;

/**
 * Runs the pipeline as Crossplane does.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go Render.
 *
 * @returns the last state, and warnings of faults that this function reports in the next reconcile only.
 * @throws {FunctionError} where a step cannot be run, fails, or returns a fatal result.
 */
export async function runPipeline(inputs: Inputs, call: CallFunction) {
  const steps = inputs.steps.map((step) => ({ step, runtime: findRuntime(step, inputs.functions) }));
  let state: PipelineState = { desired: {}, context: toStruct(inputs.context), conditions: [], results: [] };
  const warnings: string[] = [];
  const adopting: { readonly step: Step; readonly before: PipelineState }[] = [];
  for (const { step, runtime } of steps) {
    const request = toRequest(step, state, inputs);
    const response = await whileDoing(`cannot run pipeline step ${JSON.stringify(step.step)}`, () =>
      runStep(request, runtime, call, inputs),
    );
    state = {
      desired: response.desired ?? {},
      context: response.context ?? null,
      conditions: [...state.conditions, ...response.conditions],
      results: [...state.results, ...response.results.map((result) => toResult(step, result))],
    };
    warnings.push(...findUnmatchedKinds(response.requirements?.resources ?? {}, inputs.required));
    const isAdopting = runtime.is === "embedded" && objectAt(step.input ?? {}, "spec")["adoption"] !== undefined;
    if (isAdopting) adopting.push({ step, before: state });
  }
  const early = adopting.flatMap((one) => warnIfNotLast(one.step, one.before, state));
  return { ...state, warnings: [...warnings, ...early] };
}

/** Warns of a step with adoption before a step that desires more: later reconciles have the reason StepNotLast. */
function warnIfNotLast({ step }: Step, before: PipelineState, last: PipelineState): readonly string[] {
  const known = before.desired.resources ?? {};
  const later = Object.keys(last.desired.resources ?? {}).filter((name) => !Object.hasOwn(known, name));
  if (later.length === 0) return [];
  return [
    `pipeline step ${JSON.stringify(step)} uses adoption, and later steps desire ${later.sort().join(", ")}, which it takes for ` +
      "resources that no step desires (StepNotLast): move it to the end of the pipeline",
  ];
}

/** The capabilities that Crossplane v2.2 advertises. */
const capabilities = ["CAPABILITIES", "REQUIRED_RESOURCES", "CREDENTIALS", "CONDITIONS", "REQUIRED_SCHEMAS"].map(
  (name) => `CAPABILITY_${name}`,
);

function toRequest(step: Step, { desired, context }: PipelineState, inputs: Inputs): RunFunctionRequest {
  const observed = [...byResourceName(inputs.observed)].map(([name, object]) => {
    const connectionDetails = readConnectionDetails(object, inputs);
    return [name, { resource: toStruct(object), ...(connectionDetails && { connectionDetails }) }] as const;
  });
  const credentials = readCredentials(step, inputs.credentials);
  return {
    meta: { capabilities },
    observed: { composite: { resource: toStruct(inputs.xr) }, resources: Object.fromEntries(observed) },
    desired,
    ...(step.input && { input: toStruct(step.input) }),
    ...(context && { context }),
    ...(credentials && { credentials }),
  };
}

export const byResourceName = (observed: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(observed.map((object) => [metadataMap(object, "annotations")[RESOURCE_NAME] ?? "", object]));

function toResult({ step }: Step, { severity, message }: RunFunctionResponse["results"][number]): JsonObject {
  if (severity === "SEVERITY_FATAL")
    throw invalidInput(`pipeline step ${JSON.stringify(step)} returned a fatal result: ${message}`);
  return { apiVersion: "render.crossplane.io/v1beta1", kind: "Result", step, severity, message };
}

/**
 * Calls a function until two successive calls return the same requirements. Each call gets the answers to the last
 * requirements, and the context that was returned last.
 *
 * Source: crossplane v2.2, internal/xfn/required_resources.go FetchingFunctionRunner.
 *
 * @throws {FunctionError} where the requirements still change in the last call.
 */
async function runStep(first: RunFunctionRequest, runtime: Runtime, call: CallFunction, inputs: Inputs) {
  let request = first;
  let requirements: Requirements | null = null;
  for (let iteration = 0; iteration <= MAX_ITERATIONS; iteration++) {
    const response = await call(runtime, request);
    const isFatal = response.results.some(({ severity }) => severity === "SEVERITY_FATAL");
    if (isFatal || isDeepStrictEqual(response.requirements, requirements)) return response;

    requirements = response.requirements;
    request = withAnswers(first, response, inputs);
  }
  throw invalidInput(`requirements didn't stabilize after the maximum number of iterations (${MAX_ITERATIONS})`);
}

function withAnswers({ context: _, ...first }: RunFunctionRequest, response: RunFunctionResponse, inputs: Inputs) {
  const { context, requirements } = response;
  const find = (selector: ResourceSelector) => findResources(selector, inputs.required);
  return {
    ...first,
    ...(context && { context }),
    extraResources: mapValues(requirements?.extraResources ?? {}, find),
    requiredResources: mapValues(requirements?.resources ?? {}, find),
    requiredSchemas: findSchemas(requirements?.schemas ?? {}, inputs),
  };
}
