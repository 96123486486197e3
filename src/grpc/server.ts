import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { SecureContextOptions } from "node:tls";
import { Call } from "./call.ts";
import { MessageReader } from "./framing.ts";
import type { Methods } from "./method.ts";
import { type Code, type Status, StatusError } from "./status.ts";

/**
 * How many bytes of requests a client may have on the way before it has to wait for us, in each call and in all of a connection's.
 *
 * Node's 64 KB cost a round trip for each 64 KB of a request: 43 ms for 660 KB at 3 ms round trip time, 5.9 ms with 8 MiB.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

/** A call that has ended, as the wire saw it. */
interface EndedCall {
  readonly path: string;
  /** What was sent; Canceled where the client went away before that. */
  readonly code: Code;
  /** From the request's headers to the end of the stream. */
  readonly seconds: number;
}

export interface CallObserver {
  started(path: string): void;
  ended(call: EndedCall): void;
}

export interface GrpcOptions {
  readonly methods: Methods;
  /** Undefined: without TLS. */
  readonly tls: SecureServerOptions | undefined;
  /** What a message may have. */
  readonly maxReceiveBytes: number;
  readonly observer: CallObserver;
  /** What clients are told of an error that is no StatusError. */
  readonly toStatus: (error: unknown) => Status;
}

export interface GrpcServer {
  /** Not yet listening. */
  readonly http2: Http2Server | Http2SecureServer;
  /** For connections from now on. */
  setSecureContext(context: SecureContextOptions): void;
  /** Takes no more calls, and ends once those that are under way are answered; streams are ended now. */
  drain(): Promise<void>;
  /** Ends at once. */
  destroy(): void;
}

/**
 * A gRPC server over node:http2: as much of gRPC as calls of a composition function need. Messages are bytes, and not compressed.
 *
 * In place of @grpc/grpc-js, which takes as long for a small call as Go's server and a function together (docs/performance.md), and
 * whose server lets nobody raise the windows.
 */
export function createGrpcServer(options: GrpcOptions): GrpcServer {
  const http2 = createHttp2Server(options.tls);
  const sessions = new Set<ServerHttp2Session>();
  const streams = new Set<Call>();
  let isDraining = false;
  let onEmpty: (() => void) | undefined;

  http2.on("session", (session: ServerHttp2Session) => {
    sessions.add(session);
    session.once("close", () => {
      sessions.delete(session);
      if (sessions.size === 0) onEmpty?.();
    });
    session.setLocalWindowSize(RECEIVE_WINDOW_BYTES);
    if (isDraining) session.close();
  });
  http2.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on("error", () => {}); // the client went away, or broke the protocol: `close` follows
    if (isGrpc(headers)) take(stream, new Call(stream, headers), options, streams);
    else refuse(stream);
  });

  return {
    http2,
    setSecureContext: (context) => {
      if ("setSecureContext" in http2) http2.setSecureContext(context);
    },
    drain: async () => {
      isDraining = true;
      for (const call of streams) call.end({ code: "Unavailable", details: "the server is shutting down" });
      for (const session of sessions) session.close();
      if (sessions.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve));
    },
    destroy: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

function createHttp2Server(tls: SecureServerOptions | undefined): Http2Server | Http2SecureServer {
  const options = {
    settings: { initialWindowSize: RECEIVE_WINDOW_BYTES },
    maxSessionMemory: Number.MAX_SAFE_INTEGER, // of calls at the same time; each of them is bounded
    noDelay: true,
  };
  return tls === undefined ? createServer(options) : createSecureServer({ ...options, ...tls });
}

const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  headers[":method"] === "POST" && headers["content-type"]?.startsWith("application/grpc") === true;

/** As gRPC's protocol has it for what is none. */
function refuse(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 415 }, { endStream: true });
  stream.close();
}

function take(stream: ServerHttp2Stream, call: Call, options: GrpcOptions, streams: Set<Call>): void {
  const { methods, maxReceiveBytes, observer, toStatus } = options;
  const { path } = call;
  const method = methods.get(path);
  const start = performance.now();
  observer.started(path);
  if (method?.responseStream) streams.add(call);
  call.onClose(() => {
    streams.delete(call);
    observer.ended({ path, code: call.status?.code ?? "Canceled", seconds: (performance.now() - start) / 1000 });
  });
  if (method === undefined) {
    call.end({ code: "Unimplemented", details: `${path} is not served here` });
    return;
  }

  const receiver = method.open(call);
  const reader = new MessageReader(maxReceiveBytes);
  const unlessOver = (work: () => void): void => {
    if (call.isOver) return;
    try {
      work();
    } catch (error) {
      call.end(error instanceof StatusError ? error : toStatus(error));
    }
  };
  stream.on("data", (chunk: Buffer) => unlessOver(() => reader.push(chunk, receiver.message)));
  stream.on("end", () =>
    unlessOver(() => {
      reader.assertEmpty();
      receiver.end();
    }),
  );
}
