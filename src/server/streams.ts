import type { EventEmitter } from "node:events";
import { status } from "@grpc/grpc-js";

/** The streams that are open: health watches and reflection. Left alone, they last as long as their client likes. */
export interface Streams {
  readonly add: (call: EventEmitter) => void;
  /** Ends them, so that a shutdown waits for calls only. */
  readonly endAll: () => void;
}

/** Handlers say which streams they have. A server interceptor would see them too, but RunFunction would pay for it in every call. */
export function trackStreams(): Streams {
  const open = new Set<EventEmitter>();
  return {
    add: (call) => {
      open.add(call);
      call.once("cancelled", () => open.delete(call)); // comes at the end of every call
    },
    endAll: () => {
      for (const call of open) call.emit("error", { code: status.UNAVAILABLE, details: "the server is shutting down" });
    },
  };
}
