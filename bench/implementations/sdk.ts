import { fileURLToPath } from "node:url";
import { addedObject, GENERATION, IDS, type Job, READ, type Run } from "../jobs.ts";
import { sdkFolder } from "../rig/install-sdk.ts";

/**
 * The jobs over function-sdk-typescript, written as its README writes functions: take the resources with `get…`, change
 * them in place, hand them back with `set…`.
 */

interface Resource {
  resource?: Record<string, unknown>;
  ready?: number;
}
type Resources = Record<string, Resource>;
type Response = object;
type Request = object;

/** The parts of the package that are used. The bench installs it, so its types are not available here. */
interface Sdk {
  readonly RunFunctionRequest: { decode(bytes: Uint8Array): Request };
  readonly RunFunctionResponse: { encode(response: Response): { finish(): Uint8Array } };
  readonly Resource: { fromJSON(json: object): Resource };
  readonly Ready: { readonly READY_TRUE: number };
  to(request: Request): Response;
  getObservedCompositeResource(request: Request): Resource | undefined;
  getObservedComposedResources(request: Request): Resources;
  getDesiredComposedResources(request: Request): Resources;
  setDesiredComposedResources(response: Response, resources: Resources): Response;
}

const name = "@crossplane-org/function-sdk-typescript";
const sdk = (await import(`file://${fileURLToPath(sdkFolder)}node_modules/${name}/dist/index.js`)) as Sdk;

const answers: Record<Job, (request: Request) => Response> = { echo: sdk.to, "touch few": touchFew, everything };

export const runOf =
  (job: Job): Run =>
  (message) =>
    sdk.RunFunctionResponse.encode(answers[job](sdk.RunFunctionRequest.decode(message))).finish();

/** The value at a path of a resource's object, which the examples of the README reach with casts and dots. */
function at(resource: Resource | undefined, ...path: readonly string[]): Record<string, unknown> {
  let object = resource?.resource ?? {};
  for (const step of path) object = (object[step] ?? {}) as Record<string, unknown>;
  return object;
}

function touchFew(request: Request): Response {
  const observed = sdk.getObservedComposedResources(request);
  const desired = sdk.getDesiredComposedResources(request);
  const ids = READ.flatMap((name) => observed[name] ?? [])
    .map((resource) => at(resource, "status", "atProvider")["id"])
    .join(",");
  at(desired[READ[0]], "metadata", "annotations")[IDS] = ids;
  const xr = String(at(sdk.getObservedCompositeResource(request), "metadata")["name"]);
  desired["added"] = sdk.Resource.fromJSON({ resource: addedObject(xr, ids), ready: sdk.Ready.READY_TRUE });
  return sdk.setDesiredComposedResources(sdk.to(request), desired);
}

function everything(request: Request): Response {
  const observed = sdk.getObservedComposedResources(request);
  const desired = sdk.getDesiredComposedResources(request);
  for (const [name, resource] of Object.entries(desired)) {
    at(resource, "metadata", "annotations")[GENERATION] = String(at(observed[name], "metadata")["generation"]);
  }
  return sdk.setDesiredComposedResources(sdk.to(request), desired);
}
