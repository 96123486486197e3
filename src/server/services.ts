import type { MethodDefinition } from "@grpc/grpc-js";

/** The same service twice: Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

/** A method whose messages stay bytes. */
export type ByteMethod = MethodDefinition<Buffer, Uint8Array>;

type Streams = Pick<ByteMethod, "requestStream" | "responseStream">;

/**
 * A method that grpc-js hands bytes to and takes bytes from: `wire/` decodes them, and reads only what somebody asks for.
 *
 * The services are written down here and not loaded from proto/, because the protobuf library that loads them takes as long to start
 * as everything else together. A test holds them against what @grpc/proto-loader makes of the .proto files.
 *
 * @param path `/package.Service/Method`
 */
export const byteMethod = (path: string, streams: Partial<Streams> = {}): ByteMethod => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes) => bytes,
  requestDeserialize: (bytes) => bytes,
  responseSerialize: toBuffer,
  responseDeserialize: (bytes) => bytes,
  ...streams,
});

/** The service of one version of the protocol. */
export const functionRunner = (name: string) => ({ RunFunction: byteMethod(`/${name}/RunFunction`) });

/** The same bytes: grpc-js copies with a method that only Buffers have. */
const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
