import { decodeRequest } from "../../testing/wire/oracle.ts";
import type { PlainState } from "../../testing/wire/plain.ts";

/** The limit of any codec: JSON.parse, V8's own in C++, of all the request's resources as one text. It reads only. */
export function parsing(request: Buffer): () => unknown {
  const { observed, desired } = decodeRequest(request);
  const plain = ({ composite, resources }: PlainState) => ({
    composite: composite.object,
    resources: Object.fromEntries([...resources].map(([name, { object }]) => [name, object])),
  });
  const text = JSON.stringify({ observed: plain(observed), desired: plain(desired) });
  return () => JSON.parse(text);
}
