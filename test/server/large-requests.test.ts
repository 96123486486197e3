import { once } from "node:events";
import type { ClientHttp2Stream } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/run-function.ts";
import { frame } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { call, echo, type Loopback, serveLoopback, until } from "../../testing/servers/loopback.ts";

const KB = 1024;

/** A function whose large requests wait until they are let go, one after the other; each is known by its first byte. */
async function serveWaiting() {
  const begun: string[] = [];
  const waiting: (() => void)[] = [];
  const runInThread = (message: Uint8Array): Promise<Outcome> => {
    begun.push(String.fromCharCode(message[0] ?? 0));
    return new Promise((resolve) => waiting.push(() => resolve(echo(message.slice(0, 1)))));
  };
  const letGo = async (): Promise<void> => {
    await until(() => waiting.length > 0);
    waiting.shift()?.();
  };
  return { begun, letGo, server: await serveLoopback({}, { runInThread }) };
}

const largeRequest = (name: string): Buffer => frame(Buffer.alloc(64 * KB, name));

/** Sends large requests over one connection of their own; resolves when they have arrived. */
async function send({ target }: Loopback, names: string) {
  const session = await connectHttp2(`http://${target}`);
  const streams = [...names].map((name) => {
    const stream = openStream(session).on("error", () => {});
    stream.end(largeRequest(name));
    return stream;
  });
  await Promise.all(streams.map((stream) => once(stream, "finish")));
  await roundTrip(session);
  return { session, streams };
}

describe("large requests", () => {
  test("run in the thread at first, and on the event loop when they have shown to be quick", async () => {
    const threads: string[] = [];
    const runIn = (thread: string) => (message: Uint8Array) => {
      threads.push(thread);
      return echo(message);
    };
    const here = runIn("here");
    const there = runIn("there");
    const server = await serveLoopback({}, { runFunction: here, runInThread: async (message) => there(message) });
    for (let n = 0; n < 8; n++) await call(server.target, Buffer.alloc(64 * KB));
    expect(threads.join(" ")).toBe("there there there there there there here here");
  });

  test("that fail count as well", async () => {
    const threads: string[] = [];
    const failIn = (thread: string) => (): never => {
      threads.push(thread);
      throw new Error("cannot read the request");
    };
    const there = failIn("there");
    const server = await serveLoopback({}, { runFunction: failIn("here"), runInThread: async () => there() });
    for (let n = 0; n < 8; n++) await call(server.target, Buffer.alloc(64 * KB));
    expect(threads.join(" ")).toBe("there there there there there there here here");
  });

  test("run one at a time, and connections take turns", async () => {
    const { begun, letGo, server } = await serveWaiting();
    const first = await send(server, "abc");
    await until(() => begun.length === 1);
    const other = await send(server, "x");
    const ends = [...first.streams, ...other.streams].map(endOf);
    for (let n = 0; n < 4; n++) await letGo();
    const answers = await Promise.all(ends);
    expect(begun.join("")).toBe("abxc");
    expect(answers.map(({ data }) => String(data.subarray(5))).join("")).toBe("abcx");
  });

  test("do not keep small ones waiting", async () => {
    const { begun, letGo, server } = await serveWaiting();
    const [large] = (await send(server, "a")).streams;
    await until(() => begun.length === 1);
    expect(await call(server.target, Buffer.alloc(63 * KB))).toMatchObject({ code: "OK" });
    await letGo();
    expect((await endOf(large as ClientHttp2Stream)).status).toBe("0");
  });

  test("that are cancelled while they wait do not run", async () => {
    const { begun, letGo, server } = await serveWaiting();
    const { session, streams } = await send(server, "ab");
    const [first, second] = streams;
    await until(() => begun.length === 1);
    second?.close(8);
    await roundTrip(session);
    await letGo();
    await endOf(first as ClientHttp2Stream);
    expect(await call(server.target, Buffer.alloc(0))).toMatchObject({ code: "OK" });
    expect(begun).toEqual(["a"]);
  });

  test("whose thread fails get INTERNAL, and the log says why", async () => {
    const runInThread = () => Promise.reject(new Error("out of memory"));
    const server = await serveLoopback({}, { runInThread });
    expect(await call(server.target, Buffer.alloc(64 * KB))).toMatchObject({ code: "INTERNAL" });
    expect(server.lines.at(-1)).toMatchObject({
      level: "error",
      message: "cannot run the function",
      requestBytes: 64 * KB,
      stack: expect.stringContaining("out of memory"),
    });
  });
});
