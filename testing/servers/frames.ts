/** RunFunction's path. */
export const V1 = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction";

/** Frames a message as gRPC does: not compressed, its length, itself. */
export function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}
