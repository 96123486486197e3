import type { State } from "../../src/model/request.ts";
import { readRequest } from "../../src/wire/request.ts";

/** The limit of any codec: JSON.parse, V8's own in C++, of all the request's resources as one text. It reads only. */
export function parsing(request: Buffer): () => unknown {
  const { observed, desired } = readRequest(request);
  const plain = ({ composite, resources }: State) => ({
    composite: composite.document.toObject(),
    resources: Object.fromEntries([...resources].map(([name, { document }]) => [name, document.toObject()])),
  });
  const text = JSON.stringify({ observed: plain(observed), desired: plain(desired) });
  return () => JSON.parse(text);
}
