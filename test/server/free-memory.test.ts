import { describe, expect, test } from "vitest";
import { freeMemory, hasOwnBuffer } from "../../src/server/free-memory.ts";
import { call, echo, serveLoopback } from "../../testing/servers/loopback.ts";

const KB = 1024;

describe("a message has a buffer to itself", () => {
  test.each([
    { reason: "it is the whole buffer", start: 0, end: 100, is: true },
    { reason: "before it is gRPC's prefix only", start: 5, end: 100, is: true },
    { reason: "another message is before it", start: 6, end: 100, is: false },
    { reason: "another message is behind it", start: 0, end: 94, is: false },
  ])("$is: $reason", ({ start, end, is }) => {
    expect(hasOwnBuffer(new Uint8Array(100).subarray(start, end))).toBe(is);
  });
});

const frees = "transfer" in ArrayBuffer.prototype;

describe("memory is freed", () => {
  test.each([
    { reason: "large", bytes: 64 * KB, left: frees ? 0 : 64 * KB },
    { reason: "small ones may share Node's pool with others", bytes: 64 * KB - 1, left: 64 * KB - 1 },
  ])("$bytes bytes: $reason", ({ bytes, left }) => {
    const message = new Uint8Array(bytes);
    freeMemory(message);
    freeMemory(message); // once more does no harm
    expect(message.length).toBe(left);
  });

  test("not of a small message in the pool of Node's Buffers, which is as large in Node 24", () => {
    const message = Buffer.allocUnsafe(100).fill("a");
    freeMemory(message);
    expect(message.toString()).toBe("a".repeat(100));
  });

  test("of a large request and its response, after the response has been sent whole", async () => {
    const seen: Uint8Array[] = [];
    const answer = Buffer.alloc(300 * KB, "answer");
    const runFunction = (message: Uint8Array) => {
      const response = Buffer.from(answer);
      seen.push(message, response);
      return echo(response);
    };
    const { target } = await serveLoopback({}, { runFunction });
    const { response } = await call(target, Buffer.alloc(200 * KB));
    expect(response).toEqual(answer);
    expect(seen.map(({ length }) => length)).toEqual(frees ? [0, 0] : [200 * KB, 300 * KB]);
  });

  test("and the function may answer with the request itself", async () => {
    const { target } = await serveLoopback({}, { runFunction: (message) => echo(message) });
    const request = Buffer.alloc(200 * KB, "request");
    expect((await call(target, request)).response).toEqual(request);
  });
});
