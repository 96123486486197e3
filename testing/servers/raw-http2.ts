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

/** HTTP/2 has receivers ignore what they do not know. */
const UNKNOWN = 0x77;
/** What a frame may hold where nobody has said otherwise. */
const MAX_FRAME_BYTES = 16_384;

/** A frame: its length, type, flags and stream, then its payload. */
function http2Frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
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

/** A call that claims a message of 1 MB and sends none of it. */
export const openCall = (stream: number): Buffer =>
  Buffer.concat([
    http2Frame(HEADERS, END_HEADERS, stream, headerBlock(V1, "application/grpc")),
    dataFrame(stream, Buffer.from([0, 0, 0x10, 0, 0])),
  ]);

export const dataFrame = (stream: number, data: Buffer): Buffer => http2Frame(DATA, 0, stream, data);

/** As many bytes, in frames that mean nothing. */
export const unknownFrames = (bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / MAX_FRAME_BYTES) }, () =>
      http2Frame(UNKNOWN, 0, 0, Buffer.alloc(MAX_FRAME_BYTES)),
    ),
  );

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
