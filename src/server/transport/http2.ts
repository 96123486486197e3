import { EventEmitter } from "node:events";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import type { Duplex } from "node:stream";
import { type Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * The bytes of requests that a client may send before it has to wait for us, in each call and in all calls of a connection.
 *
 * Node's 64 KB cost a round trip for each 64 KB of a request: 43 ms for 660 KB at 3 ms round trip time, 5.9 ms with 8 MiB.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

export interface Transport {
  /** Serves gRPC over a connection: a socket, or TLS over one. */
  readonly accept: (connection: Duplex) => void;
  /** The HTTP/2 server below gRPC; undefined where this grpc-js keeps it in another place. */
  readonly http2: Http2Server | undefined;
}

/**
 * Makes grpc-js's HTTP/2 server, with both receive windows raised.
 *
 * The server of grpc-js 1.14 does not obey `grpc-node.flow_control_window`, its client only, and does not give away its HTTP/2
 * server. So this reads one private field, `http2Servers`; everything else is Node's public API. A test sees to it that
 * a client gets the windows. Where the field is not there, the caller has to say so: calls then are served without
 * windows, without our limits, and without being counted.
 */
export function createTransport(server: Server, maxHeaderBytes: number): Transport {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const http2 = onlyHttp2Server(server["http2Servers"]);
  http2?.updateSettings({ initialWindowSize: RECEIVE_WINDOW_BYTES, maxHeaderListSize: maxHeaderBytes });
  http2?.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(RECEIVE_WINDOW_BYTES));
  return { accept: (connection) => injector.injectConnection(connection), http2 };
}

function onlyHttp2Server(servers: unknown): Http2Server | undefined {
  const [only, ...others]: readonly unknown[] = servers instanceof Map ? [...servers.keys()] : [];
  return isHttp2Server(only) && others.length === 0 ? only : undefined;
}

const isHttp2Server = (value: unknown): value is Http2Server =>
  value instanceof EventEmitter && "updateSettings" in value && typeof value.updateSettings === "function";
