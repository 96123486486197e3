import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { FunctionError } from "../errors.ts";
import { addressToText, type TcpAddress } from "./address.ts";

/** Makes an HTTP server listen. @returns the port. @throws {FunctionError} `CannotServe` for an address that cannot be bound. */
export async function listen(server: Server, address: TcpAddress, purpose: string): Promise<number> {
  try {
    server.listen({ ...address });
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `cannot listen for ${purpose} at ${addressToText(address)}: ${reason}`;
    throw new FunctionError("CannotServe", message, { cause });
  }
}
