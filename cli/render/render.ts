import { CLAIM_NAME_LABEL, CLAIM_NAMESPACE_LABEL, COMPOSITE_LABEL } from "../../src/crossplane/metadata.ts";
import { compareEntries } from "../../src/model/collections.ts";
import { isObject, type JsonObject, ownValue } from "../../src/model/json.ts";
import { runFunction } from "../../src/run-function.ts";
import { whileDoing } from "../files.ts";
import type { Host } from "../host.ts";
import { toPrintable } from "../text.ts";
import { toYamlStream } from "../yaml.ts";
import { type Files, type Inputs, type RenderOptions, readInputs } from "./inputs.ts";
import { metadataMap, metadataString, objectAt, withMetadata } from "./objects.ts";
import { byResourceName, type CallFunction, type PipelineState, RESOURCE_NAME, runPipeline } from "./pipeline.ts";
import { type Condition, fromStruct, loadMethod, type Resource, type RunFunctionResponse } from "./protocol.ts";
import { callFunction } from "./runtime.ts";

/** Plays Crossplane's part for one XR, and prints what `crossplane render` prints. @returns the exit code. */
export async function render(files: Files, options: RenderOptions, host: Host): Promise<number> {
  const inputs = readInputs(files, options);
  const documents = await whileDoing("cannot render composite resource", async () => {
    const state = await runPipeline(inputs, toCaller(options.timeout, host));
    for (const warning of state.warnings) host.printError(`warning: ${toPrintable(warning)}\n`);
    return toDocuments(state, inputs, options);
  });
  host.print(toYamlStream(documents));
  return 0;
}

/** The time after which a waiting call is reported. */
const PATIENCE_MS = 3000;

/** Runs this function in the process, over the same bytes as on the wire, and calls others. */
function toCaller(timeoutMs: number, { printError }: Host): CallFunction {
  const { requestSerialize, responseDeserialize } = loadMethod();
  const deadline = Date.now() + timeoutMs;
  const call = (target: string, bytes: Buffer): Promise<Buffer> => {
    const say = () =>
      printError(`no answer yet from the function at ${target}: does it listen there, with --insecure?\n`);
    const timer = setTimeout(say, Math.min(PATIENCE_MS, timeoutMs / 2));
    return callFunction(target, bytes, deadline).finally(() => clearTimeout(timer));
  };
  return async (runtime, request) => {
    const bytes = requestSerialize(request);
    const response = runtime.is === "embedded" ? runFunction(bytes).response : await call(runtime.target, bytes);
    // The codec's type is `object`.
    return responseDeserialize(Buffer.from(response)) as RunFunctionResponse;
  };
}

/**
 * Makes the documents that `crossplane render` prints: the XR, the composed resources sorted by their name in the
 * Composition, and on request the results and the context.
 *
 * Source: crossplane v2.2, cmd/crank/render/render.go Render and SetComposedResourceMetadata.
 */
export function toDocuments(
  { desired, conditions, results, context }: PipelineState,
  { xr, observed }: Pick<Inputs, "xr" | "observed">,
  include: Pick<RenderOptions, "includeContext" | "includeFunctionResults">,
): readonly (JsonObject | null)[] {
  const existing = byResourceName(observed);
  const resources = Object.entries(desired.resources ?? {}).sort(compareEntries);
  const unready = resources.filter(([, { ready }]) => ready !== "READY_TRUE").map(([name]) => name);
  const composed = resources.map(([name, { resource }]) =>
    renderComposed(name, resource ? fromStruct(resource) : {}, existing.get(name), xr),
  );
  const kind = { apiVersion: "render.crossplane.io/v1beta1", kind: "Context" };
  return [
    renderComposite(xr, desired.composite ?? {}, unready, conditions),
    ...composed,
    ...(include.includeFunctionResults ? results : []),
    // Null where the last step returned no context at all.
    ...(include.includeContext ? [context === null ? null : { ...kind, fields: fromStruct(context) }] : []),
  ];
}

