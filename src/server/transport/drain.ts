import { constants, type Http2Server, type ServerHttp2Session } from "node:http2";
import { setTimeout } from "node:timers/promises";

/** The highest number that a stream can have: "open no more calls; all that you have opened are taken". */
const ANY_STREAM = 2 ** 31 - 1;

/** The time without a new call after which a client is asked to leave, and the longest wait for such a pause. */
const QUIET_MS = 100;
const MAX_BUSY_MS = 2000;

/** The time for the answer to a ping; a client that needs longer is treated as gone. */
const ROUND_TRIP_MS = 1000;

/** The time for a client to choose another connection after it was asked to leave. */
const SETTLE_MS = 100;

/** The open connections. */
export interface Sessions {
  /** Asks all clients to open no more calls here, and those that connect later as well. Ends when they know. */
  readonly askToLeave: () => Promise<void>;
  /** Closes each connection with its last call; ends when all are closed. */
  readonly close: () => Promise<void>;
}

/**
 * Follows connections, to close them so that no call is lost.
 *
 * gRPC's servers send GOAWAY: the client opens no more calls on this connection, and those that it had opened before it read that
 * are taken too; they are all here when it has answered a ping. That is not enough for grpc-go, Crossplane's client: it
 * fails a call of more than 256 KB (`MaxRetryRPCBufferSize`) that it is just about to open when it reads GOAWAY, since it has let go of the
 * message's copy. So GOAWAY is sent when no call has begun for a moment; while answers are held back, a client with a bounded number of
 * calls comes to that moment by itself.
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
    if (isLeaving) void sendAway(session).then(() => session.close());
  });
  return {
    askToLeave: async () => {
      await quiet(() => lastBegin);
      isLeaving = true;
      await Promise.all([...open].map(sendAway));
      if (open.size > 0) await setTimeout(SETTLE_MS);
    },
    close: async () => {
      const isEmpty = new Promise<void>((resolve) => (onEmpty = resolve));
      for (const session of open) session.close();
      if (open.size > 0) await isEmpty;
    },
  };
}

/** Waits until no call has begun for a moment. */
async function quiet(lastBegin: () => number): Promise<void> {
  const start = performance.now();
  let left = QUIET_MS;
  while (left > 0 && performance.now() - start < MAX_BUSY_MS) {
    await setTimeout(left);
    left = Math.max(lastBegin(), start) + QUIET_MS - performance.now();
  }
}

/** Sends GOAWAY, and waits until the client has read it. */
async function sendAway(session: ServerHttp2Session): Promise<void> {
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
