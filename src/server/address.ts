import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { FunctionError } from "../errors.ts";

export interface TcpAddress {
  /** Default: every address of the machine, IPv6 and IPv4. */
  readonly host?: string;
  readonly port: number;
}

/** Formats an address in Go's notation: `:9443`, `[::1]:9443`. */
export function addressToText({ host = "", port }: TcpAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const HOST_AND_PORT = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/;

/** Parses an address in Go's notation; undefined for any other text. */
export function toAddress(text: string): TcpAddress | undefined {
  const { ipv6, name = "", port } = HOST_AND_PORT.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) return undefined;
  const host = ipv6 ?? name;
  return host === "" ? { port: Number(port) } : { host, port: Number(port) };
}

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
