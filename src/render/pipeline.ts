import type { JsonObject } from "../model/json.ts";
import { RESOURCE_NAME } from "./composed.ts";
import type { Step } from "./composition.ts";
import { credentialsOf } from "./credentials.ts";
import { RenderError, whileDoing } from "./error.ts";
import { fetchResources } from "./fetch-resources.ts";
import { fetchSchema } from "./fetch-schema.ts";
import { assertOurs } from "./functions.ts";
import type { Inputs } from "./inputs.ts";
import { metadataMap } from "./metadata.ts";
import { type Condition, capabilities, type RunFunctionRequest, type State } from "./protocol.ts";
import { type Fetcher, type RunFunction, runStep } from "./run-step.ts";
import { type Struct, toStruct } from "./struct.ts";

/** What a pipeline comes to, step after step: each one gets what the last one returned. */
export interface Outcome {
  readonly desired: State;
  readonly context: Struct | undefined;
  readonly conditions: readonly Condition[];
  readonly results: readonly JsonObject[];
}

/**
 * Runs the pipeline as Crossplane does.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go Render.
 *
 * @throws {RenderError} where a step is another function, fails, or returns a fatal result.
 */
export function runPipeline(inputs: Inputs, run: RunFunction): Outcome {
  const { pipeline } = inputs.composition.spec;
  assertOurs(pipeline, inputs.functions);
  const fetcher: Fetcher = {
    resources: (selector) => fetchResources(selector, [...inputs.extra, ...inputs.required]),
    schema: (selector) => fetchSchema(selector, inputs.schemas),
  };
  const start: Outcome = {
    desired: {},
    context: toStruct(Object.fromEntries(inputs.context)),
    conditions: [],
    results: [],
  };
  return pipeline.reduce((before, step) => {
    const request = requestFor(step, before, inputs);
    const response = whileDoing(`cannot run pipeline step ${JSON.stringify(step.step)}`, () =>
      runStep(request, run, fetcher),
    );
    return {
      desired: response.desired ?? {},
      context: response.context,
      conditions: [...before.conditions, ...response.conditions],
      results: [...before.results, ...response.results.map((result) => toResult(step, result))],
    };
  }, start);
}

function requestFor(step: Step, { desired, context }: Outcome, inputs: Inputs): RunFunctionRequest {
  return {
    meta: { capabilities },
    observed: observedState(inputs),
    desired,
    ...(step.input && { input: toStruct(step.input) }),
    ...(context && { context }),
    credentials: credentialsOf(step, inputs.credentials),
    ...requirementsOf(step, inputs),
  };
}

const observedState = ({ xr, observed }: Inputs): State => ({
  composite: { resource: toStruct(xr) },
  resources: Object.fromEntries(
    [...byResourceName(observed)].map(([name, item]) => [name, { resource: toStruct(item) }]),
  ),
});

/** Observed composed resources by their name in the Composition. */
export const byResourceName = (observed: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(observed.map((object) => [metadataMap(object, "annotations")[RESOURCE_NAME] ?? "", object]));

/** What the Composition itself requires for a step is there from the first call on. */
function requirementsOf({ requirements }: Step, { required, schemas }: Inputs): Partial<RunFunctionRequest> {
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
