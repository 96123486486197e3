import { loadMethod } from "../../cli/render/codec.ts";
import { fromStruct, type Struct } from "../../cli/render/struct.ts";

/**
 * The bounds of any codec: copying the bytes, and JSON.parse (V8's own, in C++) of the same data. A limit is no job: each takes
 * the encoded request and prepares the work to time.
 */
export const limits: Readonly<Record<string, (request: Buffer) => () => unknown>> = {
  memcpy: (request) => () => Buffer.from(request),
  "JSON.parse": (request) => {
    const text = toJson(request);
    return () => JSON.parse(text);
  },
};

interface Resource {
  readonly resource: Struct;
}
interface State {
  readonly composite: Resource;
  readonly resources: Readonly<Record<string, Resource>>;
}

/** All of the request's resources as one JSON text. */
export function toJson(request: Buffer): string {
  const { observed, desired } = loadMethod().requestDeserialize(request) as { observed: State; desired: State };
  const plain = ({ composite, resources }: State) => ({
    composite: fromStruct(composite.resource),
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, { resource }]) => [name, fromStruct(resource)]),
    ),
  });
  return JSON.stringify({ observed: plain(observed), desired: plain(desired) });
}
