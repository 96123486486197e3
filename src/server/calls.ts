import type { Http2Server, IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";

/** A call of any service as the wire saw it. */
export interface Call {
  /** `/package.Service/Method`, as the client sent it. */
  readonly path: string;
  /** The gRPC code that was sent; CANCELLED where the stream ended without one. */
  readonly code: number;
  /** From the request's headers to the end of the stream. */
  readonly seconds: number;
}

export interface CallObserver {
  started(path: string): void;
  ended(call: Call): void;
}

/**
 * Watches all calls. From HTTP/2 and not from a gRPC interceptor, because grpc-js refuses a message that is too large, or a
 * deadline that has passed, without telling its interceptors.
 */
export function observeCalls(http2Server: Http2Server, observer: CallObserver): void {
  http2Server.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const path = headers[":path"] ?? "";
    const start = performance.now();
    observer.started(path);
    stream.once("close", () => {
      observer.ended({ path, code: codeOf(stream), seconds: (performance.now() - start) / 1000 });
    });
  });
}

/** In the trailers; or, for a call that was refused before any message, in the headers (gRPC's "trailers only"). */
function codeOf(stream: ServerHttp2Stream): number {
  const sent: readonly (OutgoingHttpHeaders | undefined)[] = [stream.sentTrailers, stream.sentHeaders];
  const text = sent.map((headers) => headers?.["grpc-status"]).find((value) => value !== undefined);
  return text === undefined ? status.CANCELLED : Number(text);
}
