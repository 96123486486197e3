import type { Call } from "../grpc/call.ts";
import { type Method, unary } from "../grpc/method.ts";
import { StatusError } from "../grpc/status.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import type { Metrics } from "./metrics.ts";
import { toStatus } from "./status.ts";

/** A function's whole work: an encoded RunFunctionRequest in, what it came to out. Synchronous. */
export type RunFunction = (message: Uint8Array) => Outcome;

interface Dependencies {
  readonly runFunction: RunFunction;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "ran">;
}

/**
 * Answers RunFunction. The log gets one debug line a call, a line for each tag that it changes, a warning for a Fatal result
 * and an error for a bug of ours.
 */
export const createHandler = (dependencies: Dependencies): Method =>
  unary((request, call) => {
    try {
      return answer(request, call, dependencies);
    } catch (error) {
      throw reportFailure(error, request, call, dependencies.log);
    }
  });

function answer(request: Buffer, { path }: Call, { runFunction, log, metrics }: Dependencies): Uint8Array {
  const start = performance.now();
  const outcome = runFunction(request);
  const requestBytes = request.byteLength;
  metrics.ran(requestBytes, outcome);
  log.debug("ran function", {
    path,
    milliseconds: Number((performance.now() - start).toFixed(3)),
    requestBytes,
    responseBytes: outcome.response.byteLength,
    results: outcome.results.map(({ severity, reason }) => ({ severity, reason })),
    conditions: outcome.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
  });
  for (const { severity, reason, message } of outcome.results) {
    if (severity === "Fatal") log.warn("returned a fatal result", { reason, result: message });
  }
  for (const change of outcome.audit) log.info("changed a tag", { ...change });
  return outcome.response;
}

function reportFailure(error: unknown, request: Buffer, { path }: Call, log: Log): StatusError {
  const { code, details = "" } = toStatus(error);
  const requestBytes = request.byteLength;
  if (code === "Internal") {
    const stack = error instanceof Error ? error.stack : String(error);
    log.error("cannot run the function", { path, requestBytes, stack });
  } else {
    log.warn("refused a call", { path, requestBytes, details });
  }
  return new StatusError(code, details);
}
