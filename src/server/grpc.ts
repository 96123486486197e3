import type { Duplex } from "node:stream";
import { Server } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { Config, Limits } from "./config.ts";
import { createHandler, type RunFunction } from "./handler.ts";
import { trackStreams, withoutNames } from "./interceptors.ts";
import type { Metrics } from "./metrics.ts";
import { functionRunners } from "./services.ts";
import { createSideServices } from "./side-services.ts";
import { watchCalls } from "./transport/calls.ts";
import { type Sessions, trackSessions } from "./transport/drain.ts";
import { createTransport, type Transport } from "./transport/http2.ts";
import { createTurns, type Turns } from "./turns.ts";

interface Dependencies {
  readonly runFunction: RunFunction;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The function over gRPC, with health and reflection. */
export interface GrpcServer {
  /** Serves a connection: a socket, or TLS over one. */
  readonly accept: (connection: Duplex) => void;
  /** From now on Health says that it serves. */
  readonly begin: () => void;
  /** Takes no more calls, and ends once those in flight are answered. */
  readonly drain: () => Promise<void>;
  /** Ends at once. */
  readonly destroy: () => void;
}

/** Creates the server of the function. */
export const createGrpcServer = (config: Config, dependencies: Dependencies): GrpcServer =>
  createServerOf(config, dependencies, (server, turns) => {
    const handler = createHandler({ ...dependencies, turns });
    for (const service of functionRunners) server.addService(service, { RunFunction: handler });
  });

/** Creates a server of any services, with the options, limits and windows that the function is served with. */
export function createServerOf(
  config: Config,
  dependencies: Omit<Dependencies, "runFunction">,
  addServices: (server: Server, turns: Turns) => void,
): GrpcServer {
  const streams = trackStreams();
  const server = new Server({
    ...toOptions(config.limits),
    "grpc.max_receive_message_length": config.maxRecvMessageBytes,
    interceptors: [streams.interceptor, withoutNames],
  });
  const turns = createTurns();
  addServices(server, turns);
  const sideServices = createSideServices(server, dependencies.log);
  const transport = createTransport(server, config.limits.maxHeaderBytes);
  const connections = watch(server, transport, config, { ...dependencies, load: sideServices.load });
  return {
    accept: transport.accept,
    begin: () => sideServices.setHealth("SERVING"),
    drain: async () => {
      sideServices.setHealth("NOT_SERVING");
      const goOn = turns.hold();
      await connections.askToLeave();
      goOn();
      streams.endAll();
      await connections.close();
    },
    destroy: () => {
      connections.stop();
      server.forceShutdown();
    },
  };
}

const toOptions = (limits: Limits) => ({
  "grpc.max_send_message_length": -1, // run-function.ts keeps to what Crossplane takes, and says so where it cannot
  "grpc.enable_channelz": 0, // nobody asks for it, and it costs every call
  "grpc.max_concurrent_streams": limits.maxConcurrentStreams,
  "grpc.keepalive_time_ms": limits.keepaliveIntervalMs,
  "grpc.keepalive_timeout_ms": limits.keepaliveTimeoutMs,
  ...(limits.maxConnectionIdleMs === 0 ? {} : { "grpc.max_connection_idle_ms": limits.maxConnectionIdleMs }),
  ...(limits.maxConnectionAgeMs === 0 ? {} : { "grpc.max_connection_age_ms": limits.maxConnectionAgeMs }),
  "grpc.max_connection_age_grace_ms": limits.callTimeoutMs,
});

interface Connections extends Sessions {
  readonly stop: () => void;
}

interface WatchDependencies extends Omit<Dependencies, "runFunction"> {
  readonly load: (path: string) => Promise<void> | undefined;
}

function watch(
  server: Server,
  { http2 }: Transport,
  config: Config,
  { metrics, log, load }: WatchDependencies,
): Connections {
  if (http2 === undefined) {
    log.warn("cannot reach grpc-js's HTTP/2 server: large requests are slow, calls are neither counted nor limited");
    void load("/grpc.health.v1.Health/Check"); // nobody sees who asks for it first
    const close = (): Promise<void> => new Promise((resolve) => server.tryShutdown(() => resolve()));
    return { askToLeave: async () => {}, close, stop: () => {} };
  }
  const { maxRecvMessageBytes, limits } = config;
  const stop = watchCalls(http2, { ...limits, maxRecvMessageBytes, observer: metrics, log, load });
  return { ...trackSessions(http2), stop };
}
