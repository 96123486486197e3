import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { CallStatus } from "../status.ts";

/** gRPC's media type. gRPC-Web (`application/grpc-web`) frames messages differently and is not served. */
const GRPC = /^application\/grpc(?:$|[+;])/;

export const isGrpc = (headers: IncomingHttpHeaders): boolean =>
  headers[":method"] === "POST" && GRPC.test(headers["content-type"] ?? "");

/** Refuses a request that is not gRPC with 415, as gRPC's specification requires. */
export function refuseMediaType(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 415 }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

/**
 * Ends a call below gRPC: with a status, or by resetting the stream if the response has begun. grpc-js treats both like a client
 * that went away.
 */
export function endCall(stream: ServerHttp2Stream, { code, details }: CallStatus): void {
  if (isOver(stream)) return;
  if (stream.headersSent) {
    stream.close(constants.NGHTTP2_CANCEL);
    return;
  }
  const trailers = { "grpc-status": String(code), "grpc-message": encodeURI(details) };
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...trailers }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

export const isOver = (stream: ServerHttp2Stream): boolean => stream.closed || stream.destroyed;
