import { fileURLToPath } from "node:url";
import { addedObject, COST_CENTER, GENERATION, IDS, type Job, READ, type Run, SHARED } from "../jobs.ts";
import { peersFolder } from "../rig/peers-folder.ts";

/**
 * The jobs over function-sdk-typescript, written as its README writes functions: take the resources with `get…`, change
 * them in place, hand them back with `set…`.
 */

interface Resource {
  resource?: Record<string, unknown>;
  ready?: number;
}
interface Response {
  context?: Record<string, unknown>;
}
interface Request {
  readonly context?: Record<string, unknown>;
}

/** The parts of the package that are used. The bench installs it, so its types are not available here. */
interface Sdk {
  readonly RunFunctionRequest: { decode(bytes: Uint8Array): Request };
  readonly RunFunctionResponse: { encode(response: Response): { finish(): Uint8Array } };
  readonly Resource: { fromJSON(json: object): Resource };
  readonly Ready: { readonly READY_TRUE: number };
  to(request: Request): Response;
  getObservedCompositeResource(request: Request): Resource | undefined;
  getObservedComposedResources(request: Request): Record<string, Resource>;
  getDesiredComposedResources(request: Request): Record<string, Resource>;
  getRequiredResource(request: Request, name: string): [readonly Resource[], boolean];
  setDesiredComposedResources(response: Response, resources: Record<string, Resource>): Response;
  setContextKey(response: Response, key: string, value: unknown): Response;
  serve(handler: { RunFunction(request: Request): Promise<Response> }, options: { argv: readonly string[] }): unknown;
}

const name = "@crossplane-org/function-sdk-typescript";
const sdk = (await import(`file://${fileURLToPath(peersFolder)}node_modules/${name}/dist/index.js`)) as Sdk;

const answers: Record<Job, (request: Request) => Response> = {
  echo: (request) => sdk.to(request),
  "touch few": touchFew,
  "look up": lookUp,
  everything,
  "tag all": tagAll,
  select: selectIntoContext,
};

export function runOf(job: Job): Run {
  const answer = answers[job];
  return (message) => sdk.RunFunctionResponse.encode(answer(sdk.RunFunctionRequest.decode(message))).finish();
}

/** Serves with the SDK's own entry point. */
export function serve(job: Job, address: string, certs: string): void {
  const answer = answers[job];
  const security = certs === "" ? ["--insecure"] : ["--tls-server-certs-dir", certs];
  sdk.serve({ RunFunction: async (request) => answer(request) }, { argv: [...security, "--address", address] });
}

/** The value at a path of a resource's object, which the examples of the README reach with casts and dots. */
function at(resource: Resource | undefined, ...path: readonly string[]): Record<string, unknown> {
  let object = resource?.resource ?? {};
  for (const step of path) object = (object[step] ?? {}) as Record<string, unknown>;
  return object;
}

function touchFew(request: Request): Response {
  const response = sdk.to(request);
  const xr = sdk.getObservedCompositeResource(request);
  const observed = sdk.getObservedComposedResources(request);
  const desired = sdk.getDesiredComposedResources(request);
  const ids = READ.map((name) => observed[name])
    .filter((resource) => resource !== undefined)
    .map((resource) => at(resource, "status", "atProvider")["id"])
    .join(",");
  at(desired[READ[0]], "metadata", "annotations")[IDS] = ids;
  const name = String(at(xr, "metadata")["name"]);
  desired["added"] = sdk.Resource.fromJSON({ resource: addedObject(name, ids), ready: sdk.Ready.READY_TRUE });
  return sdk.setDesiredComposedResources(response, desired);
}

function lookUp(request: Request): Response {
  const response = sdk.to(request);
  const observed = sdk.getObservedComposedResources(request);
  const ids = Object.keys(observed)
    .sort()
    .map((name) => at(observed[name], "status", "atProvider")["id"]);
  return sdk.setContextKey(response, IDS, ids.join(","));
}

function everything(request: Request): Response {
  const response = sdk.to(request);
  const observed = sdk.getObservedComposedResources(request);
  const desired = sdk.getDesiredComposedResources(request);
  for (const [name, resource] of Object.entries(desired)) {
    at(resource, "metadata", "annotations")[GENERATION] = String(at(observed[name], "metadata")["generation"]);
  }
  return sdk.setDesiredComposedResources(response, desired);
}

function tagAll(request: Request): Response {
  const response = sdk.to(request);
  const costCenter = at(sdk.getObservedCompositeResource(request), "metadata", "labels")[COST_CENTER];
  const desired = sdk.getDesiredComposedResources(request);
  for (const resource of Object.values(desired)) at(resource, "spec", "forProvider", "tags")[COST_CENTER] = costCenter;
  return sdk.setDesiredComposedResources(response, desired);
}

function selectIntoContext(request: Request): Response {
  const response = sdk.to(request);
  const [items] = sdk.getRequiredResource(request, "shared");
  const objects = items.map(({ resource }) => resource);
  return sdk.setContextKey(response, SHARED, objects);
}
