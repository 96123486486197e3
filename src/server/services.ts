import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";

/** Two versions of the same service; Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

/** The method of each service, as `/package.Service/Method`. */
export const runFunctionPaths: readonly string[] = serviceNames.map((name) => `/${name}/RunFunction`);

/** A method whose messages stay bytes: `wire/` decodes them, as far as they are read. */
type ByteMethod = MethodDefinition<Buffer, Uint8Array>;

/** Converts without copying: grpc-js uses a method that only Buffers have. */
const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The definition of each service.
 *
 * Written by hand and not loaded from proto/, because loading protobufjs takes as long as the rest of the start. A test compares
 * it with what @grpc/proto-loader reads from the .proto files.
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
