import {
  constants,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** The highest stream number. In GOAWAY it means: open no more calls; all that are open will be answered. */
const ANY_STREAM = 2 ** 31 - 1;

/** The pause without a new call after which clients are asked to leave, and the longest wait for it. */
const QUIET_MS = 100;
const MAX_BUSY_MS = 2000;

/** The time limit for the answer to a ping; a client that needs longer is treated as gone. */
const ROUND_TRIP_MS = 1000;

/** The time for clients to choose another connection after GOAWAY. */
const SETTLE_MS = 100;

/** Calls whose end is up to the client: health watches and reflection. */
const ENDLESS = /^\/grpc\.(?:health\.v1\.Health\/Watch$|reflection\.)/;

export type Connections = ReturnType<typeof trackConnections>;

/**
 * Tracks connections, to close them without losing a call.
 *
 * gRPC servers send GOAWAY and then a ping. The client opens no more calls on this connection, and once it has answered the ping all
 * calls that it had opened before have arrived. That is not enough for grpc-go, Crossplane's client: if it reads GOAWAY while it
 * opens a call of more than 256 KB (`MaxRetryRPCBufferSize`), it fails the call, because it has no copy of the message left to
 * send elsewhere. So GOAWAY is sent in a pause without new calls; `createGate` brings one about.
 */
export function trackConnections(servers: readonly (Http2Server | Http2SecureServer)[]) {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const endless = new Set<ServerHttp2Stream>();
  let isLeaving = false;
  let lastBegin = 0;
  for (const http2 of servers) {
    http2.on("connection", (socket: Socket) => track(sockets, socket));
    http2.on("session", (session: ServerHttp2Session) => {
      track(sessions, session);
      if (isLeaving) void sendGoAway(session).then(() => session.close());
    });
    http2.on("stream", (stream: ServerHttp2Stream, headers) => {
      lastBegin = performance.now();
      if (ENDLESS.test(headers[":path"] ?? "")) track(endless, stream);
    });
  }
  return {
    /** Asks all clients, also those that connect later, to open no more calls. Resolves once they have received that. */
    askToLeave: async (): Promise<void> => {
      await waitForPause(() => lastBegin);
      isLeaving = true;
      await Promise.all([...sessions].map(sendGoAway));
      if (sessions.size > 0) await setTimeout(SETTLE_MS);
      for (const stream of endless) stream.close(constants.NGHTTP2_REFUSED_STREAM); // UNAVAILABLE for gRPC
    },
    closed: async (): Promise<void> => {
      while (sessions.size > 0) await Promise.all([...sessions].map(untilClosed));
    },
    destroy: (): void => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

export type Gate = ReturnType<typeof createGate>;

/** Holds answers back while clients are asked to leave: a client with a bounded number of calls in flight then has to pause. */
export function createGate() {
  let held: (() => void)[] | undefined;
  return {
    /** Answers now, or once the gate is open again. */
    pass: (answer: () => void): void => (held === undefined ? answer() : void held.push(answer)),
    /** Holds answers back until the work is done. */
    during: async (work: Promise<void>): Promise<void> => {
      held ??= [];
      await work;
      const answers = held ?? [];
      held = undefined;
      for (const answer of answers) answer();
    },
  };
}

function track<T extends Socket | ServerHttp2Session | ServerHttp2Stream>(open: Set<T>, one: T): void {
  open.add(one);
  one.once("close", () => open.delete(one));
}

/** Waits for the end of a session; grpc-js handles its errors. */
const untilClosed = (session: ServerHttp2Session): Promise<void> =>
  new Promise((resolve) => void session.once("close", resolve));

async function waitForPause(lastBegin: () => number): Promise<void> {
  const start = performance.now();
  let left = QUIET_MS;
  while (left > 0 && performance.now() - start < MAX_BUSY_MS) {
    await setTimeout(left);
    left = Math.max(lastBegin(), start) + QUIET_MS - performance.now();
  }
}

/** Sends GOAWAY and waits until the client has read it. */
async function sendGoAway(session: ServerHttp2Session): Promise<void> {
  if (session.closed || session.destroyed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
  const answered = new Promise<void>((resolve) => void session.ping(() => resolve()));
  await within(ROUND_TRIP_MS, Promise.race([answered, untilClosed(session)]));
}

/** Waits for `work`, up to a limit. @returns true if it is done. */
export async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  const isOver = new AbortController();
  const { signal } = isOver;
  try {
    return await Promise.race([work.then(() => true), setTimeout(milliseconds, false, { signal })]);
  } finally {
    isOver.abort();
  }
}
