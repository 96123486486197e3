import type { Address } from "./address.ts";

/** The clients that may call: all, or those with a certificate of the CA in that directory. */
export type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

/** Limits on clients, so that none of them stops the others. */
export interface Limits {
  /** In each connection. */
  readonly maxConcurrentStreams: number;
  /** Of all connections together. */
  readonly maxRequestBytesInMemory: number;
  readonly maxHeaderBytes: number;
  readonly callTimeoutMs: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** 0: any time. */
  readonly maxConnectionIdleMs: number;
  /** 0: any time. */
  readonly maxConnectionAgeMs: number;
}

/** Everything that the server is told when it starts. */
export interface Config {
  readonly address: Address;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  readonly metricsAddress: Address | "off";
  readonly shutdownGracePeriodMs: number;
  readonly limits: Limits;
}
