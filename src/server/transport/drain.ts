import { constants, type Http2Server, type ServerHttp2Session } from "node:http2";
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

/** The open connections. */
export interface Sessions {
  /** Asks all clients, also those that connect later, to open no more calls. Resolves once they have received that. */
  readonly askToLeave: () => Promise<void>;
  /** Closes each connection after its last call; resolves once all are closed. */
  readonly close: () => Promise<void>;
}

/**
 * Tracks connections, to close them without losing a call.
 *
 * gRPC servers send GOAWAY and then a ping. The client opens no more calls on this connection, and once it has answered the ping all
 * calls that it had opened before have arrived. That is not enough for grpc-go, Crossplane's client: if it reads GOAWAY while it
 * opens a call of more than 256 KB (`MaxRetryRPCBufferSize`), it fails the call, because it has no copy of the message left to
 * send elsewhere. So GOAWAY is sent in a pause without new calls. Answers are held back meanwhile: a client with a bounded number of
 * calls in flight then has to pause.
 */
export function trackSessions(http2: Http2Server): Sessions {
  const open = new Set<ServerHttp2Session>();
  let isLeaving = false;
  let lastBegin = 0;
  let onEmpty: (() => void) | undefined;
  http2.on("stream", () => {
    lastBegin = performance.now();
  });
  http2.on("session", (session: ServerHttp2Session) => {
    open.add(session);
    session.once("close", () => {
      open.delete(session);
      if (open.size === 0) onEmpty?.();
    });
    if (isLeaving) void sendGoAway(session).then(() => session.close());
  });
  return {
    askToLeave: async () => {
      await waitForPause(() => lastBegin);
      isLeaving = true;
      await Promise.all([...open].map(sendGoAway));
      if (open.size > 0) await setTimeout(SETTLE_MS);
    },
    close: async () => {
      const isEmpty = new Promise<void>((resolve) => (onEmpty = resolve));
      for (const session of open) session.close();
      if (open.size > 0) await isEmpty;
    },
  };
}

/** Waits for a pause without new calls. */
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
  const isOver = new AbortController();
  const answered = new Promise<void>((resolve) => {
    session.ping(() => resolve());
    session.once("close", resolve);
  });
  await Promise.race([answered, setTimeout(ROUND_TRIP_MS, undefined, { signal: isOver.signal })]);
  isOver.abort();
}
