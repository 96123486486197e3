import type { ServerInterceptingCall, ServerInterceptingCallInterface, ServerMethodDefinition } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { trackStreams } from "../../src/server/interceptors.ts";

type Listener = Parameters<ServerInterceptingCallInterface["start"]>[0];

/** As much of a call as an interceptor needs; the statuses that it is sent are noted. */
function callOf() {
  const statuses: unknown[] = [];
  const listeners: Listener[] = [];
  const call = {
    start: (listener: Listener) => void listeners.push(listener),
    sendStatus: ({ code }: { readonly code: number }) => void statuses.push(code),
  };
  return { call: call as unknown as ServerInterceptingCall, statuses, end: () => listeners[0]?.onCancel() };
}

const method = (responseStream: boolean) =>
  ({ path: "/a.Service/Method", responseStream }) as ServerMethodDefinition<unknown, unknown>;

test.each([
  { what: "a stream that is open is told", responseStream: true, ends: false, statuses: [14] },
  { what: "a stream that has ended is not", responseStream: true, ends: true, statuses: [] },
  { what: "a call with one answer is not", responseStream: false, ends: false, statuses: [] },
])("when the server shuts down, $what", async ({ responseStream, ends, statuses }) => {
  const { interceptor, endAll } = trackStreams();
  const { call, statuses: sent, end } = callOf();
  const listener = {
    onReceiveMetadata: () => {},
    onReceiveMessage: () => {},
    onReceiveHalfClose: () => {},
    onCancel: () => {},
  };
  interceptor(method(responseStream), call).start(listener);
  if (ends) end();
  endAll();
  expect(sent).toEqual(statuses);
});
