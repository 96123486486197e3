import { isDeepStrictEqual } from "node:util";
import { RenderError } from "./error.ts";
import type {
  Requirements,
  ResourceSelector,
  Resources,
  RunFunctionRequest,
  RunFunctionResponse,
  Schema,
  SchemaSelector,
} from "./protocol.ts";

export type RunFunction = (request: RunFunctionRequest) => Promise<RunFunctionResponse>;

/** The objects in which a step's requirements are looked up. */
export interface Fetcher {
  resources(selector: ResourceSelector): Resources;
  schema(selector: SchemaSelector): Schema;
}

/** The number of further calls that changed requirements may cause. */
const MAX_ITERATIONS = 5;

/**
 * Calls a function until two successive calls return the same requirements. Each call gets the answers to the last requirements,
 * and the context that was returned last. The Composition's own requirements, in the first request, are always included.
 *
 * Source: crossplane v2.2, internal/xfn/required_resources.go FetchingFunctionRunner.
 *
 * @throws {RenderError} where they still change after the last call.
 */
export async function runStep(
  first: RunFunctionRequest,
  run: RunFunction,
  fetcher: Fetcher,
): Promise<RunFunctionResponse> {
  let request = first;
  let requirements: Requirements | null = null;
  for (let iteration = 0; iteration <= MAX_ITERATIONS; iteration++) {
    const response = await run(request);
    const isFatal = response.results.some(({ severity }) => severity === "SEVERITY_FATAL");
    if (isFatal || isDeepStrictEqual(response.requirements, requirements)) return response;

    requirements = response.requirements;
    request = withAnswers(first, response, fetcher);
  }
  throw new RenderError(
    `requirements didn't stabilize after the maximum number of iterations (${String(MAX_ITERATIONS)})`,
  );
}

function withAnswers(first: RunFunctionRequest, response: RunFunctionResponse, fetcher: Fetcher): RunFunctionRequest {
  const { context: _, ...rest } = first;
  const { extraResources = {}, resources = {}, schemas = {} } = response.requirements ?? {};
  return {
    ...rest,
    ...(response.context !== undefined && { context: response.context }),
    extraResources: mapValues(extraResources, (selector) => fetcher.resources(selector)),
    requiredResources: {
      ...first.requiredResources,
      ...mapValues(resources, (selector) => fetcher.resources(selector)),
    },
    requiredSchemas: { ...first.requiredSchemas, ...mapValues(schemas, (selector) => fetcher.schema(selector)) },
  };
}

const mapValues = <From, To>(entries: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, to(value)]));
