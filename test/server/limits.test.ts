import { once } from "node:events";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Limits } from "../../src/server/config.ts";
import { callAndReset, dataFrame, frame, openCall, unknownFrames, V1 } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { call, echo, generous, type Loopback, serveLoopback, until } from "../../testing/servers/loopback.ts";
import { connectRaw } from "../../testing/servers/raw-http2.ts";

const MB = 1024 * 1024;

const serveWithin = (limits: Partial<Limits>, runFunction = echo): Promise<Loopback> =>
  serveLoopback({ limits: { ...generous, ...limits } }, { runFunction });

const connectTo = ({ port }: Loopback, settings = {}): Promise<ClientHttp2Session> =>
  connectHttp2(`http://localhost:${port}`, { settings });

/** A call that claims a message of 4 MB, and sends this much of it. */
function halfSend(session: ClientHttp2Session, bytes: number): ClientHttp2Stream {
  const stream = openStream(session).on("error", () => {});
  stream.write(Buffer.concat([Buffer.from([0, 0, 0x40, 0, 0]), Buffer.alloc(bytes)]));
  return stream;
}

const RESOURCE_EXHAUSTED = "8";

describe("memory for requests", () => {
  test("a client that takes more than all of it is refused itself, and others are served", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: MB });
    const hog = await connectTo(server);
    const ends = [endOf(halfSend(hog, 600_000)), endOf(halfSend(hog, 600_000))];
    expect((await Promise.race(ends)).status).toBe(RESOURCE_EXHAUSTED);
    expect(await call(server.target, Buffer.alloc(300_000))).toMatchObject({ code: "OK" });
    await roundTrip(hog);
  });

  test("whoever is refused is told why, and the log once for each connection", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: MB });
    for (let n = 0; n < 2; n++) {
      expect(await call(server.target, Buffer.alloc(2 * MB))).toMatchObject({
        code: "RESOURCE_EXHAUSTED",
        details: "requests take more than 1 MB of memory (--max-requests-in-memory)",
      });
    }
    const hog = await connectTo(server);
    const ends = Array.from({ length: 3 }, () => endOf(halfSend(hog, 2 * MB)));
    expect((await Promise.all(ends)).map(({ status }) => status)).toEqual(Array(3).fill(RESOURCE_EXHAUSTED));
    const refusals = server.lines.filter(({ message }) => message === "refused calls");
    expect(refusals).toEqual(
      Array(3).fill({
        level: "warn",
        message: "refused calls",
        client: expect.stringContaining("127.0.0.1"),
        path: V1,
        details: "requests take more than 1 MB of memory (--max-requests-in-memory)",
      }),
    );
  });

  test("it is given back when calls end: one that is open longer is not refused for them", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: 4 * MB });
    const session = await connectTo(server);
    const open = halfSend(session, 1.5 * MB);
    for (let n = 0; n < 10; n++) expect(await call(server.target, Buffer.alloc(MB))).toMatchObject({ code: "OK" });
    expect(open.closed).toBe(false);
  });

  test("a byte here and there counts as what it keeps in memory", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: MB });
    const client = await connectRaw(server.port);
    client.write(openCall(1));
    for (let n = 0; n < 50; n++) {
      client.write(Buffer.concat([dataFrame(1, Buffer.alloc(1)), unknownFrames(60_000)]));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await until(() => server.lines.some(({ message }) => message === "refused calls"));
  });

  test("it is given back when calls are cancelled", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: 2 * MB });
    const session = await connectTo(server);
    for (let n = 0; n < 10; n++) {
      const stream = halfSend(session, MB);
      await roundTrip(session);
      stream.close(8); // CANCEL
    }
    await roundTrip(session);
    expect(await call(server.target, Buffer.alloc(MB))).toMatchObject({ code: "OK" });
  });

  test("claims of 64 MB in five bytes take none of it", async () => {
    const server = await serveLoopback({
      maxRecvMessageBytes: 64 * MB,
      limits: { ...generous, maxRequestBytesInMemory: 32 * MB },
    });
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 3; n++) {
      const session = await connectTo(server);
      const streams = Array.from({ length: 1000 }, () => openStream(session).on("error", () => {}));
      for (const stream of streams) stream.write(Buffer.from([0, 4, 0, 0, 0]));
      await roundTrip(session);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MB);
    expect(await call(server.target, Buffer.alloc(MB))).toMatchObject({ code: "OK" });
  });

  test("a compressed request counts as what it may become", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: MB });
    const headers = { ":method": "POST", ":path": V1, "content-type": "application/grpc", "grpc-encoding": "gzip" };
    const stream = (await connectTo(server)).request(headers);
    const bomb = frame(gzipSync(Buffer.alloc(3 * MB)));
    bomb[0] = 1;
    stream.end(bomb);
    expect((await endOf(stream)).status).toBe(RESOURCE_EXHAUSTED);
  });

  test("requests for reflection count as their answers, which nobody may be reading", async () => {
    const server = await serveWithin({ maxRequestBytesInMemory: 32 * MB });
    const session = await connectTo(server, { initialWindowSize: 0 });
    const stream = openStream(session, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    stream.on("error", () => {});
    const listServices = frame(Buffer.from([0x3a, 1, 0x2a]));
    stream.end(Buffer.concat(Array(1000).fill(listServices)));
    expect((await endOf(stream)).status).toBe(RESOURCE_EXHAUSTED);
  });
});

