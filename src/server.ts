import { setTimeout } from "node:timers/promises";
import { createGrpcServer, type GrpcServer } from "./grpc/server.ts";
import type { Log } from "./log.ts";
import { readVersion } from "./package.ts";
import type { Config } from "./server/config.ts";
import { type Credentials, readCredentials } from "./server/credentials.ts";
import { createHandler, type RunFunction } from "./server/handler.ts";
import { createHealth } from "./server/health.ts";
import { type Listener, listen } from "./server/listener.ts";
import { createMetrics, type Metrics } from "./server/metrics.ts";
import { createMetricsServer } from "./server/metrics-endpoint.ts";
import { reflection } from "./server/reflection.ts";
import { logRefusals } from "./server/refusals.ts";
import { functionRunner, runFunctionPaths } from "./server/services.ts";
import { toStatus } from "./server/status.ts";

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
  const { log } = dependencies;
  const credentials = readCredentialsOf(config, dependencies);
  const metrics = createMetrics(readVersion(), runFunctionPaths);
  const health = createHealth();
  const handler = createHandler({ ...dependencies, metrics });
  const server = createGrpcServer({
    methods: new Map([...functionRunner(handler), ...health.methods, ...reflection()]),
    tls: credentials && { ...credentials.secureContext, requestCert: true, rejectUnauthorized: true },
    maxReceiveBytes: config.maxRecvMessageBytes,
    observer: metrics,
    toStatus,
  });
  logRefusals(server.http2, log);
  const listeners = await listenAll(config, server, metrics, log);
  const stopFollowing = credentials?.follow(server);
  health.set("SERVING");
  const destroy = (): void => {
    stopFollowing?.();
    server.destroy();
    for (const listener of listeners.all) listener.destroy();
  };
  const drain = async (): Promise<void> => {
    health.set("NOT_SERVING");
    for (const listener of listeners.all) listener.close();
    const isFinished = await within(config.shutdownGracePeriodMs, server.drain());
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

function readCredentialsOf({ transport }: Config, { log, refreshMs }: Dependencies): Credentials | undefined {
  if (transport.is === "mtls") {
    return readCredentials({ certsDir: transport.certsDir, requestCert: true, log, refreshMs });
  }
  log.warn("serving without TLS: whoever reaches the address can call the function");
  return undefined;
}

interface Listeners {
  readonly grpc: Listener;
  readonly metrics: Listener | undefined;
  readonly all: readonly Listener[];
}

/** Metrics first: a function whose metrics port is taken must not have answered a call. */
async function listenAll(config: Config, { http2 }: GrpcServer, { registry }: Metrics, log: Log): Promise<Listeners> {
  const onError = (error: unknown): void => log.error("cannot accept or answer", { error: String(error) });
  const metricsServer = createMetricsServer(registry, onError);
  const { metricsAddress, address } = config;
  const metrics =
    metricsAddress === "off" ? undefined : await listen(metricsServer, metricsAddress, "metrics", onError);
  try {
    const grpc = await listen(http2, address, "gRPC", onError);
    return { grpc, metrics, all: metrics === undefined ? [grpc] : [grpc, metrics] };
  } catch (error) {
    metrics?.close();
    throw error;
  }
}

/** Waits for `work` to be done, but no longer than this; tells whether it was. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const isOver = new AbortController();
  const { signal } = isOver;
  try {
    return await Promise.race([work.then(() => true), setTimeout(milliseconds, false, { signal })]);
  } finally {
    isOver.abort();
  }
}
