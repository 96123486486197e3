import { type handleUnaryCall, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { Outcome } from "../run-function.ts";
import { freeMemory, hasOwnBuffer } from "./free-memory.ts";
import type { Metrics } from "./metrics.ts";
import { trackPace } from "./pace.ts";
import { createQueue } from "./queue.ts";
import { type CallStatus, toStatus } from "./status.ts";
import type { Turns } from "./turns.ts";

/** Runs the function: takes an encoded RunFunctionRequest, returns the encoded response and a summary of it. Synchronous. */
export type RunFunction = (message: Uint8Array) => Outcome;

/** Runs it beside the event loop, one request at a time. The bytes may be gone afterwards. */
export type RunInThread = (message: Uint8Array) => Promise<Outcome>;

interface Dependencies {
  readonly runFunction: RunFunction;
  /** For large requests where some are slow; without it the event loop computes them, too. */
  readonly runInThread?: RunInThread | undefined;
  readonly turns: Turns;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "ran">;
}

type Reporting = Pick<Dependencies, "log" | "metrics">;

type Invocation = ServerUnaryCall<Buffer, Uint8Array>;

/** The least size of a large request: it can take longer than 5 ms. */
const LARGE_BYTES = 64 * 1024;

const NOTHING = Buffer.alloc(0);

/** The outcome of a call, and the time that it took. */
interface Ran {
  readonly outcome: Outcome;
  readonly milliseconds: number;
}

/**
 * Answers RunFunction. Logs each call at level debug, each changed tag at info, a Fatal result as a warning and a bug as an
 * error.
 */
export function createHandler(dependencies: Dependencies): handleUnaryCall<Buffer, Uint8Array> {
  const { runFunction, runInThread, turns } = dependencies;
  const inOrder = createLine();
  const pace = trackPace();
  /** Notes the time of a large call, of one that fails as well. */
  const noted = (run: () => Ran): Ran => {
    const start = performance.now();
    try {
      return run();
    } finally {
      pace.note(performance.now() - start);
    }
  };
  return (call, callback) => {
    const connection = call.getPeer();
    const requestBytes = call.request.byteLength;
    const reply = (run: () => Ran): void => {
      if (call.cancelled) return; // the client is gone
      const outcome = reportOrFail(call, requestBytes, run, dependencies);
      if ("code" in outcome) callback(outcome);
      else logChanges(outcome.audit, connection, dependencies, () => send(outcome, call, callback));
    };
    const runHere = () => timed(() => runFunction(call.request));
    if (requestBytes < LARGE_BYTES) return turns.run(connection, () => reply(runHere));
    if (runInThread === undefined || pace.isQuick()) {
      return turns.runLarge(connection, () => reply(() => noted(runHere)));
    }

    const takeMessage = holdUntilCancelled(call);
    inOrder(connection, async () => {
      const message = takeMessage();
      if (message === undefined) return;
      const start = performance.now();
      const ran = await settled(() => runInThread(message));
      pace.note(performance.now() - start);
      turns.run(connection, () => reply(ran));
    });
  };
}

/** Takes the message out of a call, so that its memory is free when the call is cancelled while it waits. */
function holdUntilCancelled(call: Invocation): () => Buffer | undefined {
  let message: Buffer | undefined = call.request;
  call.request = NOTHING;
  call.once("cancelled", () => (message = undefined));
  return () => {
    const taken = message;
    message = undefined;
    return taken;
  };
}

/** Sends the response, and frees its memory and that of the request: grpc-js copies a message when it takes it. */
function send({ response }: Outcome, { request }: Invocation, callback: sendUnaryData<Uint8Array>): void {
  callback(null, response);
  freeMemory(response);
  if (hasOwnBuffer(request)) freeMemory(request);
}

/** Does work one at a time, connection by connection. The work must not fail. */
function createLine(): (connection: string, work: () => Promise<void>) => void {
  const waiting = createQueue<string, () => Promise<void>>();
  let isBusy = false;
  const goOn = async (): Promise<void> => {
    isBusy = true;
    for (let work = waiting.take(); work !== undefined; work = waiting.take()) await work();
    isBusy = false;
  };
  return (connection, work) => {
    waiting.add(connection, work);
    if (!isBusy) void goOn();
  };
}

function timed(run: () => Outcome): Ran {
  const start = performance.now();
  return { outcome: run(), milliseconds: performance.now() - start };
}

/** Waits for an outcome. @returns a function that returns it, or throws what was thrown. */
async function settled(run: () => Promise<Outcome>): Promise<() => Ran> {
  const start = performance.now();
  try {
    const ran = { outcome: await run(), milliseconds: performance.now() - start };
    return () => ran;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function reportOrFail(
  call: Invocation,
  requestBytes: number,
  run: () => Ran,
  reporting: Reporting,
): Outcome | CallStatus {
  try {
    return report(run(), { path: call.getPath(), requestBytes }, reporting);
  } catch (error) {
    return reportFailure(error, { client: call.getPeer(), path: call.getPath(), requestBytes }, reporting.log);
  }
}

function report(
  { outcome, milliseconds }: Ran,
  about: { readonly path: string; readonly requestBytes: number },
  { log, metrics }: Reporting,
): Outcome {
  metrics.ran(about.requestBytes, outcome);
  log.debug("ran function", {
    ...about,
    milliseconds: Number(milliseconds.toFixed(3)),
    responseBytes: outcome.response.byteLength,
    results: outcome.results.map(({ severity, reason }) => ({ severity, reason })),
    conditions: outcome.conditions.map(({ type, status, reason }) => ({ type, status, reason })),
  });
  for (const { severity, reason, message } of outcome.results) {
    if (severity === "Fatal") log.warn("returned a fatal result", { reason, result: message });
  }
  return outcome;
}

/** The changed tags that are logged in one turn: it takes 3 ms, and a request of 1 MB can change 7,500 tags. */
const CHANGES_PER_TURN = 100;

/** Logs the changed tags, in several turns if they are many. */
function logChanges(
  changes: Outcome["audit"],
  connection: string,
  { turns, log }: Pick<Dependencies, "turns" | "log">,
  then: () => void,
): void {
  const logFrom = (start: number): void => {
    const end = start + CHANGES_PER_TURN;
    for (const change of changes.slice(start, end)) log.info("changed a tag", { ...change });
    if (end >= changes.length) then();
    else turns.run(connection, () => logFrom(end));
  };
  logFrom(0);
}

function reportFailure(error: unknown, about: object, log: Log): CallStatus {
  const failure = toStatus(error);
  if (failure.code === status.INTERNAL) {
    log.error("cannot run the function", { ...about, stack: error instanceof Error ? error.stack : String(error) });
  } else {
    log.warn("refused a call", { ...about, details: failure.details });
  }
  return failure;
}
