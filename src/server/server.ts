import { EventEmitter } from "node:events";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { FunctionError } from "../errors.ts";
import type { Log } from "../log.ts";
import { readVersion } from "../package.ts";
import { loadCertificates } from "./certificates.ts";
import { addressToText, type Config, type TcpAddress } from "./config.ts";
import { type Connections, createGate, trackConnections, within } from "./drain.ts";
import { createHandler, type RunFunction } from "./handler.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { logRefusals, MutualTlsCredentials } from "./mutual-tls.ts";
import { type Answer, cannotListen, metricsOf, type Pages, servePages } from "./pages.ts";
import { addHealthAndReflection, functionRunners, runFunctionPaths } from "./services.ts";

export interface Dependencies {
  readonly runFunction: RunFunction;
  readonly log: Log;
  readonly refreshMs?: number;
}

/** Serves gRPC and metrics. @throws {FunctionError} `CannotServe` for unusable certificates or an address that cannot be bound. */
export async function serve(config: Config, dependencies: Dependencies) {
  const { log } = dependencies;
  const metrics = createMetrics(readVersion(), runFunctionPaths);
  const security = secure(config, dependencies, metrics);
  const gate = createGate();
  const server = createServer(config, createHandler(dependencies.runFunction, gate, log, metrics));
  const setHealth = addHealthAndReflection(server);
  let isReady = true;
  const pages = {
    "GET /metrics": metricsOf(metrics.registry),
    "GET /readyz": async (): Promise<Answer> => (isReady ? [200, "ok\n"] : [503, "draining\n"]),
  };
  // Bound before gRPC's address: if the port of metrics is taken, the start fails before any call is answered.
  const endpoint = await serveMetrics(config, pages, log);
  const port = await bind(server, config.address, security.credentials).catch((error: unknown) => {
    endpoint?.close();
    throw error;
  });
  const connections = openConnections(server, metrics, log);
  const stopReloading = security.reload();
  const destroy = (): void => {
    stopReloading();
    server.forceShutdown();
    connections.destroy();
    endpoint?.close();
  };
  /** Asks clients to leave. Resolves once calls in flight are answered, or the grace period is over. */
  const shutDown = async (): Promise<void> => {
    isReady = false; // /readyz answers 503 until the last call is answered
    setHealth("NOT_SERVING");
    const drain = async (): Promise<void> => {
      await gate.during(connections.askToLeave());
      server.tryShutdown(() => {});
      await connections.closed();
    };
    const isFinished = await within(config.shutdownGracePeriodMs, drain());
    if (!isFinished) log.warn("connections are cut off: they were still open after --shutdown-grace-period");
    destroy();
  };
  const { port: metricsPort } = endpoint ?? {};
  log.info("serving", { ...config, ...boundAddresses(config, port, metricsPort) });
  return { port, metricsPort, shutDown, destroy };
}

/** The time limit for calls in flight on a connection that has reached its age. */
const CONNECTION_AGE_GRACE_MS = 30_000;
const KEEPALIVE_INTERVAL_MS = 60_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;

function createServer(config: Config, handler: ReturnType<typeof createHandler>): Server {
  const { maxRecvMessageBytes, maxConcurrentStreams, maxConnectionAgeMs } = config;
  const server = new Server({
    "grpc.max_receive_message_length": maxRecvMessageBytes,
    "grpc.max_send_message_length": -1, // run-function.ts limits responses to what Crossplane accepts
    "grpc.enable_channelz": 0, // unused, and slows every call down
    "grpc.max_concurrent_streams": maxConcurrentStreams,
    "grpc.keepalive_time_ms": KEEPALIVE_INTERVAL_MS,
    "grpc.keepalive_timeout_ms": KEEPALIVE_TIMEOUT_MS,
    ...(maxConnectionAgeMs === 0 ? {} : { "grpc.max_connection_age_ms": maxConnectionAgeMs }),
    "grpc.max_connection_age_grace_ms": CONNECTION_AGE_GRACE_MS,
  });
  for (const service of functionRunners) server.addService(service, { RunFunction: handler });
  return server;
}

/** Serves metrics. Without TLS a port that is taken is only a warning: developers run several functions side by side. */
async function serveMetrics({ metricsAddress, transport }: Config, pages: Pages, log: Log) {
  if (metricsAddress === "off") return undefined;
  try {
    return await servePages(metricsAddress, pages, log);
  } catch (error) {
    if (transport.is !== "insecure" || !(error instanceof FunctionError)) throw error;
    log.warn("serving without metrics", { error: error.message });
    return undefined;
  }
}

function secure({ transport }: Config, { log, refreshMs }: Dependencies, metrics: Metrics) {
  if (transport.is === "insecure") {
    log.warn("serving without TLS: anyone who reaches the address can call the function");
    return { credentials: ServerCredentials.createInsecure(), reload: () => () => {} };
  }
  const { certsDir } = transport;
  const onCertificate = metrics.certificateExpires;
  const certificates = loadCertificates({ certsDir, requestCert: true, log, refreshMs, onCertificate });
  const credentials = new MutualTlsCredentials(certificates.secureContext);
  return { credentials, reload: () => certificates.reloadInto(credentials) };
}

/** Binds the address, or all addresses of the machine if it has no host. @returns the port. */
async function bind(server: Server, address: TcpAddress, credentials: ServerCredentials): Promise<number> {
  const text = addressToText(address);
  const bindTo = promisify(server.bindAsync).bind(server);
  try {
    if (address.host !== undefined) return await bindTo(text, credentials);
    return await bindTo(`[::]${text}`, credentials).catch((error: unknown) => {
      if (!/EAFNOSUPPORT|EADDRNOTAVAIL/.test(String(error))) throw error;
      return bindTo(`0.0.0.0${text}`, credentials); // a machine without IPv6
    });
  } catch (cause) {
    throw cannotListen("gRPC", address, cause);
  }
}

function openConnections(server: Server, metrics: Metrics, log: Log): Connections {
  const servers = openHttp2(server);
  for (const http2 of servers) {
    http2.on("stream", metrics.observe);
    http2.on("error", (error) => log.error("cannot accept a connection", { error: String(error) }));
    logRefusals(http2, log);
  }
  return trackConnections(servers);
}

/**
 * The number of bytes that a client may send without an acknowledgement. A request of 660 KB takes 43 ms with Node's default of
 * 64 KB, and 5.9 ms with 8 MiB, at a round-trip time of 3 ms.
 */
const RECEIVE_WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * Finds grpc-js's HTTP/2 servers, one for each bound address, and raises their receive windows. grpc-js 1.14 has an option
 * for the window in its client only. @throws {FunctionError} `CannotServe` if they are not in its private field
 */
function openHttp2(server: Server): readonly (Http2Server | Http2SecureServer)[] {
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

const boundAddresses = ({ address, metricsAddress }: Config, port: number, metricsPort: number | undefined) => ({
  address: addressToText({ ...address, port }),
  metricsAddress:
    metricsAddress === "off" || metricsPort === undefined
      ? "off"
      : addressToText({ ...metricsAddress, port: metricsPort }),
});
