import { constants, type Http2Server, type ServerHttp2Session } from "node:http2";
import { setTimeout } from "node:timers/promises";

/** The highest number that a stream can have: "I take no new calls soon, and all that you have begun". */
const ANY_STREAM = 2 ** 31 - 1;

/** A client that does not answer in this time is gone, or has other troubles than one call more. */
const ROUND_TRIP_MS = 1000;

/** The open connections. */
export interface Sessions {
  /** Ends once each has answered its calls and is closed; those that come meanwhile are closed as well. */
  readonly drain: () => Promise<void>;
}

export function trackSessions(http2: Http2Server): Sessions {
  const open = new Set<ServerHttp2Session>();
  let isDraining = false;
  let onEmpty: (() => void) | undefined;
  http2.on("session", (session: ServerHttp2Session) => {
    open.add(session);
    session.once("close", () => {
      open.delete(session);
      if (open.size === 0) onEmpty?.();
    });
    if (isDraining) void close(session);
  });
  return {
    drain: async () => {
      isDraining = true;
      const isEmpty = new Promise<void>((resolve) => (onEmpty = resolve));
      for (const session of open) void close(session);
      if (open.size > 0) await isEmpty;
    },
  };
}

/**
 * Closes a connection so that no call is lost, as gRPC's servers do: the client is told to open no more calls, and
 * those that it had opened before it read that are taken too; they are all here when it has answered a ping. Only then
 * the connection is closed for what comes later, and ends with the last call.
 */
async function close(session: ServerHttp2Session): Promise<void> {
  if (session.closed || session.destroyed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
  await roundTrip(session);
  session.close();
}

async function roundTrip(session: ServerHttp2Session): Promise<void> {
  const isOver = new AbortController();
  const answered = new Promise<void>((resolve) => {
    session.ping(() => resolve());
    session.once("close", resolve);
  });
  await Promise.race([answered, setTimeout(ROUND_TRIP_MS, undefined, { signal: isOver.signal })]);
  isOver.abort();
}
