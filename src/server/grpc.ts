import type { Duplex } from "node:stream";
import { Server } from "@grpc/grpc-js";
import type { Log } from "../log.ts";
import type { Config, Limits } from "./config.ts";
import { createHandler, type RunFunction, type RunInThread } from "./handler.ts";
import { trackStreams, withoutNames } from "./interceptors.ts";
import type { Metrics } from "./metrics.ts";
import { functionRunners } from "./services.ts";
import { createSideServices } from "./side-services.ts";
import { watchCalls } from "./transport/calls.ts";
import { type Sessions, trackSessions } from "./transport/drain.ts";
import { createTransport, type Transport } from "./transport/http2.ts";
import { closeInTurns, limitPerTurn } from "./transport/per-turn.ts";
import { createTurns, type Turns } from "./turns.ts";

interface Dependencies {
  readonly runFunction: RunFunction;
  readonly runInThread?: RunInThread | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The function as a gRPC server, with health and reflection. */
export interface GrpcServer {
  /** Serves a connection, which is a TCP or TLS socket. */
  readonly accept: (connection: Duplex) => void;
  /** Reports SERVING from now on. */
  readonly begin: () => void;
  /** Refuses new calls; resolves once all calls in flight are answered. */
  readonly drain: () => Promise<void>;
  /** Cuts all connections off. */
  readonly destroy: () => void;
}

/** A new connection may bring a hundred calls, which Node announces all at once: a few connections, and then the others' turn. */
const CONNECTIONS = { atOnce: 2, turnMs: 0 };

/** The end of a connection closes up to a hundred streams. */
const ENDS = { atOnce: 1, turnMs: 5 };

/** Creates the server of the function. */
export const createGrpcServer = (config: Config, dependencies: Dependencies): GrpcServer =>
  createServer(config, dependencies, (server, turns) => {
    const handler = createHandler({ ...dependencies, turns });
    for (const service of functionRunners) server.addService(service, { RunFunction: handler });
  });

/** Creates a server for any services, with the options, limits and receive windows of the function's server. */
export function createServer(
  config: Config,
  dependencies: Omit<Dependencies, "runFunction" | "runInThread">,
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
  const openInTurns = limitPerTurn(CONNECTIONS);
  const endInTurns = limitPerTurn(ENDS);
  return {
    accept: (connection) => {
      connection.on("error", () => {}); // it may end while it waits
      closeInTurns(connection, endInTurns);
      openInTurns(connection, () => {
        if (!connection.destroyed) transport.accept(connection);
      });
    },
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
  "grpc.max_send_message_length": -1, // run-function.ts limits responses to what Crossplane accepts
  "grpc.enable_channelz": 0, // unused, and slows every call down
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

interface WatchDependencies extends Omit<Dependencies, "runFunction" | "runInThread"> {
  readonly load: (path: string) => Promise<void> | undefined;
}

function watch(
  server: Server,
  { http2 }: Transport,
  config: Config,
  { metrics, log, load }: WatchDependencies,
): Connections {
  if (http2 === undefined) {
    log.warn("cannot find grpc-js's HTTP/2 server: large requests are slow, and calls are neither counted nor limited");
    void load("/grpc.health.v1.Health/Check"); // without HTTP/2's events the first request for it goes unnoticed
    const close = (): Promise<void> => new Promise((resolve) => server.tryShutdown(() => resolve()));
    return { askToLeave: async () => {}, close, stop: () => {} };
  }
  const { maxRecvMessageBytes, limits } = config;
  const stop = watchCalls(http2, { ...limits, maxRecvMessageBytes, observer: metrics, log, load });
  return { ...trackSessions(http2), stop };
}
