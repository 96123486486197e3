import type { ClientHttp2Session } from "node:http2";
import { describe, expect, test } from "vitest";
import { frame, V1 } from "../../testing/servers/frames.ts";
import { connectHttp2, endOf, roundTrip } from "../../testing/servers/http2.ts";
import { echo, serveLoopback } from "../../testing/servers/loopback.ts";

const open = (session: ClientHttp2Session, headers: Readonly<Record<string, string>> = {}) =>
  session.request({
    ":method": "POST",
    ":path": V1,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });

describe("calls that wait in the queue while another one is computed", () => {
  test("are not computed once their deadline has passed", async () => {
    const computed: string[] = [];
    const runFunction = (bytes: Uint8Array) => {
      computed.push(String(bytes));
      for (const end = Date.now() + 80; Date.now() < end; ); // blocks the only thread, as a large request does
      return echo(bytes);
    };
    const { port } = await serveLoopback({}, { runFunction });
    const session = await connectHttp2(`http://localhost:${port}`);
    const [first, second] = [open(session), open(session, { "grpc-timeout": "40m" })]; // m: milliseconds
    const ends = [endOf(first), endOf(second)];
    await roundTrip(session);

    first.end(frame(Buffer.from("first")));
    second.end(frame(Buffer.from("second"))); // in the same packet: no timer runs between the two
    const [answer, refusal] = await Promise.all(ends);
    expect([answer?.status, refusal?.status]).toEqual(["0", "4"]); // OK, DEADLINE_EXCEEDED
    expect(computed).toEqual(["first"]);
  });
});
