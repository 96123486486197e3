import { EventEmitter } from "node:events";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { type Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * The bytes that a client may send before the server has to acknowledge some, per call and per connection.
 *
 * Node's default of 64 KB costs a round trip per 64 KB: a request of 660 KB takes 43 ms at a round-trip time of 3 ms, and 5.9 ms
 * with 8 MiB.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

export interface Transport {
  /** Serves gRPC over a connection, which is a TCP or TLS socket. */
  readonly accept: (connection: Duplex) => void;
  /** The HTTP/2 server below gRPC; undefined if this version of grpc-js has no such field. */
  readonly http2: Http2Server | undefined;
}

/**
 * Creates grpc-js's HTTP/2 server and raises both of its receive windows.
 *
 * In grpc-js 1.14 only the client has an option for windows (`grpc-node.flow_control_window`), and the HTTP/2 server is not exposed.
 * So this reads one private field, `http2Servers`; everything else is Node's public API. A test checks the windows from a
 * client's side. If the field is missing, the caller has to log it: calls are then served with Node's windows, without our
 * limits, and uncounted.
 */
export function createTransport(server: Server, maxHeaderBytes: number): Transport {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const http2 = findHttp2Server(server["http2Servers"]);
  http2?.updateSettings({ initialWindowSize: RECEIVE_WINDOW_BYTES, maxHeaderListSize: maxHeaderBytes });
  http2?.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(RECEIVE_WINDOW_BYTES));
  return { accept: (connection) => injector.injectConnection(connection), http2 };
}

function findHttp2Server(servers: unknown): Http2Server | undefined {
  const [only, ...others]: readonly unknown[] = servers instanceof Map ? [...servers.keys()] : [];
  return isHttp2Server(only) && others.length === 0 ? only : undefined;
}

const isHttp2Server = (value: unknown): value is Http2Server =>
  value instanceof EventEmitter && "updateSettings" in value && typeof value.updateSettings === "function";
