import { EventEmitter } from "node:events";
import type { Http2Server } from "node:http2";
import { expect, test } from "vitest";
import { trackSessions } from "../../src/server/transport/drain.ts";

/** A connection whose client answers pings; what is done to it is noted. */
function sessionOf(noted: string[]) {
  return Object.assign(new EventEmitter(), {
    closed: false,
    destroyed: false,
    goaway: (code: number, last: number) => void noted.push(`goaway ${code} ${last}`),
    ping: (answered: () => void) => void setImmediate(answered),
    close: () => void noted.push("close"),
  });
}

const GOAWAY = "goaway 0 2147483647";

test("clients are asked to leave once no call has begun for 100 ms", async () => {
  const noted: string[] = [];
  const http2 = new EventEmitter();
  const { askToLeave } = trackSessions(http2 as Http2Server);
  let lastCall = 0;
  let pause = 0;
  const goaway = () => {
    pause = performance.now() - lastCall;
    clearInterval(calling);
  };
  http2.emit("session", { ...sessionOf(noted), goaway, once: () => {} });
  // A busy machine may pause for so long before all of them have begun.
  const calling = setInterval(() => {
    http2.emit("stream");
    lastCall = performance.now();
    if (noted.push("call") === 20) clearInterval(calling);
  }, 10);
  await askToLeave();
  expect(noted.length).toBeGreaterThan(0);
  expect(pause).toBeGreaterThan(99);
});

test("a client that connects later is asked at once, and its connection closed", async () => {
  const noted: string[] = [];
  const http2 = new EventEmitter();
  const { askToLeave } = trackSessions(http2 as Http2Server);
  await askToLeave();
  http2.emit("session", sessionOf(noted));
  await expect.poll(() => noted).toEqual([GOAWAY, "close"]);
});

test("closing waits for every connection", async () => {
  const noted: string[] = [];
  const http2 = new EventEmitter();
  const { close } = trackSessions(http2 as Http2Server);
  const sessions = [sessionOf(noted), sessionOf(noted)];
  for (const session of sessions) http2.emit("session", session);
  let isClosed = false;
  const closed = close().then(() => (isClosed = true));
  for (const session of sessions) {
    await new Promise((resolve) => setImmediate(resolve));
    expect([noted, isClosed]).toEqual([["close", "close"], false]);
    session.emit("close");
  }
  await closed;
});
