import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import { type MethodDefinition, type Server, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { packageRoot } from "../package.ts";
import { readMessages } from "../wire/message.ts";
import { bytesTag } from "../wire/scan.ts";
import { byteMethod } from "./services.ts";
import type { Streams } from "./streams.ts";

/** FileDescriptorSet.file */
const FILE = bytesTag(1);

/** Clients ask for one or the other; what they say is the same. */
const versions = ["v1", "v1alpha"] as const;

const pathOf = (version: string): string => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;

/**
 * Tells clients such as grpcurl what is served: the protocol and the health service. Reflection itself is not listed.
 *
 * Few clients ask, and what answers them takes long to load: that is done for the first one.
 */
export function addReflection(server: Server, streams: Streams): void {
  let loading: Promise<ReadonlyMap<string, Reflection>> | undefined;
  for (const path of versions.map(pathOf)) {
    const service = { ServerReflectionInfo: byteMethod(path, { requestStream: true, responseStream: true }) };
    server.addService(service, {
      ServerReflectionInfo: (call: ByteStream) => {
        streams.add(call);
        loading ??= load();
        loading
          .then((reflections) => answer(call, reflections.get(path)))
          .catch((error: unknown) => call.emit("error", { code: status.INTERNAL, details: String(error) }));
      },
    });
  }
}

type ByteStream = ServerDuplexStream<Buffer, Uint8Array>;

/** One version of the service: its messages, and what answers them. */
interface Reflection {
  readonly method: MethodDefinition<unknown, unknown>;
  readonly handle: (call: EventEmitter) => void;
}

/**
 * By path, what @grpc/reflection would add to a server.
 *
 * The descriptors are buf's (`npm run generate`). Those that proto-loader makes lack their imports
 * (https://github.com/grpc/grpc-node/issues/2595) and name maps in a way that other protobuf libraries refuse.
 */
async function load(): Promise<ReadonlyMap<string, Reflection>> {
  const { ReflectionService } = await import("@grpc/reflection");
  const bytes = readFileSync(new URL("proto/descriptors.binpb", packageRoot));
  const files = readMessages({ bytes, start: 0, end: bytes.length }, FILE);
  const fileDescriptorProtos = files.map(({ start, end }) => bytes.subarray(start, end));
  // The service reads all files of all definitions, so one definition may hold them, whatever it says that it is.
  const reflection = new ReflectionService({
    "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos },
  });
  const found = new Map<string, Reflection>();
  reflection.addToServer({
    addService: (service, handlers) => {
      for (const [name, method] of Object.entries(service)) {
        found.set(method.path, { method, handle: handlers[name] as unknown as Reflection["handle"] });
      }
    },
  });
  return found;
}

/** Between the bytes of a call and a handler of messages, which listens to `data` and `end`, and calls `write` and `end`. */
function answer(call: ByteStream, reflection: Reflection | undefined): void {
  if (reflection === undefined) throw new Error("@grpc/reflection has other services");
  const { method, handle } = reflection;
  const messages = Object.assign(new EventEmitter(), {
    write: (message: unknown) => call.write(method.responseSerialize(message)),
    end: () => call.end(),
  });
  handle(messages);
  call.on("end", () => messages.emit("end"));
  call.on("data", (bytes: Buffer) => {
    try {
      messages.emit("data", method.requestDeserialize(bytes));
    } catch (error) {
      call.emit("error", { code: status.INVALID_ARGUMENT, details: String(error) });
    }
  });
}
