import type { Address } from "./address.ts";

/** The clients that may call: all, or those with a certificate from the CA in the directory. */
export type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

/** Limits on clients, so that no client can block the others. */
export interface Limits {
  /** Per connection. */
  readonly maxConcurrentStreams: number;
  /** For all connections together. */
  readonly maxRequestBytesInMemory: number;
  readonly maxHeaderBytes: number;
  readonly callTimeoutMs: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** 0: no limit. */
  readonly maxConnectionIdleMs: number;
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
}

/** The server's configuration. */
export interface Config {
  readonly address: Address;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  readonly metricsAddress: Address | "off";
  readonly shutdownGracePeriodMs: number;
  readonly limits: Limits;
}
