import type { Composite } from "../crossplane/composite.ts";
import type { Input } from "../input/schema.ts";
import type { Draft } from "../model/draft.ts";
import type { Request } from "../model/request.ts";

/** One call of the function: what Crossplane sent, narrowed at the door. */
export interface Call {
  readonly request: Request;
  readonly input: Input;
  readonly composite: Composite;
}

/**
 * One thing that the function can do. Pure, synchronous and deterministic: Crossplane calls it until its requirements no
 * longer change, and relies on the same request having the same answer.
 */
export type Feature = (call: Call, draft: Draft) => Draft;