describe("the time of a call", () => {
  test("a request that stops half way is ended, and the client told", async () => {
    const server = await serveWithin({ callTimeoutMs: 100 });
    expect(await endOf(halfSend(await connectTo(server), 1000))).toMatchObject({ status: "4" }); // DEADLINE_EXCEEDED
  });

  test("an answer that nobody reads is cut off", async () => {
    const server = await serveWithin({ callTimeoutMs: 100 }, () => echo(Buffer.alloc(MB)));
    const stream = openStream(await connectTo(server)).on("error", () => {});
    stream.end(frame(Buffer.alloc(0)));
    await once(stream, "response"); // its data stay unread: 64 KB of them come, and no more
    await once(stream, "close");
    expect(stream.rstCode).toBe(8); // CANCEL
  });

  test("a health watch may last", async () => {
    const server = await serveWithin({ callTimeoutMs: 50 });
    const watch = openStream(await connectTo(server), "/grpc.health.v1.Health/Watch");
    watch.end(frame(Buffer.alloc(0)));
    await once(watch, "data");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(watch.closed).toBe(false);
  });
});

describe("connections", () => {
  test("clients are told how many calls and how large headers may be", async () => {
    const server = await serveWithin({ maxConcurrentStreams: 7, maxHeaderBytes: 9 * 1024 });
    const { remoteSettings } = await connectTo(server);
    expect(remoteSettings).toMatchObject({ maxConcurrentStreams: 7, maxHeaderListSize: 9 * 1024 });
  });

  test("a call beyond that many is refused, and may be sent elsewhere", async () => {
    const { port } = await serveWithin({ maxConcurrentStreams: 2 });
    const client = await connectRaw(port);
    const received: Buffer[] = [];
    client.on("data", (bytes: Buffer) => received.push(bytes));
    client.write(Buffer.concat([1, 3, 5].map((stream) => openCall(stream))));
    const refused = Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 5, 0, 0, 0, 7]); // RST_STREAM of stream 5: REFUSED_STREAM
    await until(() => Promise.resolve(Buffer.concat(received).includes(refused)));
  });

  test("a call whose headers are larger is refused, and the next one served", async () => {
    const server = await serveWithin({ maxHeaderBytes: 4 * 1024 });
    const session = await connectTo(server);
    await roundTrip(session); // the limit holds once the client knows it
    const headers = { ":method": "POST", ":path": V1, "content-type": "application/grpc", x: "x".repeat(8 * 1024) };
    const refused = session.request(headers);
    await once(refused, "close").catch(() => {}); // an error, too, is followed by the end
    expect(refused.rstCode).toBe(11); // ENHANCE_YOUR_CALM
    const next = openStream(session);
    next.end(frame(Buffer.alloc(0)));
    expect((await endOf(next)).status).toBe("0");
  });

  test("a client that no longer answers is cut off", async () => {
    const { port } = await serveWithin({ keepaliveIntervalMs: 50, keepaliveTimeoutMs: 50 });
    const silent = await connectRaw(port);
    await once(silent, "close");
  });

  test("a client that answers stays", async () => {
    const server = await serveWithin({ keepaliveIntervalMs: 20, keepaliveTimeoutMs: 500 });
    const session = await connectTo(server);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(session.closed).toBe(false);
  });

  test("one without calls is closed", async () => {
    const session = await connectTo(await serveWithin({ maxConnectionIdleMs: 50 }));
    await once(session, "close");
  });

  test("an old one is closed, and its client asked to connect anew", async () => {
    const session = await connectTo(await serveWithin({ maxConnectionAgeMs: 50 }));
    await once(session, "goaway");
  });

  test.each([
    { of: "that are served", path: V1, contentType: "application/grpc" },
    { of: "that nobody serves", path: "/a.Service/Method", contentType: "application/grpc" },
    { of: "that are not gRPC", path: V1, contentType: "text/plain" },
  ])(
    "calls $of are not computed where they are reset at once, and others are served",
    async ({ path, contentType }) => {
      const computed: number[] = [];
      const server = await serveWithin({}, (bytes) => {
        computed.push(bytes.byteLength);
        return echo(bytes);
      });
      const resetter = await connectRaw(server.port);
      const calls = Array.from({ length: 2000 }, (_, n) => callAndReset(2 * n + 1, path, contentType));
      resetter.write(Buffer.concat(calls));
      expect(await call(server.target, Buffer.alloc(9))).toMatchObject({ code: "OK" });
      expect(computed).toEqual([9]);
    },
  );
});

test("light calls stay quick while another client half-sends all it can", async () => {
  const server = await serveWithin({ maxRequestBytesInMemory: 16 * MB });
  const hogs = await Promise.all(Array.from({ length: 5 }, () => connectTo(server)));
  for (const hog of hogs) for (let n = 0; n < 40; n++) halfSend(hog, 500_000);
  const codes = new Set<string>();
  for (let n = 0; n < 50; n++) codes.add((await call(server.target, Buffer.alloc(2500), { deadlineMs: 2000 })).code);
  expect([...codes]).toEqual(["OK"]);
  await until(() => server.lines.some(({ message }) => message === "refused calls"));
});
