import type { JsonObject } from "../../src/model/json.ts";
import { RESOURCE_NAME } from "./composed.ts";
import type { Step } from "./composition.ts";
import { findCredentials } from "./credentials.ts";
import { RenderError, whileAwaiting } from "./error.ts";
import { fetchResources } from "./fetch-resources.ts";
import { fetchSchema } from "./fetch-schema.ts";
import { findRuntimes, type Runtime } from "./functions.ts";
import type { Inputs } from "./inputs.ts";
import { metadataMap } from "./metadata.ts";
import {
  type Condition,
  capabilities,
  type RunFunctionRequest,
  type RunFunctionResponse,
  type State,
} from "./protocol.ts";
import { type Fetcher, runStep } from "./run-step.ts";

/** The state of a pipeline after a step, which the next step gets. */
export interface Outcome {
  readonly desired: State;
  readonly context: JsonObject | undefined;
  readonly conditions: readonly Condition[];
  readonly results: readonly JsonObject[];
}

/** Calls a function in its runtime. */
export type CallFunction = (runtime: Runtime, request: RunFunctionRequest) => Promise<RunFunctionResponse>;

/**
 * Runs the pipeline as Crossplane does.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go Render.
 *
 * @throws {RenderError} where a step cannot be run, fails, or returns a fatal result.
 */
export async function runPipeline(inputs: Inputs, call: CallFunction): Promise<Outcome> {
  const { pipeline } = inputs.composition.spec;
  const steps = findRuntimes(pipeline, inputs.functions);
  const fetcher: Fetcher = {
    resources: (selector) => fetchResources(selector, [...inputs.extra, ...inputs.required]),
    schema: (selector) => fetchSchema(selector, inputs.schemas),
  };
  let outcome: Outcome = { desired: {}, context: Object.fromEntries(inputs.context), conditions: [], results: [] };
  for (const { step, runtime } of steps) {
    const request = toRequest(step, outcome, inputs);
    const response = await whileAwaiting(`cannot run pipeline step ${JSON.stringify(step.step)}`, () =>
      runStep(request, (asked) => call(runtime, asked), fetcher),
    );
    outcome = {
      desired: response.desired ?? {},
      context: response.context,
      conditions: [...outcome.conditions, ...response.conditions],
      results: [...outcome.results, ...response.results.map((result) => toResult(step, result))],
    };
  }
  return outcome;
}

function toRequest(step: Step, { desired, context }: Outcome, inputs: Inputs): RunFunctionRequest {
  return {
    meta: { capabilities },
    observed: observedState(inputs),
    desired,
    ...(step.input && { input: step.input }),
    ...(context && { context }),
    credentials: findCredentials(step, inputs.credentials),
    ...toRequirements(step, inputs),
  };
}

const observedState = ({ xr, observed }: Inputs): State => ({
  composite: { resource: xr },
  resources: Object.fromEntries([...byResourceName(observed)].map(([name, item]) => [name, { resource: item }])),
});

/** Observed composed resources by their name in the Composition. */
export const byResourceName = (observed: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(observed.map((object) => [metadataMap(object, "annotations")[RESOURCE_NAME] ?? "", object]));

/** Answers the Composition's own requirements for a step, which every call includes. */
function toRequirements({ requirements }: Step, { required, schemas }: Inputs): Partial<RunFunctionRequest> {
  if (requirements === undefined) return {};
  const resources = requirements.requiredResources.map(({ requirementName, apiVersion, kind, name, matchLabels }) => {
    const byLabels = Object.keys(matchLabels).length > 0 && { matchLabels: { labels: matchLabels } };
    const match = name === undefined ? byLabels : { matchName: name };
    return [requirementName, fetchResources({ apiVersion, kind, ...match }, required)];
  });
  const found = requirements.requiredSchemas.map((selector) => [
    selector.requirementName,
    fetchSchema(selector, schemas),
  ]);
  return { requiredResources: Object.fromEntries(resources), requiredSchemas: Object.fromEntries(found) };
}

function toResult({ step }: Step, result: { readonly severity: string; readonly message: string }): JsonObject {
  const { severity, message } = result;
  if (severity === "SEVERITY_FATAL") {
    throw new RenderError(`pipeline step ${JSON.stringify(step)} returned a fatal result: ${message}`);
  }
  return { apiVersion: "render.crossplane.io/v1beta1", kind: "Result", step, severity, message };
}
