import { type handleUnaryCall, type ServerUnaryCall, status } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import type { Metrics } from "./metrics.ts";
import { type CallStatus, toStatus } from "./status.ts";

/** A function's whole work: an encoded RunFunctionRequest in, what it came to out. Synchronous. */
export type RunFunction = (message: Uint8Array) => Outcome;

interface Dependencies {
  readonly runFunction: RunFunction;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "ran">;
}

type RunFunctionCall = ServerUnaryCall<Buffer, Uint8Array>;

/**
 * Answers RunFunction. The log gets one debug line a call, a line for each tag that it changes, a warning for a Fatal result
 * and an error for a bug of ours.
 */
export function createHandler(dependencies: Dependencies): handleUnaryCall<Buffer, Uint8Array> {
  return (call, callback) => {
    const refusal = refuse(call);
    if (refusal) return callback(refusal);
    try {
      callback(null, answer(call, dependencies));
    } catch (error) {
      callback(reportFailure(error, call, dependencies.log));
    }
  };
}

/** Nobody waits for the answer any more; calls queue up while another one is computed, so this does happen. */
function refuse(call: RunFunctionCall): CallStatus | undefined {
  if (call.cancelled) return { code: status.CANCELLED, details: "the call was cancelled before it was run" };
  if (Number(call.getDeadline()) <= Date.now()) {
    return { code: status.DEADLINE_EXCEEDED, details: "the deadline passed before the call was run" };
  }
  return undefined;
}

function answer(call: RunFunctionCall, { runFunction, log, metrics }: Dependencies): Uint8Array {
  const start = performance.now();
  const outcome = runFunction(call.request);
  const requestBytes = call.request.byteLength;
  metrics.ran(requestBytes, outcome);
  log.debug("ran function", {
    path: call.getPath(),
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

function reportFailure(error: unknown, call: RunFunctionCall, log: Log): CallStatus {
  const answered = toStatus(error);
  const requestBytes = call.request.byteLength;
  if (answered.code === status.INTERNAL) {
    const stack = error instanceof Error ? error.stack : String(error);
    log.error("cannot run the function", { path: call.getPath(), requestBytes, stack });
  } else {
    log.warn("refused a call", { path: call.getPath(), requestBytes, details: answered.details });
  }
  return answered;
}
