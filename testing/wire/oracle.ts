import type * as codec from "../../cli/render/protocol.ts";
import { fromStruct, loadMethod, toStruct } from "../../cli/render/protocol.ts";
import type { Condition, ConditionTarget, Result } from "../../src/model/condition.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Ready } from "../../src/model/request.ts";
import type { ResourceSelector } from "../../src/model/requirement.ts";
import type { PlainRequest, PlainResource, PlainResponse, PlainState } from "./plain.ts";

/**
 * Encodes requests, and decodes responses, in plain JSON with the protocol's own codec (@grpc/proto-loader, which is protobufjs). Where it departs
 * from the specification (a field given twice, deep nesting) it is no oracle; tests of those cases spell out the bytes and
 * their meaning.
 */

type Named<T> = Readonly<Record<string, T>>;

/** A response, with the fields that `render` does not read. */
interface CodecResponse extends codec.RunFunctionResponse {
  readonly meta: { readonly tag: string; readonly ttl?: { readonly seconds: number } };
  readonly output?: codec.Struct | null;
  readonly results: readonly { severity: string; message: string; reason?: string; target: string }[];
  readonly conditions: readonly (codec.Condition & { readonly target: string })[];
}

const method = loadMethod();

export function encodeRequest(request: PlainRequest): Buffer {
  const { tag, capabilities, input, context } = request;
  return method.requestSerialize({
    meta: { tag, capabilities },
    observed: toState(request.observed),
    desired: toState(request.desired),
    ...(input === undefined ? {} : { input: toStruct(input) }),
    ...(context === undefined ? {} : { context: toStruct(context) }),
    extraResources: objectOf(request.extra, toItems),
    requiredResources: objectOf(request.required, toItems),
    credentials: objectOf(request.credentials, (data) => ({ credentialData: { data } })),
    requiredSchemas: objectOf(request.schemas, (schema) => ({ openapiV3: toStruct(schema) })),
  });
}

const toItems = (items: readonly JsonObject[]) => ({ items: items.map((item) => ({ resource: toStruct(item) })) });

export function decodeResponse(bytes: Uint8Array): PlainResponse {
  const response = method.responseDeserialize(Buffer.from(bytes)) as CodecResponse;
  const { meta, context, requirements, output } = response;
  return {
    tag: meta.tag,
    ttlSeconds: meta.ttl?.seconds,
    desired: fromState(response.desired),
    context: context ? fromStruct(context) : undefined,
    output: output ? fromStruct(output) : undefined,
    results: response.results.map(fromResult),
    conditions: response.conditions.map(fromCondition),
    requirements: requirements
      ? {
          resources: mapOf(requirements.resources, fromSelector),
          extra: mapOf(requirements.extraResources, fromSelector),
          schemas: mapOf(requirements.schemas, ({ apiVersion, kind }) => ({ apiVersion, kind })),
        }
      : undefined,
  };
}

const fromResult = ({ severity, target, message, reason }: CodecResponse["results"][number]): Result => ({
  severity: named(severity, "SEVERITY_") as Result["severity"],
  target: targetOf(target),
  message,
  reason,
});

const fromCondition = ({ type, status, ...rest }: CodecResponse["conditions"][number]): Condition => ({
  type,
  status: named(status, "STATUS_CONDITION_") as Condition["status"],
  reason: rest.reason,
  message: rest.message,
  target: targetOf(rest.target),
});

const fromSelector = ({
  apiVersion,
  kind,
  namespace,
  matchName,
  matchLabels,
}: codec.ResourceSelector): ResourceSelector => ({
  apiVersion,
  kind,
  namespace,
  match: matchName === undefined ? { labels: matchLabels?.labels ?? {} } : { name: matchName },
});

const toState = ({ composite, resources }: PlainState) => ({
  composite: toResource(composite),
  resources: objectOf(resources, toResource),
});

const toResource = ({ object, ready, details }: PlainResource) => ({
  resource: toStruct(object),
  connectionDetails: objectOf(details, (value) => Buffer.from(value, "base64")),
  ready: `READY_${ready.toUpperCase()}`,
});

const fromState = (state: codec.State | null): PlainState => ({
  composite: fromResource(state?.composite),
  resources: mapOf(state?.resources ?? {}, fromResource),
});

const fromResource = (resource?: codec.Resource | null): PlainResource => ({
  object: resource?.resource ? fromStruct(resource.resource) : {},
  ready: named(resource?.ready ?? "READY_UNSPECIFIED", "READY_") as Ready,
  details: mapOf(resource?.connectionDetails ?? {}, (value) => Buffer.from(value).toString("base64")),
});

/** `True` of `STATUS_CONDITION_TRUE`. */
const named = (name: string, prefix: string): string =>
  name.charAt(prefix.length) + name.slice(prefix.length + 1).toLowerCase();

const targetOf = (name: string): ConditionTarget => (name === "TARGET_COMPOSITE" ? "Composite" : "CompositeAndClaim");

/** By definition and not by assignment: `__proto__` is a name like any other. */
const objectOf = <From, To>(map: ReadonlyMap<string, From>, to: (value: From) => To): Named<To> =>
  Object.fromEntries([...map].map(([name, value]) => [name, to(value)]));

const mapOf = <From, To>(entries: Named<From>, to: (value: From) => To): Map<string, To> =>
  new Map(Object.entries(entries).map(([name, value]) => [name, to(value)]));
