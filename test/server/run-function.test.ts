import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { FunctionError } from "../../src/errors.ts";
import { runFunction } from "../../src/run-function.ts";
import { connectHttp2, endOf, frame, openStream, roundTrip, V1 } from "../../testing/servers/http2.ts";
import { call, echo, serveLoopback, V1BETA1 } from "../../testing/servers/loopback.ts";

const MEGABYTE = 1024 * 1024;

describe("both versions of the service pass bytes through", () => {
  test.each([V1, V1BETA1])("%s", async (path) => {
    const { target } = await serveLoopback();
    const request = Buffer.from([0, 1, 2, 254, 255]);
    expect(await call(target, request, { path })).toEqual({ code: "OK", details: "", response: request });
  });

  test("a view into a larger buffer is sent, not the buffer", async () => {
    const response = Buffer.from([9, 9, 1, 2, 9]).subarray(2, 4);
    const { target } = await serveLoopback({}, { runFunction: () => echo(response) });
    expect((await call(target, Buffer.alloc(0))).response).toEqual(Buffer.from([1, 2]));
  });
});

describe("what is thrown becomes a status", () => {
  const client = expect.stringMatching(/^127\.0\.0\.1:\d+$/);

  test("bytes that are no request are the client's fault, and it is told where", async () => {
    const server = await serveLoopback({}, { runFunction });
    const answer = await call(server.target, Buffer.from([0x0a, 0xff]));
    expect(answer.details).toBe("cannot read the request: a truncated varint at byte 1");
    expect(answer.code).toBe("INVALID_ARGUMENT");
    const line = { level: "warn", message: "refused a call", client, path: V1, requestBytes: 2 };
    expect(server.lines.at(-1)).toEqual({ ...line, details: answer.details });
  });

  test.each<[reason: string, thrown: unknown]>([
    ["a bug", new TypeError("password is hunter2")],
    ["an error of ours that is no fault of the message", new FunctionError("InvalidResponse", "hunter2")],
    ["something that is no error", "hunter2"],
  ])("%s tells the client nothing, and the log all", async (_reason, thrown) => {
    const fail = () => {
      throw thrown;
    };
    const server = await serveLoopback({}, { runFunction: fail });
    const details = "cannot run the function: internal error, see the function's log";
    expect(await call(server.target, Buffer.alloc(3))).toMatchObject({ code: "INTERNAL", details });
    const line = { level: "error", message: "cannot run the function", client, path: V1, requestBytes: 3 };
    expect(server.lines.at(-1)).toEqual({ ...line, stack: expect.stringContaining("hunter2") });
  });
});

test("a Fatal result is worth a warning, since the XR goes no further", async () => {
  const result = { severity: "Fatal", message: "cannot go on", reason: "Why", target: "Composite" } as const;
  const server = await serveLoopback({}, { runFunction: (bytes) => ({ ...echo(bytes), results: [result] }) });
  await call(server.target, Buffer.alloc(0));
  const line = { level: "warn", message: "returned a fatal result", reason: "Why", result: "cannot go on" };
  expect(server.lines.at(-1)).toEqual(line);
});

test("each tag that is changed has a line of its own", async () => {
  const change = { resource: "bucket", key: "team", old: undefined, new: "shop", owner: "Shop.example.org/a/shop" };
  const server = await serveLoopback({}, { runFunction: (bytes) => ({ ...echo(bytes), audit: [change] }) });
  await call(server.target, Buffer.alloc(0));
  const { old: _, ...fields } = change;
  expect(server.lines.at(-1)).toEqual({ level: "info", message: "changed a tag", ...fields });
});

describe("the size of a request", () => {
  const limit = { maxRecvMessageBytes: 4 * MEGABYTE };

  test("the limit itself is allowed", async () => {
    const { target } = await serveLoopback(limit, { runFunction: () => echo(Buffer.alloc(0)) });
    expect(await call(target, Buffer.alloc(4 * MEGABYTE))).toMatchObject({ code: "OK" });
  });

  test("one byte more is refused, with both sizes", async () => {
    // An answer of that size would be refused by the client, in the same words.
    const { target } = await serveLoopback(limit, { runFunction: () => echo(Buffer.alloc(0)) });
    const details = "Received message larger than max (4194305 vs 4194304)";
    const answer = await call(target, Buffer.alloc(4 * MEGABYTE + 1));
    expect(answer).toMatchObject({ code: "RESOURCE_EXHAUSTED", details });
  });

  test("a response has no limit here", async () => {
    const runBig = () => echo(Buffer.alloc(5 * MEGABYTE));
    const { port } = await serveLoopback({}, { runFunction: runBig });
    const stream = openStream(await connectHttp2(`http://localhost:${port}`));
    stream.end(frame(Buffer.alloc(0)));
    const { data, status } = await endOf(stream);
    expect({ bytes: data.byteLength, status }).toEqual({ bytes: 5 * MEGABYTE + 5, status: "0" });
  });
});

test("a call that is cancelled before its request is whole is not computed", async () => {
  const computed: number[] = [];
  const runFunction = (bytes: Buffer) => {
    computed.push(bytes.byteLength);
    return echo(bytes);
  };
  const { port } = await serveLoopback({}, { runFunction });
  const session = await connectHttp2(`http://localhost:${port}`);

  const cancelled = openStream(session);
  cancelled.write(frame(Buffer.alloc(100)).subarray(0, 50));
  cancelled.close(8); // CANCEL
  await endOf(cancelled);

  const other = openStream(session);
  other.end(frame(Buffer.alloc(7)));
  expect((await endOf(other)).status).toBe("0");
  expect(computed).toEqual([7]);
});

test.each([
  { reason: "with gzip", encoding: "gzip", compress: gzipSync, bytes: 1000, status: "0" },
  { reason: "with deflate", encoding: "deflate", compress: deflateSync, bytes: 1000, status: "0" },
  {
    reason: "and larger than a request may be",
    encoding: "gzip",
    compress: gzipSync,
    bytes: 2 * MEGABYTE,
    status: "8",
  },
])("a message that is compressed $reason has the status $status", async ({ encoding, compress, bytes, status }) => {
  const { port } = await serveLoopback({ maxRecvMessageBytes: MEGABYTE });
  const stream = openStream(await connectHttp2(`http://localhost:${port}`), V1, { "grpc-encoding": encoding });
  const request = Buffer.alloc(bytes);
  const message = frame(compress(request));
  message[0] = 1; // compressed
  stream.end(message);
  expect(await endOf(stream)).toEqual({ data: status === "0" ? frame(request) : Buffer.alloc(0), status });
});

test("a client that goes away in the middle of many calls takes nothing else with it", async () => {
  const { port, target } = await serveLoopback();
  const leaving = await connectHttp2(`http://localhost:${port}`);
  const streams = Array.from({ length: 50 }, () => openStream(leaving).on("error", () => {}));
  for (const stream of streams) stream.write(frame(Buffer.alloc(1000)).subarray(0, 700));
  await roundTrip(leaving);
  leaving.destroy();
  expect(await call(target, Buffer.from("still there"))).toMatchObject({ code: "OK" });
});
