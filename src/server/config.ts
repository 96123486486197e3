import type { Address } from "./address.ts";

/** Who may call: anyone, or clients with a certificate of the CA in that directory. */
export type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

/** Everything that the server is told when it starts. */
export interface Config {
  readonly address: Address;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  readonly metricsAddress: Address | "off";
  readonly shutdownGracePeriodMs: number;
}
