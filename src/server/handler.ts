import { type handleUnaryCall, type StatusObject, status } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import type { Gate } from "./drain.ts";
import type { Metrics } from "./metrics.ts";

/** Runs the function: takes an encoded RunFunctionRequest, returns the encoded response and a summary of it. Synchronous. */
export type RunFunction = (message: Buffer) => Outcome;

/** Answers RunFunction. Logs calls (debug), changed tags (info), Fatal results (warn) and bugs (error). */
export const createHandler =
  (runFunction: RunFunction, gate: Gate, log: Log, metrics: Metrics): handleUnaryCall<Buffer, Buffer> =>
  (call, callback) =>
    gate.pass(() => {
      if (call.cancelled) return;
      const facts = { path: call.getPath(), requestBytes: call.request.byteLength };
      const start = performance.now();
      let outcome: Outcome;
      try {
        outcome = runFunction(call.request);
      } catch (error) {
        callback(logFailure(error, { client: call.getPeer(), ...facts }, log));
        return;
      }
      const milliseconds = Number((performance.now() - start).toFixed(3));
      callback(null, outcome.response);
      metrics.ran(facts.requestBytes, outcome);
      logOutcome(outcome, { ...facts, milliseconds }, log);
    });

function logOutcome(outcome: Outcome, facts: object, log: Log): void {
  log.debug("ran function", {
    ...facts,
    responseBytes: outcome.response.byteLength,
    results: outcome.results.map(({ severity, reason }) => ({ severity, reason })),
    conditions: outcome.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
  });
  for (const { severity, reason, message } of outcome.results) {
    if (severity === "Fatal") log.warn("returned a fatal result", { reason, result: message });
  }
  for (const change of outcome.audit) log.info("changed a tag", { ...change });
}

/** Logs an error, and converts it to a status without content of the request. */
function logFailure(error: unknown, facts: object, log: Log): Pick<StatusObject, "code" | "details"> {
  if (error instanceof FunctionError && error.code === "InvalidMessage") {
    log.warn("refused a call", { ...facts, details: error.message });
    return { code: status.INVALID_ARGUMENT, details: error.message };
  }
  const stack = error instanceof Error ? error.stack : String(error);
  log.error("cannot run the function", { ...facts, stack });
  return { code: status.INTERNAL, details: "cannot run the function: internal error, see the function's log" };
}