/** Adds the metadata that Crossplane sets on a composed resource: its name or a prefix for one, its origin, and its controller. */
function renderComposed(name: string, desired: JsonObject, observed: JsonObject | undefined, xr: JsonObject) {
  const identity = ["name", "namespace", "generateName"].map((field) => [field, metadataString(observed ?? {}, field)]);
  const identified = observed === undefined ? desired : withMetadata(desired, Object.fromEntries(identity));
  const labels = metadataMap(xr, "labels");
  const root = labels[COMPOSITE_LABEL] || metadataString(xr, "name");
  const { [CLAIM_NAME_LABEL]: claim, [CLAIM_NAMESPACE_LABEL]: claimNamespace } = labels;
  const isNamed = metadataString(identified, "name") !== "" || metadataString(identified, "generateName") !== "";
  const namespace = metadataString(xr, "namespace");
  return withMetadata(identified, {
    ...(!isNamed && { generateName: `${root}-` }),
    ...(namespace !== "" && { namespace }),
    annotations: { ...metadataMap(identified, "annotations"), [RESOURCE_NAME]: name },
    labels: {
      ...metadataMap(identified, "labels"),
      [COMPOSITE_LABEL]: root,
      ...(claim && claimNamespace && { [CLAIM_NAMESPACE_LABEL]: claimNamespace, [CLAIM_NAME_LABEL]: claim }),
    },
    ownerReferences: withController(identified, xr),
  });
}

function withController(object: JsonObject, xr: JsonObject): readonly JsonObject[] {
  const listed = ownValue(objectAt(object, "metadata"), "ownerReferences");
  const [uid, name] = [metadataString(xr, "uid"), metadataString(xr, "name")];
  const [apiVersion, kind] = [String(xr["apiVersion"]), String(xr["kind"])];
  const controller = { apiVersion, blockOwnerDeletion: true, controller: true, kind, name, uid };
  const others = Array.isArray(listed) ? listed.filter(isObject).filter((owner) => owner["uid"] !== uid) : [];
  return [...others, controller];
}

/** The time of all conditions: the real one would change every output. */
const TRANSITION = "2024-01-01T00:00:00Z";

/** Conditions that only Crossplane sets. */
const SYSTEM = new Set(["Ready", "Synced", "Healthy"]);

/** Makes the XR that the pipeline desires: its kind and name, its status, and its conditions, `Ready` first. */
function renderComposite(xr: JsonObject, desired: Resource, unready: readonly string[], all: readonly Condition[]) {
  const { resource, ready } = desired;
  const identified = withMetadata(
    { ...(resource && fromStruct(resource)), apiVersion: String(xr["apiVersion"]), kind: String(xr["kind"]) },
    { name: metadataString(xr, "name"), namespace: metadataString(xr, "namespace") },
  );
  const own = all.filter(({ type }) => !SYSTEM.has(type)).map(toCondition);
  return [readyCondition(ready, unready), ...own].reduce(withCondition, identified);
}

function readyCondition(ready: Resource["ready"], unready: readonly string[]): JsonObject {
  const base = { lastTransitionTime: TRANSITION, type: "Ready" };
  if (ready === "READY_FALSE") return { ...base, reason: "Creating", status: "False" };
  if (ready === "READY_TRUE" || unready.length === 0) return { ...base, reason: "Available", status: "True" };
  return { ...base, message: `Unready resources: ${shorten(unready)}`, reason: "Creating", status: "False" };
}

/** Lists the first three names, and the number of the others. */
function shorten(names: readonly string[]): string {
  const first = names.slice(0, 3).join(", ");
  if (names.length > 3) return `${first}, and ${String(names.length - 3)} more`;
  return names.length === 3 ? first.replace(/, (?=[^,]*$)/, ", and ") : first;
}

const STATUSES: Readonly<Record<string, string>> = { STATUS_CONDITION_TRUE: "True", STATUS_CONDITION_FALSE: "False" };

const toCondition = ({ type, status, reason, message }: Condition): JsonObject => ({
  lastTransitionTime: TRANSITION,
  ...(message && { message }),
  reason,
  status: STATUSES[status] ?? "Unknown",
  type,
});

/** Adds a condition, or replaces the one of the same type in its place. */
function withCondition(xr: JsonObject, condition: JsonObject): JsonObject {
  const status = objectAt(xr, "status");
  const known = ownValue(status, "conditions");
  const conditions = Array.isArray(known) ? known.filter(isObject) : [];
  const at = conditions.findIndex(({ type }) => type === condition["type"]);
  const next = at < 0 ? [...conditions, condition] : conditions.with(at, condition);
  return { ...xr, status: { ...status, conditions: next } };
}
