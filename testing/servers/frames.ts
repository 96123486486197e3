/** HTTP/2 frames in bytes, for requests that no client library sends. Tests and the bench's attacks use them. */

/** RunFunction's path. */
export const V1 = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";

/** Frames a message as gRPC does: not compressed, its length, itself. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const END_STREAM = 1;
const END_HEADERS = 4;
const CANCEL = 8;

/** A frame type that HTTP/2 does not have; receivers ignore it. */
const UNKNOWN = 0x77;
/** HTTP/2's default limit of a frame. */
const MAX_FRAME_BYTES = 16_384;

/** Writes a frame: its length, type, flags and stream, then its payload. */
function toFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
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

/** A call that announces a message of a number of MB and sends none of it. */
export const openCall = (stream: number, megabytes = 1): Buffer =>
  Buffer.concat([
    toFrame(HEADERS, END_HEADERS, stream, headerBlock(V1, "application/grpc")),
    dataFrame(stream, Buffer.from([0, megabytes >> 4, (megabytes & 15) << 4, 0, 0])),
  ]);

export const dataFrame = (stream: number, data: Buffer): Buffer => toFrame(DATA, 0, stream, data);

/** A number of bytes in frames that have no meaning. */
export const unknownFrames = (bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / MAX_FRAME_BYTES) }, () =>
      toFrame(UNKNOWN, 0, 0, Buffer.alloc(MAX_FRAME_BYTES)),
    ),
  );

/** A whole call, reset at once ("rapid reset"). */
export const callAndReset = (stream: number, path = V1, contentType = "application/grpc"): Buffer =>
  Buffer.concat([
    toFrame(HEADERS, END_HEADERS, stream, headerBlock(path, contentType)),
    toFrame(DATA, END_STREAM, stream, frame(Buffer.from("hello"))),
    toFrame(RST_STREAM, 0, stream, Buffer.from([0, 0, 0, CANCEL])),
  ]);

/** A message's part on a stream that is open, in frames. */
export const partOfMessage = (stream: number, bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / MAX_FRAME_BYTES) }, () => dataFrame(stream, Buffer.alloc(MAX_FRAME_BYTES))),
  );

/** A ping, which the receiver has to answer. */
export const pingFrame = (): Buffer => toFrame(PING, 0, 0, Buffer.alloc(8));

/** Settings without a change, which the receiver has to acknowledge. */
export const settingsFrame = (): Buffer => toFrame(SETTINGS, 0, 0, Buffer.alloc(0));

/** The begin of a connection. */
export const preface = (): Buffer => Buffer.concat([Buffer.from(PREFACE), settingsFrame()]);
