import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  callAndReset,
  dataFrame,
  frame,
  openCall,
  partOfMessage,
  pingFrame,
  preface,
  settingsFrame,
  unknownFrames,
  V1,
} from "../../testing/servers/frames.ts";

// `attack.ts NAME HOST:PORT`: attacks a server in one way, again and again, until it is killed.

const [, , name = "", address = ""] = process.argv;
const [host = "", port = ""] = address.split(":");

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const streams = (count: number, make: (stream: number) => Buffer): Buffer =>
  Buffer.concat(times(count, (index) => make(2 * index + 1)));

/** Connections that send these bytes after HTTP/2's preface, and stay open for a moment. */
async function send(connections: number, bytes: Buffer, openMs: number): Promise<void> {
  const sockets = times(connections, () => connect(Number(port), host));
  await Promise.all(sockets.map((socket) => write(socket, Buffer.concat([preface(), bytes]))));
  await sleep(openMs);
  for (const socket of sockets) socket.destroy();
}

/** Resolves when all is sent, or the server has closed the connection, or reads no more. */
const write = (socket: Socket, bytes: Buffer): Promise<unknown> => {
  socket.resume().on("error", () => {});
  const isOver = new Promise((resolve) => {
    socket.write(bytes, resolve);
    socket.once("close", resolve);
  });
  return Promise.race([isOver, sleep(2000)]);
};

const headers: IncomingHttpHeaders = { ":method": "POST", ":path": V1, "content-type": "application/grpc" };

/** Calls over connections of node:http2, of which a hundred at a time are open. */
async function callOver(
  connections: number,
  { message, window, openMs }: { message: Buffer; window: number; openMs: number },
): Promise<void> {
  const sessions = times(connections, () =>
    connectHttp2(`http://${address}`, { settings: { initialWindowSize: window } }),
  );
  for (const session of sessions) {
    session.on("error", () => {});
    for (let n = 0; n < 100; n++) {
      const stream = session.request(headers).on("error", () => {});
      if (window > 0) stream.resume();
      stream.end(frame(message));
    }
  }
  await sleep(openMs);
  for (const session of sessions) session.destroy();
}

const HALF = 500_000;
const garbage = Buffer.from(times(10_000, (index) => (index * 7919) % 251));

const attacks: Readonly<Record<string, () => Promise<void>>> = {
  nothing: () => sleep(1000),
  announced: () =>
    send(
      100,
      streams(100, (stream) => openCall(stream, 64)),
      500,
    ),
  "beyond the limit of streams": () =>
    send(
      1,
      streams(10_000, (stream) => openCall(stream, 64)),
      100,
    ),
  "rapid reset": () =>
    send(
      2,
      streams(10_000, (stream) => callAndReset(stream)),
      100,
    ),
  "half-sent": () =>
    send(
      20,
      streams(16, (stream) => Buffer.concat([openCall(stream, 4), partOfMessage(stream, HALF)])),
      500,
    ),
  unread: () => callOver(5, { message: Buffer.alloc(400_000), window: 0, openMs: 1000 }),
  pings: () => send(4, Buffer.concat(times(10_000, pingFrame)), 50),
  settings: () => send(4, Buffer.concat(times(5000, settingsFrame)), 50),
  "empty data": () => send(4, Buffer.concat([openCall(1), ...times(20_000, () => dataFrame(1, Buffer.alloc(0)))]), 50),
  "unknown frames": () => send(4, unknownFrames(4_000_000), 50),
  "no HTTP/2": () => send(50, garbage, 10),
  connections: () => send(200, Buffer.alloc(0), 10),
  calls: () => callOver(10, { message: Buffer.alloc(0), window: 65_535, openMs: 200 }),
};

const attack = attacks[name];
if (attack === undefined) throw new Error(`cannot attack: there is no attack ${name}`);
for (;;) await attack();
