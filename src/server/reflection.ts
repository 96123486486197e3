import { readFileSync } from "node:fs";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { packageRoot } from "../package.ts";
import { readMessages } from "../wire/message.ts";
import { bytesTag } from "../wire/scan.ts";

/** FileDescriptorSet.file */
const FILE = bytesTag(1);

/**
 * Tells clients such as grpcurl what is served: the protocol and the health service. Reflection itself is not listed.
 *
 * The descriptors are buf's (`npm run generate`). Those that proto-loader makes lack their imports
 * (https://github.com/grpc/grpc-node/issues/2595) and name maps in a way that other protobuf libraries refuse.
 */
export function addReflection(server: Server): void {
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files = readMessages({ bytes, start: 0, end: bytes.length }, FILE);
  const fileDescriptorProtos = files.map(({ start, end }) => bytes.subarray(start, end));
  // The service reads all files of all definitions, so one definition may hold them, whatever it says that it is.
  new ReflectionService({
    "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos },
  }).addToServer(server);
}
