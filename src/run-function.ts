import type { Condition, Result } from "./model/condition.ts";

/** What one call came to: the bytes to send, and what the log and the metrics may say of it. */
export interface Outcome {
  /** A RunFunctionResponse, encoded. */
  readonly response: Uint8Array;
  readonly conditions: readonly Condition[];
  readonly results: readonly Result[];
}

/**
 * Answers one encoded RunFunctionRequest. Deterministic: the same bytes in, the same bytes out.
 *
 * @throws {FunctionError} `InvalidMessage` for bytes that are no RunFunctionRequest.
 */
export function runFunction(_request: Uint8Array): Outcome {
  return { response: new Uint8Array(), conditions: [], results: [] };
}
