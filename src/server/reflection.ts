import type { Call } from "../grpc/call.ts";
import type { Methods, Receiver } from "../grpc/method.ts";

/** Clients ask for one or the other; what they say is the same. */
const versions = ["v1", "v1alpha"] as const;

/**
 * Tells clients such as grpcurl what is served: the protocol and the health service. Reflection itself is not listed.
 *
 * Few clients ask, and what answers them takes long to load: that is done for the first one.
 */
export function reflection(): Methods {
  const open = (call: Call): Receiver => {
    const answering = import("./reflection-service.ts").then(({ answer }) => answer(call));
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
