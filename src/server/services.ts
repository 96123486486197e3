import { fileURLToPath } from "node:url";
import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";
import { FunctionError } from "../errors.ts";
import { packageRoot } from "../package.ts";

/** The same service twice: Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

/** RunFunction as bytes to bytes. */
type RunFunctionMethod = MethodDefinition<Buffer, Uint8Array>;

/** What proto/ says. Reflection does not answer from it, but from descriptors made beforehand. */
export function loadProtocol(): PackageDefinition {
  return loadSync(["v1/run_function.proto", "v1beta1/run_function.proto"], {
    keepCase: true,
    includeDirs: [fileURLToPath(new URL("proto/", packageRoot))],
  });
}

/**
 * The service as proto/ defines it, except that messages stay bytes: what decodes them is `wire/`, which reads only what
 * somebody asks for.
 *
 * @throws {FunctionError} `CannotServe` when proto/ has no such service.
 */
export function toByteService(protocol: PackageDefinition, name: string): ServiceDefinition {
  const service = protocol[name];
  const method = service !== undefined && "RunFunction" in service ? service["RunFunction"] : undefined;
  if (typeof method !== "object" || !("path" in method)) {
    throw new FunctionError("CannotServe", `cannot serve ${name}: proto/ does not define its method RunFunction`);
  }
  const runFunction: RunFunctionMethod = {
    path: method.path,
    requestStream: false,
    responseStream: false,
    requestSerialize: toBuffer,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: toBuffer,
    responseDeserialize: (bytes) => bytes,
  };
  return { RunFunction: runFunction };
}

/** The same bytes: grpc-js copies with a method that only Buffers have. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
