import { loadMethod } from "../../cli/render/codec.ts";
import { type Struct, toStruct, type Value } from "../../cli/render/struct.ts";
import { addedObject, GENERATION, IDS, type Job, READ, type Run } from "../jobs.ts";

/** The jobs over @grpc/proto-loader's plain messages. Structs stay messages, and only values that a job needs are converted. */

interface Resource {
  readonly resource: Struct;
  readonly ready?: string;
}
interface State {
  readonly composite: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
}
interface Request {
  readonly meta: { readonly tag: string };
  readonly observed: State;
  readonly desired: State;
  readonly context?: Struct;
}

const method = loadMethod();

const edits: Record<Job, (request: Request) => State["resources"]> = {
  echo: () => ({}),
  "touch few": touchFew,
  everything,
};

export function runOf(job: Job): Run {
  return (message) => {
    // The codec's own type is `object`; its messages have the fields of the .proto file.
    const request = method.requestDeserialize(message) as Request;
    const { meta, desired, context } = request;
    const resources = { ...desired.resources, ...edits[job](request) };
    return method.responseSerialize({
      meta: { tag: meta.tag, ttl: { seconds: 60 } },
      desired: { ...desired, resources },
      context,
    });
  };
}

function textAt(struct: Struct | undefined, ...path: readonly string[]): string {
  let value: Value | undefined = struct && { structValue: struct };
  for (const step of path) value = value && "structValue" in value ? value.structValue.fields[step] : undefined;
  if (value && "stringValue" in value) return value.stringValue;
  return value && "numberValue" in value ? String(value.numberValue) : "";
}

/** A copy with a string at the path, whose parents exist. */
function withText(struct: Struct, [step = "", ...rest]: readonly string[], text: string): Struct {
  const before = struct.fields[step];
  const nested = before && "structValue" in before ? before.structValue : { fields: {} };
  const value: Value = rest.length === 0 ? { stringValue: text } : { structValue: withText(nested, rest, text) };
  return { fields: { ...struct.fields, [step]: value } };
}

function touchFew({ observed, desired }: Request): State["resources"] {
  const ids = READ.flatMap((name) => observed.resources[name] ?? [])
    .map(({ resource }) => textAt(resource, "status", "atProvider", "id"))
    .join(",");
  const edited = desired.resources[READ[0]];
  const xr = textAt(observed.composite.resource, "metadata", "name");
  return {
    ...(edited && {
      [READ[0]]: { ...edited, resource: withText(edited.resource, ["metadata", "annotations", IDS], ids) },
    }),
    added: { resource: toStruct(addedObject(xr, ids)), ready: "READY_TRUE" },
  };
}

function everything({ observed, desired }: Request): State["resources"] {
  const edited = Object.entries(desired.resources).map(([name, before]) => {
    const generation = textAt(observed.resources[name]?.resource, "metadata", "generation");
    const resource = withText(before.resource, ["metadata", "annotations", GENERATION], generation);
    return [name, { ...before, resource }];
  });
  return Object.fromEntries(edited);
}
