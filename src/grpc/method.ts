import type { Call } from "./call.ts";
import { StatusError } from "./status.ts";

/** What serves one path. */
export interface Method {
  /** Whether the client may send more than one message. */
  readonly requestStream: boolean;
  /** Whether the server may; such a call lasts as long as its client likes, and does not keep the server from shutting down. */
  readonly responseStream: boolean;
  /** Takes a call. */
  readonly open: (call: Call) => Receiver;
}

/** Takes what the client sends. What it throws ends the call. */
export interface Receiver {
  readonly message: (bytes: Buffer) => void;
  /** There are no more. */
  readonly end: () => void;
}

/** By path, `/package.Service/Method`. */
export type Methods = ReadonlyMap<string, Method>;

/** One message in, one out. */
export function unary(answer: (request: Buffer, call: Call) => Uint8Array): Method {
  const open = (call: Call): Receiver => {
    let request: Buffer | undefined;
    return {
      message: (bytes) => {
        if (request !== undefined) throw new StatusError("Internal", "the call has more than one message");
        request = bytes;
      },
      end: () => {
        if (request === undefined) throw new StatusError("Internal", "the call has no message");
        // Calls queue up while another one is computed, so this does happen.
        if (call.isLate) throw new StatusError("DeadlineExceeded", "the deadline passed before the call was run");
        call.send(answer(request, call));
        call.end();
      },
    };
  };
  return { requestStream: false, responseStream: false, open };
}
