import {
  constants,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";

/** The highest stream number. With it, GOAWAY asks for no more calls, and promises to answer all open ones. */
const ANY_STREAM = 2 ** 31 - 1;

/** The length of the pause without new calls after which clients are asked to leave. */
const QUIET_MS = 100;
/** The longest wait for such a pause. Then clients are asked to leave without one. */
const MAX_BUSY_MS = 2000;

/** The time limit for the answer to a ping. A slower client is treated as gone. */
const ROUND_TRIP_MS = 1000;

/** The time in which clients choose another connection after GOAWAY. */
const SETTLE_MS = 100;

/** Matches calls that only the client ends: health watches and reflection. */
const ENDLESS = /^\/grpc\.(?:health\.v1\.Health\/Watch$|reflection\.)/;

export type Connections = ReturnType<typeof trackConnections>;

/**
 * Tracks connections, to close them without losing a call.
 *
 * A gRPC server sends GOAWAY and then a ping. The client opens no more calls, and answers the ping after all calls that
 * it has opened. Crossplane's client, grpc-go, needs more. It keeps no copy of a message of over 256 KB
 * (`MaxRetryRPCBufferSize`). If GOAWAY arrives while it sends such a message, it cannot send the call elsewhere, and the
 * call fails. So GOAWAY is sent in a pause without new calls, which `createGate` brings about.
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
    /** Asks all present and later clients to open no more calls. Resolves once the present ones have read that. */
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

/** Holds answers back while clients are asked to leave. A client that limits its calls in flight then has to pause. */
export function createGate() {
  let held: (() => void)[] | undefined;
  return {
    /** Answers now, or once the gate is open again. */
    pass: (answer: () => void): void => (held === undefined ? answer() : void held.push(answer)),
    /** Holds answers back until the work is done. */
    during: async (work: Promise<void>): Promise<void> => {
      const answers: (() => void)[] = [];
      held = answers;
      await work;
      held = undefined;
      for (const answer of answers) answer();
    },
  };
}

function track<T extends Socket | ServerHttp2Session | ServerHttp2Stream>(open: Set<T>, one: T): void {
  open.add(one);
  one.once("close", () => open.delete(one));
}

const untilClosed = (session: ServerHttp2Session): Promise<void> =>
  new Promise((resolve) => void session.once("close", resolve));

/** Waits until no call has begun for QUIET_MS, or for MAX_BUSY_MS. @param lastBegin reads the time at which the last call began */
async function waitForPause(lastBegin: () => number): Promise<void> {
  const start = performance.now();
  let left = QUIET_MS;
  while (left > 0 && performance.now() - start < MAX_BUSY_MS) {
    await setTimeout(left);
    left = Math.max(lastBegin(), start) + QUIET_MS - performance.now();
  }
}

async function sendGoAway(session: ServerHttp2Session): Promise<void> {
  if (session.closed || session.destroyed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
  const answered = new Promise<void>((resolve) => void session.ping(() => resolve()));
  await within(ROUND_TRIP_MS, Promise.race([answered, untilClosed(session)]));
}

/** Waits for work up to a time limit; the timer does not keep the process alive. @returns true if the work is done. */
export const within = (milliseconds: number, work: Promise<void>): Promise<boolean> =>
  Promise.race([work.then(() => true), setTimeout(milliseconds, false, { ref: false })]);
