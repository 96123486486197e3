import { createServer, type Server as TcpServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Log } from "../log.ts";
import { readVersion } from "../package.ts";
import type { Config } from "./config.ts";
import { createGrpcServer, type GrpcServer } from "./grpc.ts";
import type { RunFunction, RunInThread } from "./handler.ts";
import { type Listener, listen } from "./listener.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { createMetricsServer } from "./metrics-endpoint.ts";
import { runFunctionPaths } from "./services.ts";
import { type Credentials, readCredentials } from "./tls/credentials.ts";
import { createMutualTlsServer } from "./tls/server.ts";

export interface Dependencies {
  readonly runFunction: RunFunction;
  /** For large requests where some are slow; without it the event loop computes them, too. */
  readonly runInThread?: RunInThread | undefined;
  readonly log: Log;
  /** The interval at which certificates are read again, in milliseconds. */
  readonly refreshMs?: number;
}

/** A running server. */
export interface RunningServer {
  readonly port: number;
  /** Undefined if metrics are off. */
  readonly metricsPort: number | undefined;
  /** Refuses new calls; resolves once calls in flight are answered or the grace period is over. */
  shutDown(): Promise<void>;
  /** Cuts all connections off. */
  destroy(): void;
}

/**
 * Serves the function over gRPC, with health, reflection and metrics.
 *
 * @throws {FunctionError} `CannotServe` for unusable certificates or an address that cannot be bound.
 */
export async function serve(config: Config, dependencies: Dependencies): Promise<RunningServer> {
  const { log } = dependencies;
  const metrics = createMetrics(readVersion(), runFunctionPaths);
  const credentials = readConfiguredCredentials(config, dependencies, metrics);
  const grpc = createGrpcServer(config, { ...dependencies, metrics });
  const { server, stopFollowing } = createAcceptor(grpc, credentials, log);
  let isReady = true;
  const pages = { registry: metrics.registry, isReady: () => isReady };
  const listeners = await listenAll(config, server, pages, log).catch((error: unknown) => {
    stopFollowing();
    grpc.destroy();
    throw error;
  });
  grpc.begin();
  const destroy = (): void => {
    stopFollowing();
    grpc.destroy();
    listeners.grpc.destroy();
    listeners.metrics?.destroy();
  };
  const shutDown = async (): Promise<void> => {
    isReady = false; // /readyz reports it until the last call is answered
    listeners.grpc.close();
    const isFinished = await within(config.shutdownGracePeriodMs, grpc.drain());
    if (!isFinished) log.warn("the grace period is over: connections are cut off");
    destroy();
  };
  log.info("serving", {
    ...config,
    address: listeners.grpc.address,
    metricsAddress: listeners.metrics?.address ?? "off",
  });
  return { port: listeners.grpc.port, metricsPort: listeners.metrics?.port, shutDown, destroy };
}

function readConfiguredCredentials({ transport }: Config, { log, refreshMs }: Dependencies, metrics: Metrics) {
  if (transport.is === "mtls") {
    const onCertificate = metrics.certificateExpires;
    return readCredentials({ certsDir: transport.certsDir, requestCert: true, log, refreshMs, onCertificate });
  }
  log.warn("serving without TLS: anyone who reaches the address can call the function");
  return undefined;
}

interface Acceptor {
  /** Not yet listening. */
  readonly server: TcpServer;
  readonly stopFollowing: () => void;
}

function createAcceptor({ accept }: GrpcServer, credentials: Credentials | undefined, log: Log): Acceptor {
  if (credentials === undefined) return { server: createServer({ noDelay: true }, accept), stopFollowing: () => {} };
  const server = createMutualTlsServer(credentials.secureContext, accept, log);
  return { server, stopFollowing: credentials.follow(server) };
}

interface Listeners {
  readonly grpc: Listener;
  readonly metrics: Listener | undefined;
}

type Pages = Pick<Parameters<typeof createMetricsServer>[0], "registry" | "isReady">;

/** Listens for metrics first: if their port is taken, no call must have been answered. */
async function listenAll(config: Config, server: TcpServer, pages: Pages, log: Log): Promise<Listeners> {
  const onError = (error: unknown): void =>
    log.error("cannot accept a connection or answer a request", { error: String(error) });
  const { metricsAddress, address } = config;
  const metrics =
    metricsAddress === "off"
      ? undefined
      : await listen(createMetricsServer({ ...pages, onError }), metricsAddress, "metrics", onError);
  try {
    return { grpc: await listen(server, address, "gRPC", onError), metrics };
  } catch (error) {
    metrics?.destroy();
    throw error;
  }
}

/** Waits for `work`, up to a limit. @returns true if it is done. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const isOver = new AbortController();
  const { signal } = isOver;
  try {
    return await Promise.race([work.then(() => true), setTimeout(milliseconds, false, { signal })]);
  } finally {
    isOver.abort();
  }
}
