import { constants, setPriority } from "node:os";
import { isMainThread, parentPort } from "node:worker_threads";
import { FunctionError } from "./errors.ts";
import { runFunction } from "./run-function.ts";
import type { WorkerAnswer } from "./server/worker-thread.ts";

// The worker thread's program: answers large requests, one after the other (src/server/worker-thread.ts).

function answer(message: Uint8Array): WorkerAnswer {
  try {
    return { is: "outcome", outcome: runFunction(message) };
  } catch (error) {
    const code = error instanceof FunctionError ? error.code : undefined;
    const { message: text, stack } = error instanceof Error ? error : new Error(String(error));
    return { is: "error", error: { code, message: text, stack } };
  }
}

if (!isMainThread) {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL); // of this thread on Linux: the event loop goes first
  parentPort?.on("message", (message: Uint8Array) => {
    const answered = answer(message);
    parentPort?.postMessage(answered, answered.is === "outcome" ? transferable(answered.outcome.response) : []);
  });
  parentPort?.postMessage({ is: "loaded" } satisfies WorkerAnswer);
}

/** The buffer, if it holds nothing else: what is transferred is gone here. */
const transferable = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
