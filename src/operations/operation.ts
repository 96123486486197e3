import type { Input } from "../input/schema.ts";
import type { Draft } from "../model/draft.ts";
import type { Request } from "../model/request.ts";

/** One call in an Operation: there is no XR, and what is desired is applied to whatever it names. */
export interface OperationCall {
  readonly request: Request;
  readonly input: Input;
}

/** One thing that the function can do in an Operation. As pure and deterministic as a feature is. */
export type Operation = (call: OperationCall, draft: Draft) => Draft;
