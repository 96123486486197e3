import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { FunctionError } from "../errors.ts";
import { type Address, addressToText } from "./address.ts";

/** A listening server (node:net or node:http) and its connections. */
export interface Listener {
  /** The bound address, for the log: `[::]:9443`, or a path. */
  readonly address: string;
  /** The bound port, also if port 0 was configured; 0 for a path. */
  readonly port: number;
  /** Stops accepting connections. */
  close(): void;
  /** Stops accepting connections and cuts off those that are open. */
  destroy(): void;
}

/**
 * Binds the address.
 *
 * @param purpose for messages: "gRPC", "metrics".
 * @param onError receives later errors, such as too many open files to accept a connection.
 * @throws {FunctionError} `CannotServe`
 */
export async function listen(
  server: Server,
  address: Address,
  purpose: string,
  onError: (error: Error) => void,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  try {
    server.listen({ ...address });
    await once(server, "listening");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `cannot listen for ${purpose} at ${addressToText(address)}: ${reason}`;
    throw new FunctionError("CannotServe", message, { cause });
  }
  server.on("error", onError);

  const destroy = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { ...toPlace(server.address()), close: () => server.close(), destroy };
}

function toPlace(bound: AddressInfo | string | null): Pick<Listener, "address" | "port"> {
  if (bound === null || typeof bound === "string") return { address: bound ?? "", port: 0 };
  return { address: addressToText({ host: bound.address, port: bound.port }), port: bound.port };
}
