import { once } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { callAndReset, frame } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { call, generous, serveLoopback } from "../../testing/servers/loopback.ts";
import { connectRaw } from "../../testing/servers/raw-http2.ts";

/** With it a connection may reset 20 calls at once. */
const limits = { ...generous, maxConcurrentStreams: 10 };

const opened = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => callAndReset(2 * index + 1)));

/** A call with an empty request. */
function emptyCall(session: ClientHttp2Session): ClientHttp2Stream {
  const stream = openStream(session);
  stream.end(frame(Buffer.alloc(0)));
  return stream;
}

test("a connection that resets more than twice its limit of calls at once is closed, and the log says who it is", async () => {
  const server = await serveLoopback({ limits });
  const resetter = await connectRaw(server.port);
  resetter.write(opened(100));
  await once(resetter.resume(), "close");
  expect(server.lines).toContainEqual(
    expect.objectContaining({
      level: "warn",
      message: "closed the connection of a client that resets its calls",
      client: expect.stringContaining("127.0.0.1"),
    }),
  );
  expect(await call(server.target, Buffer.alloc(9))).toMatchObject({ code: "OK" });
});

test("a client that cancels all its calls twice keeps its connection", async () => {
  const server = await serveLoopback({ limits });
  const session = await connectHttp2(`http://${server.target}`);
  for (let round = 0; round < 2; round++) {
    const streams = Array.from({ length: 10 }, () => openStream(session).on("error", () => {}));
    await roundTrip(session);
    for (const stream of streams) stream.close(8);
    await roundTrip(session);
  }
  expect((await endOf(emptyCall(session))).status).toBe("0");
});

test("a client that cancels a call now and then keeps its connection", async () => {
  const server = await serveLoopback({ limits: { ...generous, maxConcurrentStreams: 1 } });
  const session = await connectHttp2(`http://${server.target}`);
  for (let n = 0; n < 6; n++) {
    const stream = openStream(session).on("error", () => {});
    await roundTrip(session);
    stream.close(8);
    await sleep(40); // 33 may be reset per second
  }
  expect((await endOf(emptyCall(session))).status).toBe("0");
});
