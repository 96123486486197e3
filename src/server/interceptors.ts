import {
  type ServerInterceptingCallInterface as Call,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerMethodDefinition,
  status,
} from "@grpc/grpc-js";

type Method = ServerMethodDefinition<unknown, unknown>;

/**
 * Makes an interceptor for some methods. Other calls are passed on unwrapped, which grpc-js accepts although its type does not
 * say so; RunFunction then pays nothing for interceptors.
 */
const only =
  (isOne: (method: Method) => boolean, intercept: (call: Call) => ServerInterceptingCall): ServerInterceptor =>
  (method: Method, call: Call) =>
    isOne(method) ? intercept(call) : (call as ServerInterceptingCall);

/** Open calls whose end is up to the client: health watches and reflection. */
export interface Streams {
  readonly interceptor: ServerInterceptor;
  /** Ends all of them, so that a shutdown does not wait for clients. */
  readonly endAll: () => void;
}

export function trackStreams(): Streams {
  const open = new Set<Call>();
  const track = (call: Call): ServerInterceptingCall => {
    open.add(call);
    return new ServerInterceptingCall(call, {
      start: (next) => next({ onCancel: () => void open.delete(call) }), // grpc-js calls this at the end of every call
    });
  };
  const ending = { code: status.UNAVAILABLE, details: "the server is shutting down", metadata: null };
  return {
    interceptor: only(({ responseStream }) => responseStream, track),
    endAll: () => {
      for (const call of open) call.sendStatus(ending);
    },
  };
}

const NOT_SERVED = "cannot report the health of a service that is not served here";

/** Replaces the message about an unknown service, in which grpc-health-check repeats the name, however long it is. */
export const withoutNames = only(
  ({ path }) => path.startsWith("/grpc.health."),
  (call) =>
    new ServerInterceptingCall(call, {
      sendStatus: (sent, next) => next(sent.code === status.NOT_FOUND ? { ...sent, details: NOT_SERVED } : sent),
    }),
);
