import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { MethodDefinition } from "@grpc/grpc-js";
import type { Call } from "../grpc/call.ts";
import type { Methods, Receiver } from "../grpc/method.ts";
import { packageRoot } from "../package.ts";
import { readMessages } from "../wire/message.ts";
import { bytesTag } from "../wire/scan.ts";

/** FileDescriptorSet.file */
const FILE = bytesTag(1);

/** Clients ask for one or the other; what they say is the same. */
const versions = ["v1", "v1alpha"] as const;

/**
 * Tells clients such as grpcurl what is served: the protocol and the health service. Reflection itself is not listed.
 *
 * Few clients ask, and what answers them takes long to load: that is done for the first one.
 */
export function reflection(): Methods {
  let loading: Promise<ReadonlyMap<string, Reflection>> | undefined;
  const open = (call: Call): Receiver => {
    loading ??= load();
    const answering = loading.then((reflections) => answerWith(reflections.get(call.path), call));
    const pass = (give: (receiver: Receiver) => void): void => {
      answering.then(give).catch((error: unknown) => call.end({ code: "Internal", details: String(error) }));
    };
    return { message: (bytes) => pass(({ message }) => message(bytes)), end: () => pass(({ end }) => end()) };
  };
  const method = { requestStream: true, responseStream: true, open };
  return new Map(
    versions.map((version) => [`/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`, method]),
  );
}

/** One version of the service: its messages, and what answers them. */
interface Reflection {
  readonly method: MethodDefinition<unknown, unknown>;
  readonly handle: (call: EventEmitter) => void;
}

/**
 * By path, what @grpc/reflection would add to a server of @grpc/grpc-js.
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
  const service = new ReflectionService({
    "": { format: "Protocol Buffer 3 EnumDescriptorProto", type: {}, fileDescriptorProtos },
  });
  const found = new Map<string, Reflection>();
  service.addToServer({
    addService: (definition, handlers) => {
      for (const [name, method] of Object.entries(definition)) {
        found.set(method.path, { method, handle: handlers[name] as unknown as Reflection["handle"] });
      }
    },
  });
  return found;
}

/** Between a call's bytes and a handler of messages, which listens to `data` and `end`, and calls `write` and `end`. */
function answerWith(reflection: Reflection | undefined, call: Call): Receiver {
  if (reflection === undefined) throw new Error("@grpc/reflection has other services");
  const { method, handle } = reflection;
  const messages = Object.assign(new EventEmitter(), {
    write: (message: unknown) => call.send(method.responseSerialize(message)),
    end: () => call.end(),
  });
  handle(messages);
  return {
    message: (bytes) => {
      let message: unknown;
      try {
        message = method.requestDeserialize(bytes);
      } catch (error) {
        call.end({ code: "InvalidArgument", details: String(error) });
        return;
      }
      messages.emit("data", message);
    },
    end: () => messages.emit("end"),
  };
}
