import type { ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import { endCall } from "./refuse.ts";

/** Ends calls that take too long, whichever side is slow. */
export interface LateCalls {
  readonly add: (stream: ServerHttp2Stream) => void;
  readonly stop: () => void;
}

/** The interval at which late calls are searched for. */
const LOOK_MS = 1000;

/** Starts to end calls after a timeout. One timer serves all calls: a timer per call would slow each of them down. */
export function endLateCalls(timeoutMs: number): LateCalls {
  /** The start of each call, the oldest first. */
  const starts = new Map<ServerHttp2Stream, number>();
  const details = `the call took longer than ${timeoutMs} ms (--call-timeout)`;
  const look = (): void => {
    const now = performance.now();
    for (const [stream, start] of starts) {
      if (now - start < timeoutMs) return;
      starts.delete(stream);
      endCall(stream, { code: status.DEADLINE_EXCEEDED, details });
    }
  };
  const timer = setInterval(look, Math.min(LOOK_MS, timeoutMs)).unref();
  return {
    add: (stream) => {
      starts.set(stream, performance.now());
      stream.once("close", () => starts.delete(stream));
    },
    stop: () => clearInterval(timer),
  };
}
