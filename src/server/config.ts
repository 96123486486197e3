export interface TcpAddress {
  /** Default: all addresses of the machine, IPv6 and IPv4. */
  readonly host?: string;
  readonly port: number;
}

export interface Config {
  readonly address: TcpAddress;
  /** The clients that may call: all, or those with a certificate of the CA in the directory. */
  readonly transport: { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  /** Per connection. */
  readonly maxConcurrentStreams: number;
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
  readonly metricsAddress: TcpAddress | "off";
  readonly shutdownGracePeriodMs: number;
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
