import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";

/** Receives the begin and the end of each call. */
export interface CallObserver {
  started(path: string): void;
  ended(call: EndedCall): void;
}

/** A call that has ended, as seen on the wire. */
interface EndedCall {
  /** `/package.Service/Method`, as the client sent it. */
  readonly path: string;
  /** The gRPC code that was sent; CANCELLED if the stream ended without one. */
  readonly code: status;
  /** From the request's headers to the end of the stream. */
  readonly seconds: number;
}

/**
 * Reports a stream's call to the observer.
 *
 * This cannot be a gRPC interceptor, which sees no call that grpc-js itself refuses because it is too large or its deadline has
 * passed.
 */
export function observeCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, observer: CallObserver): void {
  const path = headers[":path"] ?? "";
  const start = performance.now();
  observer.started(path);
  stream.once("close", () => {
    observer.ended({ path, code: readCode(stream), seconds: (performance.now() - start) / 1000 });
  });
}

/** Reads the code from the trailers, or from the headers of a call that was refused (gRPC's "trailers only"). */
const readCode = ({ sentTrailers, sentHeaders }: ServerHttp2Stream): status =>
  Number(statusIn(sentTrailers) ?? statusIn(sentHeaders) ?? status.CANCELLED);

const statusIn = (headers: OutgoingHttpHeaders | undefined) => headers?.["grpc-status"];
