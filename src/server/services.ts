import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";

/** The same service twice: Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

/** The method of each, as `/package.Service/Method`. */
export const runFunctionPaths: readonly string[] = serviceNames.map((name) => `/${name}/RunFunction`);

/** A method whose messages stay bytes: `wire/` decodes them, and reads only what somebody asks for. */
type ByteMethod = MethodDefinition<Buffer, Uint8Array>;

/** The same bytes: grpc-js copies with a method that only Buffers have. */
const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The service of each version.
 *
 * Written down here and not loaded from proto/, because the protobuf library that loads them takes as long to
 * start as everything else together. A test holds them against what @grpc/proto-loader makes of the .proto files.
 */
export const functionRunners: readonly ServiceDefinition<{ RunFunction: ByteMethod }>[] = runFunctionPaths.map(
  (path) => ({
    RunFunction: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: toBuffer,
      responseDeserialize: (bytes) => bytes,
    },
  }),
);
