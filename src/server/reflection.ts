import { readFileSync } from "node:fs";
import type { Server } from "@grpc/grpc-js";
import { loadSync, type PackageDefinition } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { protoPath as healthProtoPath } from "grpc-health-check";
import { packageRoot } from "../package.ts";
import { readMessages } from "../wire/message.ts";
import { bytesTag } from "../wire/scan.ts";

/** FileDescriptorSet.file */
const FILE = bytesTag(1);

/**
 * Tells clients such as grpcurl what is served: the protocol and the health service. Reflection itself is not listed.
 *
 * The protocol's descriptors are buf's (`npm run generate`). Those that proto-loader makes lack their imports
 * (https://github.com/grpc/grpc-node/issues/2595) and name maps in a way that other protobuf libraries refuse.
 */
export function addReflection(server: Server): void {
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files = readMessages({ bytes, start: 0, end: bytes.length }, FILE);
  const protocol: PackageDefinition = {
    "": {
      format: "Protocol Buffer 3 EnumDescriptorProto", // what it is called matters to nobody; reflection reads the files
      type: {},
      fileDescriptorProtos: files.map(({ start, end }) => bytes.subarray(start, end)),
    },
  };
  new ReflectionService({ ...protocol, ...loadSync(healthProtoPath) }).addToServer(server);
}
