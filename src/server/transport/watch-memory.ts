import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import type { Log } from "../../log.ts";
import { endCall } from "./refuse.ts";
import { type HeldCall, RequestMemory } from "./request-memory.ts";

export interface MemoryOptions {
  readonly maxRequestBytesInMemory: number;
  readonly maxRecvMessageBytes: number;
  readonly log: Log;
}

/** The memory of an open call beside its bytes, roughly: a stream, its buffers, grpc-js's objects. */
const CALL_BYTES = 8 * 1024;

/** The largest number of bytes that one byte of gzip or deflate expands to. */
const INFLATION = 1032;

/** A request for reflection has a few dozen bytes, its answer tens of thousands; nobody reads more than a few of them. */
const REFLECTION = /^\/grpc\.reflection\./;
const REFLECTION_FACTOR = 16 * 1024;

/** Counts what each call's request takes in memory until the call has ended, and ends calls where it is too much. */
export function watchMemory(options: MemoryOptions) {
  const { maxRequestBytesInMemory, maxRecvMessageBytes, log } = options;
  const memory = new RequestMemory(maxRequestBytesInMemory);
  const megabytes = maxRequestBytesInMemory / 1024 / 1024;
  const details = `requests take more than ${megabytes} MB of memory (--max-requests-in-memory)`;
  const logged = new WeakSet<object>();
  const refuse = (stream: ServerHttp2Stream, connection: object, path: string, client: string | undefined): void => {
    endCall(stream, { code: status.RESOURCE_EXHAUSTED, details });
    if (logged.has(connection)) return; // one line for each connection: there may be thousands of calls
    logged.add(connection);
    log.warn("refused calls", { client, path, details });
  };

  return (stream: ServerHttp2Stream, path: string, headers: IncomingHttpHeaders): void => {
    const connection: object = stream.session ?? stream;
    const client = stream.session?.socket.remoteAddress;
    const call: HeldCall = { connection, bytes: 0, refuse: () => refuse(stream, connection, path, client) };
    const weigh = weighingOf(path, headers, maxRecvMessageBytes);
    const take = (chunk: Buffer): void => memory.add(call, weigh(chunk, call.bytes - CALL_BYTES));
    stream.once("close", () => memory.release(call));
    stream.on("data", take);
    memory.add(call, CALL_BYTES);
  };
}

/** Says what a chunk adds to what the call's request takes already. */
type Weigh = (chunk: Buffer, taken: number) => number;

function weighingOf(path: string, headers: IncomingHttpHeaders, maxMessageBytes: number): Weigh {
  if (REFLECTION.test(path)) return ({ length }) => length * REFLECTION_FACTOR;
  if ((headers["grpc-encoding"] ?? "identity") === "identity") return weighWithBuffers();
  return ({ length }, taken) => Math.max(0, Math.min(length * INFLATION, maxMessageBytes - taken));
}

/**
 * A chunk is a view of what was read from the socket, up to 64 KB, and keeps all of it in memory: a client that sends a byte
 * here and there would take 64 KB with each. So a small part of a buffer counts as all of it, once.
 */
function weighWithBuffers(): Weigh {
  let counted: ArrayBufferLike | undefined;
  return ({ length, buffer }) => {
    if (buffer === counted) return 0;
    if (4 * length >= buffer.byteLength) return length;
    counted = buffer;
    return buffer.byteLength;
  };
}
