import { readFileSync } from "node:fs";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation, type ServingStatus } from "grpc-health-check";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { packageRoot } from "../package.ts";
import { serviceNames } from "./services.ts";

/**
 * Adds two services. grpc.health.v1 reports the health of each service, and under the empty name that of the server. Reflection
 * lists all services and messages for clients such as grpcurl.
 *
 * @returns a function that changes the health, which is SERVING at first.
 */
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
 * Reads the descriptors of the protocol and of the health service, which buf writes (`npm run generate`). Those that proto-loader makes
 * lack their imports (https://github.com/grpc/grpc-node/issues/2595), and other protobuf libraries refuse the names of their map entries.
 */
function readDescriptors(): ConstructorParameters<typeof ReflectionService>[0] {
  const { FileDescriptorSet, FileDescriptorProto } = descriptor;
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files: readonly object[] = FileDescriptorSet.toObject(FileDescriptorSet.decode(bytes))["file"];
  const fileDescriptorProtos = files.map((file) => Buffer.from(FileDescriptorProto.encode(file).finish()));
  // ReflectionService reads the files of all definitions and ignores the rest, so one definition can hold all files.
  return { "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos } };
}
