import { Worker } from "node:worker_threads";
import { FunctionError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import { hasOwnBuffer } from "./free-memory.ts";

/** A message of the worker thread: that it is loaded, and then an answer to each request. */
export type WorkerAnswer =
  | { readonly is: "loaded" }
  | { readonly is: "outcome"; readonly outcome: Outcome }
  | { readonly is: "error"; readonly error: WorkerError };

/** An error as it crosses threads, which keeps no class. */
interface WorkerError {
  /** Undefined for a bug. */
  readonly code: FunctionError["code"] | undefined;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Runs the function in another thread. */
export interface FunctionThread {
  /** Takes one request at a time, and its memory: the bytes are gone afterwards. */
  readonly run: (message: Uint8Array) => Promise<Outcome>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a worker thread for large requests, where some are slow. One of 1 MB can take 100 ms, in which the event loop would
 * answer no other call, no health check and no scrape. A thread that ends fails its request and is replaced. If the program cannot
 * be loaded, the event loop runs the function.
 */
export function startThread(program: URL, runFunction: (message: Uint8Array) => Outcome, log: Log): FunctionThread {
  let thread = startOne(program, log);
  return {
    run: async (message) => {
      if (thread.isOver() && (await thread.loaded)) thread = startOne(program, log);
      return (await thread.loaded) ? thread.run(message) : runFunction(message);
    },
    stop: () => thread.stop(),
  };
}

/** One thread, until it ends. */
interface Thread extends FunctionThread {
  /** False if the program cannot be loaded. */
  readonly loaded: Promise<boolean>;
  readonly isOver: () => boolean;
}

function startOne(program: URL, log: Log): Thread {
  const worker = new Worker(program);
  let state: "loading" | "loaded" | "over" = "loading";
  let settle: { resolve: (outcome: Outcome) => void; reject: (error: Error) => void } | undefined;
  const loaded = new Promise<boolean>((resolve) => {
    worker.on("message", (answer: WorkerAnswer) => {
      if (answer.is === "outcome") settle?.resolve(answer.outcome);
      else if (answer.is === "error") settle?.reject(toError(answer.error));
      else state = "loaded";
      resolve(true);
    });
    worker.on("error", (error) => {
      const fields = { error: String(error) };
      if (state === "loading") log.error("the thread for large requests cannot be loaded", fields);
      else log.error("the thread for large requests has ended", fields);
    });
    worker.on("exit", () => {
      state = "over";
      resolve(false);
      settle?.reject(new Error("the thread for large requests has ended"));
    });
  });
  return {
    loaded,
    isOver: () => state === "over",
    run: (message) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        const whole = hasOwnBuffer(message) ? message : new Uint8Array(message); // not slice(), which shares a Buffer's memory
        worker.postMessage(whole, [whole.buffer as ArrayBuffer]);
      }),
    stop: async () => {
      await worker.terminate();
    },
  };
}

function toError({ code, message, stack }: WorkerError): Error {
  const error = code === undefined ? new Error(message) : new FunctionError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
