import { Client, credentials } from "@grpc/grpc-js";
import { API_VERSION, KIND } from "../../src/input/schema.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { runFunction } from "../../src/run-function.ts";
import { decodeResponse, encodeRequest } from "../wire/oracle.ts";
import { emptyResource, type PlainRequest, type PlainResponse } from "../wire/plain.ts";

/** A patch from the fields of a status to a composed resource, in the words that both functions share. */
export interface PatchCase {
  readonly status: JsonObject;
  /** The composed resource's spec. */
  readonly spec: JsonObject;
  readonly fromFieldPath?: string;
  readonly combine?: JsonObject;
  readonly toFieldPath: string;
  readonly policy?: JsonObject;
  readonly transforms?: readonly JsonObject[];
}

/** The composed resource's spec with the patch, or the text of the error. */
export type PatchResult =
  | { readonly is: "patched"; readonly spec: JsonValue | undefined }
  | { readonly is: "failed"; readonly fault: string };

const RESOURCE = "app";

const composed = (spec: JsonObject): JsonObject => ({ apiVersion: "example.org/v1", kind: "App", spec });

const requestOf = ({ status }: PatchCase, input: JsonObject, desired: Readonly<Record<string, JsonObject>>): Buffer => {
  const xr = { apiVersion: "example.org/v1", kind: "XApp", metadata: { name: "app", uid: "1" }, status };
  const none = new Map<string, never>();
  const request: PlainRequest = {
    tag: "patch",
    capabilities: ["CAPABILITY_CAPABILITIES", "CAPABILITY_CONDITIONS", "CAPABILITY_REQUIRED_RESOURCES"],
    observed: { composite: { ...emptyResource, object: xr }, resources: none },
    desired: {
      composite: emptyResource,
      resources: new Map(Object.entries(desired).map(([name, object]) => [name, { ...emptyResource, object }])),
    },
    input,
    extra: none,
    required: none,
    credentials: none,
    schemas: none,
  };
  return encodeRequest(request);
};

const specIn = ({ desired }: PlainResponse): JsonValue | undefined => desired.resources.get(RESOURCE)?.object["spec"];

/** The real function-patch-and-transform. */
export interface PatchAndTransform {
  patch(patch: PatchCase): Promise<PatchResult>;
  close(): void;
}

const METHOD = "/apiextensions.fn.proto.v1beta1.FunctionRunnerService/RunFunction";

/** Connects with one that serves at `target`. */
export function connectPatchAndTransform(target: string): PatchAndTransform {
  const client = new Client(target, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  const call = (request: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(METHOD, same, same, request, (error, response) => {
        if (error) reject(error);
        else resolve(response ?? Buffer.alloc(0));
      });
    });
  const patch = async (given: PatchCase): Promise<PatchResult> => {
    const response = decodeResponse(await call(requestOf(given, inputOf(given), {})));
    const fatal = response.results.find(({ severity }) => severity === "Fatal");
    return fatal === undefined ? { is: "patched", spec: specIn(response) } : { is: "failed", fault: fatal.message };
  };
  return { patch, close: () => client.close() };
}

function inputOf({ status: _, spec, combine, ...rest }: PatchCase): JsonObject {
  const type = combine === undefined ? "FromCompositeFieldPath" : "CombineFromComposite";
  return {
    apiVersion: "pt.fn.crossplane.io/v1beta1",
    kind: "Resources",
    resources: [{ name: RESOURCE, base: composed(spec), patches: [{ type, ...rest, ...(combine && { combine }) }] }],
  } as JsonObject;
}

/** Patches with this function: the XR is the shared resource. */
export function patchHere(patch: PatchCase): PatchResult {
  const { status: _, spec, toFieldPath, ...rest } = patch;
  const patches = [{ ...rest, toResource: { name: RESOURCE, fieldPath: toFieldPath } }];
  const input = {
    apiVersion: API_VERSION,
    kind: KIND,
    spec: { sharedResources: [{ name: "self", select: { self: true }, patches }] },
  } as unknown as JsonObject;
  const { response } = runFunction(requestOf(patch, input, { [RESOURCE]: composed(spec) }));
  const { results, conditions, ...decoded } = decodeResponse(response);
  const fatal = results.find(({ severity }) => severity === "Fatal")?.message;
  const fault = fatal ?? conditions.find(({ reason }) => reason === "PatchFailed")?.message;
  if (fault !== undefined) return { is: "failed", fault };
  return { is: "patched", spec: specIn({ results, conditions, ...decoded }) };
}
