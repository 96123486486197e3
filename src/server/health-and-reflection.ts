import { readFileSync } from "node:fs";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation, type ServingStatus } from "grpc-health-check";
import { FileDescriptorProto, FileDescriptorSet } from "protobufjs/ext/descriptor/index.js";
import { packageRoot } from "../package.ts";
import { serviceNames } from "./services.ts";

export type { ServingStatus };

/**
 * Adds what few clients ask for: grpc.health.v1 for the server as a whole, whose name is empty, and for each service; and
 * reflection, which tells clients such as grpcurl what is served.
 *
 * @returns how to tell that the health is another.
 */
export function addSideServices(server: Server, health: ServingStatus): (health: ServingStatus) => void {
  const names = ["", ...serviceNames];
  const implementation = new HealthImplementation(Object.fromEntries(names.map((name) => [name, health])));
  implementation.addToServer(server);
  new ReflectionService(readDescriptors()).addToServer(server);
  return (changed) => {
    for (const name of names) implementation.setStatus(name, changed);
  };
}

/**
 * The descriptors of the protocol and of the health service are buf's (`npm run generate`). Those that proto-loader makes lack their imports
 * (https://github.com/grpc/grpc-node/issues/2595) and name maps in a way that other protobuf libraries refuse.
 */
function readDescriptors(): ConstructorParameters<typeof ReflectionService>[0] {
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files: readonly object[] = FileDescriptorSet.toObject(FileDescriptorSet.decode(bytes))["file"];
  const fileDescriptorProtos = files.map((file) => Buffer.from(FileDescriptorProto.encode(file).finish()));
  // The service reads all files of all definitions, so one definition may hold them, whatever it says that it is.
  return { "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos } };
}
