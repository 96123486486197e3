import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { frame } from "./http2.ts";
import { V1 } from "./loopback.ts";

/** HTTP/2 frames in bytes, for what no client library lets one send. */

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const END_STREAM = 1;
const END_HEADERS = 4;
const CANCEL = 8;

/** A frame: its length, type, flags and stream, then its payload. */
export function http2Frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The headers of a call, none of them compressed. */
const headerBlock = (path: string, contentType: string): Buffer =>
  Buffer.concat(
    [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", path],
      [":authority", "localhost"],
      ["content-type", contentType],
    ].map(([name = "", value = ""]) => Buffer.from(`\0${toText(name)}${toText(value)}`, "latin1")),
  );

const toText = (text: string): string => String.fromCharCode(text.length) + text;

/** A whole call, and at once that nobody waits for it: "rapid reset". */
export const callAndReset = (stream: number, path = V1, contentType = "application/grpc"): Buffer =>
  Buffer.concat([
    http2Frame(HEADERS, END_HEADERS, stream, headerBlock(path, contentType)),
    http2Frame(DATA, END_STREAM, stream, frame(Buffer.from("hello"))),
    http2Frame(RST_STREAM, 0, stream, Buffer.from([0, 0, 0, CANCEL])),
  ]);

/** A connection that has said that it speaks HTTP/2, and obeys nothing. It lasts until the test ends. */
export async function connectRaw(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").resume();
  socket.on("error", () => {}); // being cut off is a thing that tests want to see
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.write(Buffer.concat([Buffer.from(PREFACE), http2Frame(SETTINGS, 0, 0, Buffer.alloc(0))]));
  return socket;
}
