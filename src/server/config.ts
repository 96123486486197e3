import type { TcpAddress } from "./address.ts";

/** The clients that may call: all, or those with a certificate from the CA in the directory. */
export type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

export interface Config {
  readonly address: TcpAddress;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  /** Per connection. */
  readonly maxConcurrentStreams: number;
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
  readonly metricsAddress: TcpAddress | "off";
  readonly shutdownGracePeriodMs: number;
}
