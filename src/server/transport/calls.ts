import {
  constants,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { status } from "@grpc/grpc-js";
import { endLateCalls } from "./late-calls.ts";
import { limitPerTurn } from "./per-turn.ts";
import { endCall, isGrpc, isOver, refuseMediaType } from "./refuse.ts";
import { limitResets, type ResetOptions } from "./resets.ts";
import { type MemoryOptions, watchMemory } from "./watch-memory.ts";

/** A call that has ended, as seen on the wire. */
interface EndedCall {
  /** `/package.Service/Method`, as the client sent it. */
  readonly path: string;
  /** The gRPC code that was sent; CANCELLED if the stream ended without one. */
  readonly code: status;
  /** From the request's headers to the end of the stream. */
  readonly seconds: number;
}

export interface CallObserver {
  started(path: string): void;
  ended(call: EndedCall): void;
}

export interface CallsOptions extends MemoryOptions, ResetOptions {
  readonly callTimeoutMs: number;
  readonly observer: CallObserver;
  /** Loads the service of a path; undefined if there is nothing to load. */
  readonly load: (path: string) => Promise<void> | undefined;
}

/** More than an honest client opens at once, and then what 5 ms are enough for. */
const STREAMS = { atOnce: 32, turnMs: 5 };

/** A health watch has no time limit: it may last, and takes hardly any memory. */
const ENDLESS = "/grpc.health.v1.Health/Watch";

/**
 * Handles streams before grpc-js does: refuses requests that are not gRPC, counts calls, and enforces our limits.
 *
 * This cannot be a gRPC interceptor: an interceptor sees whole messages only, and no call that grpc-js itself refuses because it is
 * too large or its deadline has passed.
 *
 * @returns a function that stops the timers.
 */
export function watchCalls(http2: Http2Server, options: CallsOptions): () => void {
  const { callTimeoutMs, observer, load } = options;
  const serve = takeOver(http2);
  const memory = watchMemory(options);
  const late = endLateCalls(callTimeoutMs);
  const followResets = limitResets(options);
  const openInTurns = limitPerTurn(STREAMS);
  const open = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    if (isOver(stream)) return; // reset meanwhile
    if (!isGrpc(headers)) return refuseMediaType(stream);
    const path = headers[":path"] ?? "";
    observe(stream, path, observer);
    closeOnceAnswered(stream);
    if (path !== ENDLESS) late.add(stream);
    memory(stream, path, headers);
    const loading = load(path);
    if (loading === undefined) return serve(stream, headers);
    stream.pause();
    const unavailable = { code: status.UNAVAILABLE, details: "the service cannot be loaded, see the function's log" };
    loading.then(
      () => serve(stream, headers),
      () => endCall(stream, unavailable),
    );
  };
  http2.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {}); // the client has reset the stream; `close` follows
    followResets(stream);
    openInTurns(stream.session ?? stream, () => open(stream, headers));
  });
  return late.stop;
}

type ServeStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** Removes grpc-js's listeners for streams. @returns a function that passes a stream to them. */
function takeOver(http2: Http2Server): ServeStream {
  const listeners = http2.listeners("stream");
  http2.removeAllListeners("stream");
  return (stream, headers) => {
    if (isOver(stream)) return;
    for (const listener of listeners) listener.call(http2, stream, headers);
  };
}

function observe(stream: ServerHttp2Stream, path: string, observer: CallObserver): void {
  const start = performance.now();
  observer.started(path);
  stream.once("close", () => {
    observer.ended({ path, code: readCode(stream), seconds: (performance.now() - start) / 1000 });
  });
}

/** The code is in the trailers, or in the headers of a call that was refused before any message (gRPC's "trailers only"). */
const readCode = ({ sentTrailers, sentHeaders }: ServerHttp2Stream): status =>
  Number(statusIn(sentTrailers) ?? statusIn(sentHeaders) ?? status.CANCELLED);

const statusIn = (headers: OutgoingHttpHeaders | undefined) => headers?.["grpc-status"];

/** Resets the stream of a client that has its answer and is still sending. grpc-js would read all of it. */
function closeOnceAnswered(stream: ServerHttp2Stream): void {
  const closeAfter = (turns: number): void => {
    if (stream.readableEnded || isOver(stream)) return;
    if (turns === 0) stream.close(constants.NGHTTP2_NO_ERROR);
    else setImmediate(closeAfter, turns - 1);
  };
  stream.once("wantTrailers", () => closeAfter(2)); // Node sends trailers in the next turn of the event loop
  stream.once("finish", () => {
    if (statusIn(stream.sentHeaders) !== undefined) closeAfter(1); // there are no trailers
  });
}
