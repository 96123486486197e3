/** An address to listen at, as node:net takes it. */
export type Address = TcpAddress | { readonly path: string };

export interface TcpAddress {
  /** Without one: every address of the machine, IPv6 and IPv4. */
  readonly host?: string;
  readonly port: number;
  /** False: an IPv6 wildcard takes IPv4 as well. */
  readonly ipv6Only?: boolean;
}

/** Writes an address for messages, as Go does: `:9443`, `[::1]:9443`, or a path. */
export function addressToText(address: Address): string {
  if ("path" in address) return address.path;
  const { host = "", port } = address;
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
