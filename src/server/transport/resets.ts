import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Log } from "../../log.ts";

/** The streams per second that a client may reset for ever. nghttp2 has the same number. */
const RESETS_PER_SECOND = 33;

/** The resets that a connection may still make. */
interface Allowance {
  resets: number;
  /** When `resets` was counted, in milliseconds. */
  at: number;
}

export interface ResetOptions {
  readonly maxConcurrentStreams: number;
  readonly log: Log;
}

/**
 * Closes connections of clients that open streams only to reset them (CVE-2023-44487). A client may reset all its calls twice
 * in a row. nghttp2 has such a limit, too, of 1000 at once, which keep the event loop busy for a tenth of a second.
 *
 * @returns a function that follows a stream until its end.
 */
export function limitResets({ maxConcurrentStreams, log }: ResetOptions): (stream: ServerHttp2Stream) => void {
  const burst = 2 * maxConcurrentStreams;
  const allowances = new WeakMap<ServerHttp2Session, Allowance>();
  const count = (session: ServerHttp2Session): void => {
    const now = performance.now();
    const { resets, at } = allowances.get(session) ?? { resets: burst, at: now };
    const left = Math.min(burst, resets + ((now - at) / 1000) * RESETS_PER_SECOND) - 1;
    allowances.set(session, { resets: left, at: now });
    if (left >= 0) return;
    log.warn("closed the connection of a client that resets its calls", { client: session.socket.remoteAddress });
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy();
  };
  return (stream) => {
    const { session } = stream;
    if (session === undefined) return;
    stream.once("aborted", () => {
      if (!session.destroyed) count(session as ServerHttp2Session);
    });
  };
}
