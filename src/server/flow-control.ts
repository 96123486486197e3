import type { Http2Server, ServerHttp2Session } from "node:http2";
import type { ConnectionInjector, Server, ServerCredentials } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";

/**
 * How many bytes of requests a client may have on the way before it has to wait for us.
 *
 * Node's 64 KB cost a round trip for each 64 KB of a request: 43 ms for 660 KB at 3 ms round trip time, 5.9 ms with 8 MiB.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

/** What grpc-js serves through: one HTTP/2 server that takes connections from the injector. */
export interface Transport {
  readonly injector: ConnectionInjector;
  readonly http2Server: Http2Server;
}

/**
 * Makes the HTTP/2 server of a gRPC server, with both receive windows raised.
 *
 * grpc-js 1.14 obeys `grpc-node.flow_control_window` in its client only, so this reaches into two private fields of its
 * server: `commonServerOptions`, from which HTTP/2 servers are made, for the window of each stream, and
 * `http2Servers`, the servers made, for that of the connection. A test sees to it that a client gets the windows.
 *
 * @throws {FunctionError} `CannotServe` when a grpc-js has other fields than these: it must not become slow in silence.
 */
export function createTransport(server: Server, credentials: ServerCredentials): Transport {
  const options: unknown = server["commonServerOptions"];
  if (typeof options !== "object" || options === null) throw unknownInternals("commonServerOptions");
  const settings = "settings" in options ? options.settings : undefined;
  Object.assign(options, { settings: { ...Object(settings), initialWindowSize: RECEIVE_WINDOW_BYTES } });

  const injector = server.createConnectionInjector(credentials);
  const http2Server = onlyHttp2Server(server["http2Servers"]);
  http2Server.on("session", (session: ServerHttp2Session) => session.setLocalWindowSize(RECEIVE_WINDOW_BYTES));
  return { injector, http2Server };
}

function onlyHttp2Server(servers: unknown): Http2Server {
  const keys: readonly unknown[] = servers instanceof Map ? [...servers.keys()] : [];
  const [only] = keys;
  if (keys.length !== 1 || !isHttp2Server(only)) throw unknownInternals("http2Servers");
  return only;
}

/** Both kinds, plain and secure, are event emitters with `setTimeout`; nothing else of them is used here. */
const isHttp2Server = (value: unknown): value is Http2Server =>
  typeof value === "object" && value !== null && "on" in value && "setTimeout" in value;

const unknownInternals = (field: string): FunctionError =>
  new FunctionError("CannotServe", `cannot raise the HTTP/2 windows: this @grpc/grpc-js has another Server.${field}`);
