import { once } from "node:events";
import type { ClientHttp2Stream } from "node:http2";
import { describe, expect, test } from "vitest";
import { connectHttp2, endOf, frame, openStream, roundTrip } from "../../testing/servers/http2.ts";
import { serveLoopback, V1 } from "../../testing/servers/loopback.ts";

/** What gRPC's own clients do not send. */

const connect = async () => {
  const { port } = await serveLoopback();
  return connectHttp2(`http://localhost:${port}`);
};

const headers = { ":method": "POST", ":path": V1, "content-type": "application/grpc", te: "trailers" };

/** The headers and the trailers of an answer. */
async function headersOf(stream: ClientHttp2Stream): Promise<Readonly<Record<string, unknown>>> {
  const [response] = (await once(stream, "response")) as [Record<string, unknown>];
  stream.resume();
  await once(stream, "close");
  return response;
}

describe("what is not gRPC is refused as HTTP has it", () => {
  test.each([
    { what: "another method", change: { ":method": "GET" } },
    { what: "another content", change: { "content-type": "application/json" } },
    { what: "no content type", change: { "content-type": undefined } },
  ])("$what", async ({ change }) => {
    const session = await connect();
    const answered = await headersOf(session.request({ ...headers, ...change }, { endStream: true }));
    expect(answered).toMatchObject({ ":status": 415 });
    expect(answered).not.toHaveProperty("grpc-status");
  });
});

describe("what a call of one message may not be", () => {
  test.each([
    { what: "no message", data: Buffer.alloc(0), message: "the call has no message" },
    {
      what: "two messages",
      data: Buffer.concat([frame(Buffer.from("a")), frame(Buffer.from("b"))]),
      message: "the call has more than one message",
    },
    { what: "a part of a message", data: frame(Buffer.from("abc")).subarray(0, 6), message: "a message is cut off" },
  ])("$what", async ({ data, message }) => {
    const stream = openStream(await connect());
    stream.end(data);
    expect(await headersOf(stream)).toMatchObject({ "grpc-status": "13", "grpc-message": message });
  });

  test("a call with a timeout that is none", async () => {
    const stream = (await connect()).request({ ...headers, "grpc-timeout": "soon" });
    stream.end(frame(Buffer.alloc(0)));
    expect(await headersOf(stream)).toMatchObject({
      "grpc-status": "13",
      "grpc-message": "malformed grpc-timeout: soon",
    });
  });
});

test("who sends too much is told before it has sent all, and the connection goes on", async () => {
  const session = await connect();
  const large = openStream(session);
  large.write(frame(Buffer.alloc(5 * 1024 * 1024)).subarray(0, 1000));
  expect(await headersOf(large)).toMatchObject({ "grpc-status": "8" });

  const next = openStream(session);
  next.end(frame(Buffer.from("hello")));
  expect(await endOf(next)).toEqual({ data: frame(Buffer.from("hello")), status: "0" });
});

test("a client that goes away in the middle of many calls takes nothing else with it", async () => {
  const { port } = await serveLoopback();
  const leaving = await connectHttp2(`http://localhost:${port}`);
  const streams = Array.from({ length: 50 }, () => openStream(leaving).on("error", () => {}));
  for (const stream of streams) stream.write(frame(Buffer.alloc(1000)).subarray(0, 700));
  await roundTrip(leaving);
  leaving.destroy();

  const stream = openStream(await connectHttp2(`http://localhost:${port}`));
  stream.end(frame(Buffer.from("still there")));
  expect(await endOf(stream)).toEqual({ data: frame(Buffer.from("still there")), status: "0" });
});
