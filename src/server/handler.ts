import { type handleUnaryCall, type ServerUnaryCall, status } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import type { Metrics } from "./metrics.ts";
import { type CallStatus, toStatus } from "./status.ts";
import type { Turns } from "./turns.ts";

/** Runs the function: takes an encoded RunFunctionRequest, returns the encoded response and a summary of it. Synchronous. */
export type RunFunction = (message: Uint8Array) => Outcome;

interface Dependencies {
  readonly runFunction: RunFunction;
  readonly turns: Turns;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "ran">;
}

type Invocation = ServerUnaryCall<Buffer, Uint8Array>;

/**
 * Answers RunFunction. Logs each call at level debug, each changed tag at info, a Fatal result as a warning and a bug as an
 * error.
 */
export const createHandler =
  (dependencies: Dependencies): handleUnaryCall<Buffer, Uint8Array> =>
  (call, callback) =>
    dependencies.turns.run(call.getPeer(), call.request.byteLength, () => {
      if (call.cancelled) return; // the client is gone
      const answer = answerOrFail(call, dependencies);
      if (answer instanceof Uint8Array) callback(null, answer);
      else callback(answer);
    });

function answerOrFail(call: Invocation, dependencies: Dependencies): Uint8Array | CallStatus {
  try {
    return answer(call, dependencies);
  } catch (error) {
    return reportFailure(error, call, dependencies.log);
  }
}

function answer(call: Invocation, { runFunction, log, metrics }: Dependencies): Uint8Array {
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

function reportFailure(error: unknown, call: Invocation, log: Log): CallStatus {
  const failure = toStatus(error);
  const about = { client: call.getPeer(), path: call.getPath(), requestBytes: call.request.byteLength };
  if (failure.code === status.INTERNAL) {
    log.error("cannot run the function", { ...about, stack: error instanceof Error ? error.stack : String(error) });
  } else {
    log.warn("refused a call", { ...about, details: failure.details });
  }
  return failure;
}
