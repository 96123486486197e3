import { loadMethod } from "../../cli/render/codec.ts";
import { type Struct, toStruct, type Value } from "../../cli/render/struct.ts";
import { addedObject, COST_CENTER, GENERATION, IDS, type Job, READ, type Run, SHARED } from "../jobs.ts";

/**
 * The jobs over @grpc/proto-loader's plain messages, as functions were written in TypeScript before there was an SDK. Structs
 * stay messages, and only the values that a job needs are converted.
 */

interface Resource {
  readonly resource: Struct;
  readonly ready?: string;
}
interface State {
  readonly composite: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
}
export interface Request {
  readonly meta: { readonly tag: string };
  readonly observed: State;
  readonly desired: State;
  readonly context?: Struct;
  readonly requiredResources: Readonly<Record<string, { readonly items: readonly Resource[] }>>;
}

const method = loadMethod();

const answers: Record<Job, (request: Request) => object> = {
  echo: (request) => to(request),
  "touch few": touchFew,
  "look up": lookUp,
  everything,
  "tag all": tagAll,
  select: selectIntoContext,
};

export const answerOf = (job: Job): ((request: Request) => object) => answers[job];

export function runOf(job: Job): Run {
  const answer = answers[job];
  // The codec's own type is `object`; its messages have the fields of the .proto file.
  return (message) => method.responseSerialize(answer(method.requestDeserialize(message) as Request));
}

const to = ({ meta, desired, context }: Request) => ({
  meta: { tag: meta.tag, ttl: { seconds: 60 } },
  desired,
  context,
});

const withResources = (request: Request, resources: State["resources"]) => {
  const response = to(request);
  return { ...response, desired: { ...request.desired, resources: { ...request.desired.resources, ...resources } } };
};

const withContext = (request: Request, key: string, value: Value) => ({
  ...to(request),
  context: { fields: { ...request.context?.fields, [key]: value } },
});

function at(struct: Struct, ...path: readonly string[]): Value | undefined {
  let value: Value | undefined = { structValue: struct };
  for (const step of path) value = value && "structValue" in value ? value.structValue.fields[step] : undefined;
  return value;
}

const textAt = (struct: Struct, ...path: readonly string[]): string => {
  const value = at(struct, ...path);
  if (value && "stringValue" in value) return value.stringValue;
  return value && "numberValue" in value ? String(value.numberValue) : "";
};

/** A copy with a string at the path, whose parents exist. */
function withText(struct: Struct, [step = "", ...rest]: readonly string[], text: string): Struct {
  const before = struct.fields[step];
  const nested = before && "structValue" in before ? before.structValue : { fields: {} };
  const value: Value = rest.length === 0 ? { stringValue: text } : { structValue: withText(nested, rest, text) };
  return { fields: { ...struct.fields, [step]: value } };
}

function touchFew(request: Request): object {
  const { observed, desired } = request;
  const ids = READ.map((name) => observed.resources[name])
    .filter((resource) => resource !== undefined)
    .map(({ resource }) => textAt(resource, "status", "atProvider", "id"))
    .join(",");
  const edited = desired.resources[READ[0]];
  const xr = textAt(observed.composite.resource, "metadata", "name");
  return withResources(request, {
    ...(edited && {
      [READ[0]]: { ...edited, resource: withText(edited.resource, ["metadata", "annotations", IDS], ids) },
    }),
    added: { resource: toStruct(addedObject(xr, ids)), ready: "READY_TRUE" },
  });
}

function lookUp(request: Request): object {
  const { resources } = request.observed;
  const ids = Object.keys(resources)
    .sort()
    .map((name) => textAt(resources[name]?.resource ?? { fields: {} }, "status", "atProvider", "id"));
  return withContext(request, IDS, { stringValue: ids.join(",") });
}

const mapped = (request: Request, change: (resource: Struct, name: string) => Struct): object =>
  withResources(
    request,
    Object.fromEntries(
      Object.entries(request.desired.resources).map(([name, before]) => [
        name,
        { ...before, resource: change(before.resource, name) },
      ]),
    ),
  );

function everything(request: Request): object {
  const generationOf = (name: string): string =>
    textAt(request.observed.resources[name]?.resource ?? { fields: {} }, "metadata", "generation");
  return mapped(request, (resource, name) =>
    withText(resource, ["metadata", "annotations", GENERATION], generationOf(name)),
  );
}

function tagAll(request: Request): object {
  const costCenter = textAt(request.observed.composite.resource, "metadata", "labels", COST_CENTER);
  return mapped(request, (resource) => withText(resource, ["spec", "forProvider", "tags", COST_CENTER], costCenter));
}

function selectIntoContext(request: Request): object {
  const items = request.requiredResources["shared"]?.items ?? [];
  const values = items.map(({ resource }): Value => ({ structValue: resource }));
  return withContext(request, SHARED, { listValue: { values } });
}
