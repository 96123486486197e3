import type { Config } from "../../src/server/config.ts";

/** Without TLS on a free port of this machine, no metrics. */
export const insecure: Config = {
  address: { host: "127.0.0.1", port: 0 },
  transport: { is: "insecure" },
  debug: false,
  maxRecvMessageBytes: 4 * 1024 * 1024,
  maxConcurrentStreams: 1000,
  maxConnectionAgeMs: 0,
  metricsAddress: "off",
  shutdownGracePeriodMs: 5000,
};
