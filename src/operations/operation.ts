import type { Input } from "../input/schema.ts";
import type { Draft } from "../model/draft.ts";
import type { Request } from "../model/request.ts";
import type { Requirements } from "../model/requirement.ts";

/** One call in an Operation. There is no XR, and desired resources are applied to existing ones of the same name. */
export interface OperationCall {
  readonly request: Request;
  readonly input: Input;
  readonly requirements: Requirements;
}

/** A feature of Operations: pure and deterministic, like those of Compositions. */
export type Operation = (call: OperationCall, draft: Draft) => Draft;
