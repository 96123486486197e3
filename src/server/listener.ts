import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { FunctionError } from "../errors.ts";
import { type Address, addressToText } from "./address.ts";

/** A bound server (node:net's or node:http's) and its connections. */
export interface Listener {
  /** The address that it listens at, for the log: `[::]:9443`, or a path. */
  readonly address: string;
  /** The port, also where 0 asked for a free one; 0 for a path. */
  readonly port: number;
  /** Takes no more connections. */
  close(): void;
  /** Takes no more, and ends those that are open, as they are. */
  destroy(): void;
}

/**
 * Binds.
 *
 * @param purpose for messages: "gRPC", "metrics".
 * @param onError is told of what goes wrong later, e.g. when there are too many open files to take a connection.
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
  return { ...placeOf(server.address()), close: () => server.close(), destroy };
}

function placeOf(bound: AddressInfo | string | null): Pick<Listener, "address" | "port"> {
  if (bound === null || typeof bound === "string") return { address: bound ?? "", port: 0 };
  return { address: addressToText({ host: bound.address, port: bound.port }), port: bound.port };
}
