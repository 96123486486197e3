import type { Composite } from "../crossplane/composite.ts";
import { couldNotBeRead } from "../crossplane/requirement.ts";
import type { Input } from "../input/schema.ts";
import type { Draft } from "../model/draft.ts";
import type { Request } from "../model/request.ts";
import type { Requirement, Requirements } from "../model/requirement.ts";

/** One call of the function: what Crossplane sent, narrowed at the door. */
export interface Call {
  readonly request: Request;
  readonly input: Input;
  readonly composite: Composite;
  /** Looks resources and schemas up, and records what the response requires for that. */
  readonly requirements: Requirements;
}

/**
 * One thing that the function can do. Synchronous and deterministic, and pure but for the record of what it has asked: Crossplane
 * calls it until its requirements no longer change, and relies on the same request having the same answer.
 */
export type Feature = (call: Call, draft: Draft) => Draft;

/**
 * Tells whether Crossplane could not read what a requirement asks for in the last reconcile, so that asking again would only fail
 * the XR once more. An answer that has come is read, whatever happened before.
 *
 * @param prefix the beginning of the names of such requirements.
 */
export const isUnreadable = ({ name }: Requirement, prefix: string, { request, composite }: Call): boolean =>
  couldNotBeRead(prefix, composite.document) && request.required(name).is === "pending";
