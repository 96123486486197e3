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

/** The memory of an open call without its message (stream, buffers, grpc-js's objects): 10,000 of them took 330 MB on Node 24. */
const CALL_BYTES = 32 * 1024;

/** The largest expansion of one byte of gzip or deflate. */
const INFLATION = 1032;

/** A reflection request has a few dozen bytes and its answer tens of thousands, so its bytes count many times. */
const REFLECTION = /^\/grpc\.reflection\./;
const REFLECTION_FACTOR = 16 * 1024;

/** Counts the memory of each call's request until the call has ended, and ends calls beyond the limit. */
export function watchMemory(options: MemoryOptions) {
  const { maxRequestBytesInMemory, maxRecvMessageBytes, log } = options;
  const memory = new RequestMemory(maxRequestBytesInMemory);
  const megabytes = maxRequestBytesInMemory / 1024 / 1024;
  const details = `requests take more than ${megabytes} MB of memory (--max-requests-in-memory)`;
  const logged = new WeakSet<object>();
  const refuse = (stream: ServerHttp2Stream, connection: object, path: string, client: string | undefined): void => {
    endCall(stream, { code: status.RESOURCE_EXHAUSTED, details });
    if (logged.has(connection)) return; // one line per connection, which may have thousands of calls
    logged.add(connection);
    log.warn("refused calls", { client, path, details });
  };

  return (stream: ServerHttp2Stream, path: string, headers: IncomingHttpHeaders): void => {
    const connection: object = stream.session ?? stream;
    const client = stream.session?.socket.remoteAddress;
    const call: HeldCall = { connection, bytes: 0, refuse: () => refuse(stream, connection, path, client) };
    const weigh = chooseWeigh(path, headers, maxRecvMessageBytes);
    const take = (chunk: Buffer): void => memory.add(call, weigh(chunk, call.bytes - CALL_BYTES));
    stream.once("close", () => memory.release(call));
    stream.on("data", take);
    memory.add(call, CALL_BYTES);
  };
}

/** Weighs a chunk: the bytes of memory that it adds to those that the call has already taken. */
type Weigh = (chunk: Buffer, taken: number) => number;

function chooseWeigh(path: string, headers: IncomingHttpHeaders, maxMessageBytes: number): Weigh {
  if (REFLECTION.test(path)) return ({ length }) => length * REFLECTION_FACTOR;
  if ((headers["grpc-encoding"] ?? "identity") === "identity") return weighWithBuffers();
  return ({ length }, taken) => Math.max(0, Math.min(length * INFLATION, maxMessageBytes - taken));
}

/**
 * Weighs uncompressed chunks. A chunk is a view of a buffer of up to 64 KB that was read from the socket, and keeps all of it in
 * memory: a client that sends single bytes would take 64 KB with each. So a small part of a buffer counts as the whole, once.
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
