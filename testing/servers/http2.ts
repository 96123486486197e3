import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type SecureClientSessionOptions } from "node:http2";
import { onTestFinished } from "vitest";

/** RunFunction's path. */
export const V1 = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";

/** Frames a message as gRPC does: not compressed, its length, itself. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}

/** An HTTP/2 connection that nothing of gRPC's hides, until the test ends. Resolves when the server's settings are here. */
export async function connectHttp2(url: string, options: SecureClientSessionOptions = {}): Promise<ClientHttp2Session> {
  const session = connect(url, options);
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  session.on("error", () => {}); // being cut off is a thing that tests want to see on their streams
  return session;
}

/** Opens a gRPC stream; what is sent on it is the caller's. */
export const openStream = (session: ClientHttp2Session, path = V1, headers: OutgoingHttpHeaders = {}) =>
  session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers", ...headers });

/** Waits until the server has read what was sent before. */
export const roundTrip = (session: ClientHttp2Session): Promise<void> =>
  new Promise((resolve, reject) => {
    session.ping((error) => (error ? reject(error) : resolve()));
  });

/** Collects a stream's framed messages and its status until it ends. The status is undefined if the stream was cut off. */
export async function endOf(stream: ClientHttp2Stream): Promise<{ data: Buffer; status: string | undefined }> {
  const chunks: Buffer[] = [];
  let status: string | undefined;
  const take = (headers: Readonly<Record<string, unknown>>): void => {
    if (typeof headers["grpc-status"] === "string") status = headers["grpc-status"];
  };
  stream
    .on("response", take)
    .on("trailers", take)
    .on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(stream, "close").catch(() => {}); // an error, too, is followed by the end
  return { data: Buffer.concat(chunks), status };
}
