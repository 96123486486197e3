import { createServer, type Server as NetServer } from "node:net";
import { Server } from "@grpc/grpc-js";
import type { Config } from "./config.ts";
import type { Log } from "./log.ts";
import { readVersion } from "./package.ts";
import { observeCalls } from "./server/calls.ts";
import { REFRESH_MS } from "./server/certificates.ts";
import { toCredentials } from "./server/credentials.ts";
import { createTransport, type Transport } from "./server/flow-control.ts";
import { createHandler, type RunFunction } from "./server/handler.ts";
import { addHealth } from "./server/health.ts";
import { type Listener, listen } from "./server/listener.ts";
import { createMetrics, type Metrics } from "./server/metrics.ts";
import { createMetricsServer } from "./server/metrics-endpoint.ts";
import { addReflection } from "./server/reflection.ts";
import { logRefusals } from "./server/refusals.ts";
import { functionRunner, serviceNames } from "./server/services.ts";
import { type Streams, trackStreams } from "./server/streams.ts";

export interface Dependencies {
  readonly runFunction: RunFunction;
  readonly log: Log;
  /** How often certificates are read again, in milliseconds. */
  readonly refreshMs?: number;
}

/** A server that serves. */
export interface RunningServer {
  readonly port: number;
  /** Undefined where metrics are off. */
  readonly metricsPort: number | undefined;
  /** Takes no more calls, and ends once those in flight are answered or the grace period is over. */
  shutDown(): Promise<void>;
  /** Ends at once. */
  destroy(): void;
}

/**
 * Serves the function over gRPC, with health, reflection and metrics.
 *
 * @throws {FunctionError} `CannotServe`: certificates that cannot be used, an address that cannot be bound.
 */
export async function serve(config: Config, dependencies: Dependencies): Promise<RunningServer> {
  const { log, refreshMs = REFRESH_MS } = dependencies;
  const { credentials, stop } = toCredentials(config.transport, log, refreshMs);
  const streams = trackStreams();
  const metrics = createMetrics(
    readVersion(),
    serviceNames.map((name) => `/${name}/RunFunction`),
  );
  const server = createGrpcServer(config);
  const health = addServices(server, streams, { ...dependencies, metrics });
  const transport = createTransport(server, credentials);
  observeCalls(transport.http2Server, metrics);
  logRefusals(transport.http2Server, log);

  const listeners = await listenAll(config, transport, metrics, log).catch((error: unknown) => {
    stop();
    server.forceShutdown();
    throw error;
  });
  health.set("SERVING");
  const destroy = (): void => {
    stop();
    server.forceShutdown();
    for (const listener of listeners.all) listener.destroy();
  };
  const drain = async (): Promise<void> => {
    health.set("NOT_SERVING");
    for (const listener of listeners.all) listener.close();
    streams.endAll();
    const isFinished = await within(config.shutdownGracePeriodMs, (done) => server.tryShutdown(done));
    if (!isFinished) log.warn("the grace period is over: connections are cut off");
    destroy();
  };
  log.info("serving", {
    ...config,
    address: listeners.grpc.address,
    metricsAddress: listeners.metrics?.address ?? "off",
  });
  return { port: listeners.grpc.port, metricsPort: listeners.metrics?.port, shutDown: drain, destroy };
}

function createGrpcServer({ maxRecvMessageBytes }: Config): Server {
  return new Server({
    "grpc.max_receive_message_length": maxRecvMessageBytes,
    "grpc.max_send_message_length": -1, // run-function.ts keeps to what Crossplane takes, and says so where it cannot
  });
}

function addServices(server: Server, streams: Streams, dependencies: Dependencies & { readonly metrics: Metrics }) {
  const handler = createHandler(dependencies);
  for (const name of serviceNames) server.addService(functionRunner(name), { RunFunction: handler });
  addReflection(server, streams);
  return addHealth(server, streams);
}

interface Listeners {
  readonly grpc: Listener;
  readonly metrics: Listener | undefined;
  readonly all: readonly Listener[];
}

/** Metrics first: a function whose metrics port is taken must not have answered a call. */
async function listenAll(config: Config, transport: Transport, { registry }: Metrics, log: Log): Promise<Listeners> {
  const onError = (error: unknown): void => log.error("cannot accept or answer", { error: String(error) });
  const metricsServer = createMetricsServer(registry, onError);
  const { metricsAddress, address } = config;
  const metrics =
    metricsAddress === "off" ? undefined : await listen(metricsServer, metricsAddress, "metrics", onError);
  try {
    const grpc = await listen(acceptFor(transport), address, "gRPC", onError);
    return { grpc, metrics, all: metrics === undefined ? [grpc] : [grpc, metrics] };
  } catch (error) {
    metrics?.close();
    throw error;
  }
}

const acceptFor = ({ injector }: Transport): NetServer =>
  createServer({ noDelay: true }, (socket) => injector.injectConnection(socket));

/** Waits for `work` to be done, but no longer than this; tells whether it was. */
function within(milliseconds: number, work: (done: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds);
    work(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
