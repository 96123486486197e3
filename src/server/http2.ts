import { EventEmitter } from "node:events";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";

/**
 * The bytes that a client may send before the server has to acknowledge some, per call and per connection.
 *
 * Node's default of 64 KB costs a round trip per 64 KB: a request of 660 KB takes 43 ms at a round-trip time of 3 ms, and 5.9 ms
 * with 8 MiB.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * Finds grpc-js's HTTP/2 servers, one for each bound address, and raises both of their receive windows.
 *
 * In grpc-js 1.14 only the client has an option for windows (`grpc-node.flow_control_window`), and the HTTP/2 server is not exposed.
 * So this reads one private field, `http2Servers`; everything else is Node's public API.
 *
 * @throws {FunctionError} `CannotServe` if this version of grpc-js has no such field.
 */
export function openHttp2(server: Server): readonly (Http2Server | Http2SecureServer)[] {
  const servers: unknown = server["http2Servers"];
  const found = servers instanceof Map ? [...servers.keys()].filter(isHttp2Server) : [];
  if (found.length === 0) throw new FunctionError("CannotServe", "cannot find the HTTP/2 server of @grpc/grpc-js");
  for (const http2 of found) {
    http2.updateSettings({ initialWindowSize: RECEIVE_WINDOW_BYTES });
    http2.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(RECEIVE_WINDOW_BYTES));
  }
  return found;
}

const isHttp2Server = (value: unknown): value is Http2Server | Http2SecureServer =>
  value instanceof EventEmitter && "updateSettings" in value;
