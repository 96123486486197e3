import { readFileSync } from "node:fs";
import type { MethodDefinition, Server, ServiceDefinition } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation, type ServingStatus } from "grpc-health-check";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { packageRoot } from "../package.ts";

/** The two versions of the service. Crossplane up to v1.16 knows v1beta1 only. */
export const serviceNames = [
  "apiextensions.fn.proto.v1.FunctionRunnerService",
  "apiextensions.fn.proto.v1beta1.FunctionRunnerService",
] as const;

export const runFunctionPaths: readonly string[] = serviceNames.map((name) => `/${name}/RunFunction`);

/**
 * The definition of each service. Messages stay bytes, which `wire/` decodes. Written by hand, since loading proto/ with
 * protobufjs takes as long as the rest of the start. A test compares it with what @grpc/proto-loader loads.
 */
export const functionRunners: readonly ServiceDefinition<{ RunFunction: MethodDefinition<Buffer, Buffer> }>[] =
  runFunctionPaths.map((path) => ({
    RunFunction: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => bytes,
      responseSerialize: (bytes) => bytes,
      responseDeserialize: (bytes) => bytes,
    },
  }));

/** Adds reflection, and grpc.health.v1 for each service and the server, named "". @returns a function that changes the health. */
export function addHealthAndReflection(server: Server): (health: ServingStatus) => void {
  const names = ["", ...serviceNames];
  const implementation = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING"])));
  implementation.addToServer(server);
  new ReflectionService(readDescriptors()).addToServer(server);
  return (health) => {
    for (const name of names) implementation.setStatus(name, health);
  };
}

/**
 * Reads the descriptors of the protocol and of the health service, which buf writes (`npm run generate`). Descriptors of
 * proto-loader lack their imports (https://github.com/grpc/grpc-node/issues/2595).
 */
function readDescriptors(): ConstructorParameters<typeof ReflectionService>[0] {
  const { FileDescriptorSet, FileDescriptorProto } = descriptor;
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files: readonly object[] = FileDescriptorSet.toObject(FileDescriptorSet.decode(bytes))["file"];
  const fileDescriptorProtos = files.map((file) => Buffer.from(FileDescriptorProto.encode(file).finish()));
  // ReflectionService reads the files of all definitions and ignores the rest, so one definition can hold all files.
  return { "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos } };
}
