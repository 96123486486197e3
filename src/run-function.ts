import { toComposite } from "./crossplane/composite.ts";
import { FunctionError } from "./errors.ts";
import { parseKnownInput } from "./input/parse.ts";
import type { Result } from "./model/condition.ts";
import { type Draft, emptyDraft, withRequirements, withResults } from "./model/draft.ts";
import { Requirements } from "./model/requirement.ts";
import { MAX_RESPONSE_BYTES } from "./model/response-limit.ts";
import { isOperation, operate } from "./operations/operations.ts";
import { run } from "./pipeline.ts";
import { readRequest } from "./wire/request.ts";
import { writeFatalResponse, writeResponse } from "./wire/response.ts";

/** The outcome of one call: the response, and the parts of the draft that the log and the metrics may show. */
export interface Outcome extends Pick<Draft, "conditions" | "results" | "audit" | "shares"> {
  /** An encoded RunFunctionResponse, in a buffer that it does not share with the request. */
  readonly response: Buffer;
}

/**
 * Answers one encoded RunFunctionRequest. The same bytes in give the same bytes out.
 *
 * A user's mistake becomes a Fatal result: Crossplane ends the reconcile, and applies and deletes nothing.
 *
 * @throws {FunctionError} `InvalidMessage` for bytes that are not a RunFunctionRequest.
 */
export function runFunction(message: Uint8Array): Outcome {
  const request = readRequest(message);
  const requirements = new Requirements(request);
  let draft = emptyDraft;
  try {
    const input = parseKnownInput(request.input.toObject(), request.inputBytes);
    const call = { request, input, requirements };
    draft = isOperation(call)
      ? operate(call)
      : run({ ...call, composite: toComposite(request.observed.composite.document) });
    draft = withRequirements(draft, requirements);
    return toOutcome(draft, writeResponse(request, draft, MAX_RESPONSE_BYTES));
  } catch (error) {
    if (!(error instanceof FunctionError) || error.code === "InvalidMessage") throw error;
    const { message, code: reason } = error;
    const result: Result = { severity: "Fatal", message, reason, target: "Composite" };
    // No TTL: Crossplane would replay the Fatal result until the TTL ends.
    const kept = { ...withRequirements(draft, requirements), audit: [], results: [], ttlSeconds: undefined };
    const fatal = withResults(kept, [result]);
    return toOutcome(fatal, writeFatalResponse(request, fatal));
  }
}

/** Picks the parts of a draft that may outlive the request. The others refer to its bytes. */
function toOutcome({ conditions, results, audit, shares }: Draft, response: Buffer): Outcome {
  return { response, conditions, results, audit, shares };
}
