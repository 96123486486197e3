import { ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";

/** The streams that are open: health watches and reflection. Left alone, they last as long as their client likes. */
export interface Streams {
  readonly interceptor: ServerInterceptor;
  /** Ends them, so that a shutdown waits for calls only. */
  readonly endAll: () => void;
}

export function trackStreams(): Streams {
  const open = new Set<Parameters<ServerInterceptor>[1]>();
  return {
    interceptor: (method, call) => {
      if (!method.responseStream) return new UnaryCall(call);
      open.add(call);
      return new ServerInterceptingCall(call, {
        start: (next) => next({ onCancel: () => open.delete(call) }), // comes at the end of every call
      });
    },
    endAll: () => {
      for (const call of open) call.sendStatus({ code: status.UNAVAILABLE, details: "the server is shutting down" });
    },
  };
}

/**
 * Ends with its one message. grpc-js waits until a message is out before it ends the call, which for a client costs another
 * turn of our event loop until it sees the answer's end. A message that cannot be written cancels the call either way.
 */
class UnaryCall extends ServerInterceptingCall {
  override sendMessage(message: unknown, callback: () => void): void {
    super.sendMessage(message, () => {});
    callback();
  }
}
