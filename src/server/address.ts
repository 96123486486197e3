/** An address to listen at, in the form that node:net takes. */
export type Address = TcpAddress | { readonly path: string };

export interface TcpAddress {
  /** Default: every address of the machine, IPv6 and IPv4. */
  readonly host?: string;
  readonly port: number;
  /** If false, an IPv6 wildcard accepts IPv4 connections as well. */
  readonly ipv6Only?: boolean;
}

/** Formats an address for messages, in Go's notation: `:9443`, `[::1]:9443`, or a path. */
export function addressToText(address: Address): string {
  if ("path" in address) return address.path;
  const { host = "", port } = address;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
