import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { watchCalls } from "../../src/server/transport/calls.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../../testing/servers/http2.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A promise that is kept when one says so. */
function untilTold() {
  let resolve = (): void => {};
  const promise = new Promise<void>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

/** An HTTP/2 server in the place of grpc-js's, whose calls wait until their service is loaded. */
async function serveAfter(loading: Promise<void>) {
  const served: string[] = [];
  const http2 = createServer();
  http2.on("stream", (stream: ServerHttp2Stream, headers) => {
    served.push(String(headers[":path"]));
    stream.respond({ "grpc-status": "0" }, { endStream: true });
  });
  const stop = watchCalls(http2, {
    maxRequestBytesInMemory: 1e6,
    maxRecvMessageBytes: 1e6,
    callTimeoutMs: 10_000,
    maxConcurrentStreams: 100,
    observer: { started: () => {}, ended: () => {} },
    load: () => loading,
    log,
  });
  http2.listen(0, "127.0.0.1");
  onTestFinished(() => {
    stop();
    http2.close();
  });
  await once(http2, "listening");
  const session = await connectHttp2(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
  return { session, served };
}

test("a call whose service is still to be loaded waits, and is served", async () => {
  const { promise, resolve } = untilTold();
  const { session, served } = await serveAfter(promise);
  const ended = endOf(openStream(session, "/a.Service/Method"));
  await roundTrip(session);
  expect(served).toEqual([]);
  resolve();
  expect((await ended).status).toBe("0");
});

test.each([
  { how: "cancels", code: 8 },
  { how: "resets with a protocol error", code: 1 },
])("a call that its client $how meanwhile is not served, and ends nothing else", async ({ code }) => {
  const { promise, resolve } = untilTold();
  const { session, served } = await serveAfter(promise);
  const stream = openStream(session, "/a.Service/Method").on("error", () => {});
  await roundTrip(session);
  stream.close(code);
  await roundTrip(session);
  resolve();
  await roundTrip(session);
  expect(served).toEqual([]);
});

test("a call whose service cannot be loaded is told so", async () => {
  const promise = Promise.reject(new Error("broken"));
  promise.catch(() => {}); // it is there before anybody waits for it
  const { session, served } = await serveAfter(promise);
  expect((await endOf(openStream(session, "/a.Service/Method"))).status).toBe("14"); // UNAVAILABLE
  expect(served).toEqual([]);
});
