/** A TCP address to listen at. */
export interface TcpAddress {
  /** Default: every address of the machine, IPv6 and IPv4. */
  readonly host?: string;
  readonly port: number;
}

/** Formats an address in Go's notation: `:9443`, `[::1]:9443`. */
export function addressToText({ host = "", port }: TcpAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
