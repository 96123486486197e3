import {
  type ServerInterceptingCallInterface as Call,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerMethodDefinition,
  status,
} from "@grpc/grpc-js";

type Method = ServerMethodDefinition<unknown, unknown>;

/** An interceptor of some methods. grpc-js takes a call as it is, too, which its type does not say: RunFunction pays nothing. */
const only =
  (isOne: (method: Method) => boolean, intercept: (call: Call) => ServerInterceptingCall): ServerInterceptor =>
  (method: Method, call: Call) =>
    isOne(method) ? intercept(call) : (call as ServerInterceptingCall);

/** The calls that can last as long as their client likes: health watches and reflection. */
export interface Streams {
  readonly interceptor: ServerInterceptor;
  /** Ends them, so that a shutdown waits for no client. */
  readonly endAll: () => void;
}

export function trackStreams(): Streams {
  const open = new Set<Call>();
  const track = (call: Call): ServerInterceptingCall => {
    open.add(call);
    return new ServerInterceptingCall(call, {
      start: (next) => next({ onCancel: () => void open.delete(call) }), // comes at the end of every call
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

const NOT_SERVED = "cannot tell the health of a service that is not served here";

/** Keeps the name of a service that is not served out of the answer: grpc-health-check repeats it, however long it is. */
export const withoutNames = only(
  ({ path }) => path.startsWith("/grpc.health."),
  (call) =>
    new ServerInterceptingCall(call, {
      sendStatus: (sent, next) => next(sent.code === status.NOT_FOUND ? { ...sent, details: NOT_SERVED } : sent),
    }),
);
