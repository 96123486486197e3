import type { FlagName } from "./config/flags.ts";
import { type Environment, type FlagTexts, readFlags, textOf } from "./config/read-flags.ts";
import {
  type Address,
  networks,
  toAddress,
  toBytes,
  toCount,
  toHeaderBytes,
  toMilliseconds,
  toNetwork,
  toPositiveMilliseconds,
} from "./config/values.ts";
import { FunctionError } from "./errors.ts";

/** Who may call: anyone, or who has a certificate of the CA in that directory. */
type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

/** What clients may ask of the server, so that none of them stops the others. */
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

/** All that the server is told when it starts. */
export interface Config {
  readonly address: Address;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  readonly metricsAddress: Address | "off";
  readonly shutdownGracePeriodMs: number;
  readonly limits: Limits;
}

export type CommandLine =
  | { readonly is: "help" }
  | { readonly is: "version" }
  | { readonly is: "serve"; readonly config: Config };

/**
 * Reads the command line (without node's path and the script's) and the environment.
 *
 * @throws {FunctionError} `InvalidFlags` with all faults, one a line.
 */
export function parseCommandLine(args: readonly string[], env: Environment): CommandLine {
  const { texts, faults } = readFlags(args, env);
  if (textOf(texts, "help") === "true") return { is: "help" };
  if (textOf(texts, "version") === "true") return { is: "version" };
  return { is: "serve", config: toConfig(texts, faults) };
}

function toConfig(texts: FlagTexts["texts"], flagFaults: readonly string[]): Config {
  const faults = [...flagFaults];
  const take: Take = (name, toValue, expected) => {
    const text = textOf(texts, name);
    const value = toValue(text);
    if (value === undefined) faults.push(`--${name}: ${expected}; found ${JSON.stringify(text)}`);
    return value;
  };

  const network = take("network", toNetwork, `one of ${networks.join(", ")}`) ?? "tcp";
  const address = take("address", (text) => toAddress(text, network), addressOf(network));
  const metricsAddress = take("metrics-address", toMetricsAddress, `${addressOf("tcp")}, or empty`);
  const maxRecvMessageBytes = take("max-recv-message-size", toBytes, "a whole number of MB from 1 to 2047");
  const shutdownGracePeriodMs = take("shutdown-grace-period", toMilliseconds, A_DURATION);
  const limits = toLimits(take);
  const transport = toTransport(texts);
  if (transport === undefined) faults.push(NO_CERTIFICATES);

  const isWhole = address && metricsAddress && maxRecvMessageBytes && transport && shutdownGracePeriodMs !== undefined;
  if (!isWhole || faults.length > 0) {
    throw new FunctionError("InvalidFlags", ["cannot use the command line:", ...faults].join("\n  "));
  }
  const debug = textOf(texts, "debug") === "true";
  return { address, transport, debug, maxRecvMessageBytes, metricsAddress, shutdownGracePeriodMs, limits };
}

/** Reads a flag's text; what is wrong with it is noted, and the value undefined. */
type Take = <T>(name: FlagName, toValue: (text: string) => T | undefined, expected: string) => T | undefined;

const A_DURATION = "a duration such as 25s, 1m30s or 500ms";
const MORE_THAN_NOTHING = "a duration such as 25s, 1m30s or 500ms, and not 0s";

/** A limit that cannot be read is a fault, so that what stands in for it is not used. */
const toLimits = (take: Take): Limits => ({
  maxConcurrentStreams: take("max-concurrent-streams", toCount, "a whole number from 1 to 1000000") ?? 0,
  maxRequestBytesInMemory: take("max-requests-in-memory", toBytes, "a whole number of MB from 1 to 2047") ?? 0,
  maxHeaderBytes: take("max-header-size", toHeaderBytes, "a whole number of KB from 1 to 1024") ?? 0,
  callTimeoutMs: take("call-timeout", toPositiveMilliseconds, MORE_THAN_NOTHING) ?? 0,
  keepaliveIntervalMs: take("keepalive-interval", toPositiveMilliseconds, MORE_THAN_NOTHING) ?? 0,
  keepaliveTimeoutMs: take("keepalive-timeout", toPositiveMilliseconds, MORE_THAN_NOTHING) ?? 0,
  maxConnectionIdleMs: take("max-connection-idle", toMilliseconds, A_DURATION) ?? 0,
  maxConnectionAgeMs: take("max-connection-age", toMilliseconds, A_DURATION) ?? 0,
});

const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

const addressOf = (network: string): string =>
  network === "unix" ? "a path" : "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";

const toMetricsAddress = (text: string): Address | "off" | undefined => (text === "" ? "off" : toAddress(text, "tcp"));

/** `--insecure` comes first: Crossplane sets TLS_SERVER_CERTS_DIR for every function, so the two are often there together. */
function toTransport(texts: FlagTexts["texts"]): Transport | undefined {
  if (textOf(texts, "insecure") === "true") return { is: "insecure" };
  const certsDir = textOf(texts, "tls-certs-dir");
  return certsDir === "" ? undefined : { is: "mtls", certsDir };
}
