import { once } from "node:events";
import type { ClientHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { frame, V1 } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { call, serveLoopback } from "../../testing/servers/loopback.ts";

/** Requests that gRPC's own clients do not send, or seldom. */

const connect = async () => {
  const { port } = await serveLoopback();
  return connectHttp2(`http://localhost:${port}`);
};

const headers = { ":method": "POST", ":path": V1, "content-type": "application/grpc", te: "trailers" };

/** The headers of an answer, or both its headers and its trailers where it has no body. */
async function headersOf(stream: ClientHttp2Stream): Promise<Readonly<Record<string, unknown>>> {
  const [response] = (await once(stream, "response")) as [Record<string, unknown>];
  stream.resume();
  await once(stream, "close");
  return response;
}

test("a request that is not gRPC is refused with 415", async () => {
  const session = await connect();
  const change = { "content-type": "application/json" };
  expect(await headersOf(session.request({ ...headers, ...change }, { endStream: true }))).toMatchObject({
    ":status": 415,
  });
});

describe("a call that has not one message is UNIMPLEMENTED, as the specification has it", () => {
  test.each([
    { what: "no message", data: Buffer.alloc(0) },
    { what: "two messages", data: Buffer.concat([frame(Buffer.from("a")), frame(Buffer.from("b"))]) },
    { what: "a part of a message", data: frame(Buffer.from("abc")).subarray(0, 6) },
  ])("$what", async ({ data }) => {
    const stream = openStream(await connect());
    stream.end(data);
    expect((await endOf(stream)).status).toBe("12");
  });
});

describe("a message that is compressed", () => {
  const compressed = (message: Buffer): Buffer => {
    const framed = frame(message);
    framed[0] = 1;
    return framed;
  };

  test("with gzip is read", async () => {
    const stream = (await connect()).request({ ...headers, "grpc-encoding": "gzip" });
    stream.end(compressed(gzipSync("hello")));
    expect(await endOf(stream)).toEqual({ data: frame(Buffer.from("hello")), status: "0" });
  });

  test("and becomes larger than a request may be is refused", async () => {
    const { port } = await serveLoopback({ maxRecvMessageBytes: 1024 * 1024 });
    const session = await connectHttp2(`http://localhost:${port}`);
    const stream = session.request({ ...headers, "grpc-encoding": "gzip" });
    stream.end(compressed(gzipSync(Buffer.alloc(2 * 1024 * 1024))));
    expect((await endOf(stream)).status).toBe("8");
  });
});

test("a client that sends too much is told before it has sent all, and the connection goes on", async () => {
  const session = await connect();
  const large = openStream(session);
  large.write(frame(Buffer.alloc(5 * 1024 * 1024)).subarray(0, 1000));
  const [refusal] = await once(large, "response");
  expect(refusal).toMatchObject({ "grpc-status": "8" });

  const next = openStream(session);
  next.end(frame(Buffer.from("hello")));
  expect(await endOf(next)).toEqual({ data: frame(Buffer.from("hello")), status: "0" });
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
