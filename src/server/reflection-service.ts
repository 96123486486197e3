import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type { MethodDefinition } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import type { Call } from "../grpc/call.ts";
import type { Receiver } from "../grpc/method.ts";
import { packageRoot } from "../package.ts";
import { readMessages } from "../wire/message.ts";
import { bytesTag } from "../wire/scan.ts";

/** FileDescriptorSet.file */
const FILE = bytesTag(1);

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
function load(): ReadonlyMap<string, Reflection> {
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

const reflections = load();

/**
 * Between a call's bytes and a handler of messages, which listens to `data` and `end`, and calls `write` and `end`.
 *
 * @throws {Error} where @grpc/reflection has another service.
 */
export function answer(call: Call): Receiver {
  const reflection = reflections.get(call.path);
  if (reflection === undefined) throw new Error(`cannot answer ${call.path}: @grpc/reflection does not know it`);
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
