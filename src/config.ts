import type { FlagName } from "./config/flags.ts";
import { type Environment, type FlagTexts, readFlags, textOf } from "./config/read-flags.ts";
import { type Address, networks, toAddress, toBytes, toMilliseconds, toNetwork } from "./config/values.ts";
import { FunctionError } from "./errors.ts";

/** Who may call: anyone, or who has a certificate of the CA in that directory. */
type Transport = { readonly is: "insecure" } | { readonly is: "mtls"; readonly certsDir: string };

/** All that the server is told when it starts. */
export interface Config {
  readonly address: Address;
  readonly transport: Transport;
  readonly debug: boolean;
  readonly maxRecvMessageBytes: number;
  readonly metricsAddress: Address | "off";
  readonly shutdownGracePeriodMs: number;
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
  const take = <T>(name: FlagName, toValue: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = textOf(texts, name);
    const value = toValue(text);
    if (value === undefined) faults.push(`--${name}: ${expected}; found ${JSON.stringify(text)}`);
    return value;
  };

  const network = take("network", toNetwork, `one of ${networks.join(", ")}`) ?? "tcp";
  const address = take("address", (text) => toAddress(text, network), addressOf(network));
  const metricsAddress = take("metrics-address", toMetricsAddress, `${addressOf("tcp")}, or empty`);
  const maxRecvMessageBytes = take("max-recv-message-size", toBytes, "a whole number of MB from 1 to 2047");
  const shutdownGracePeriodMs = take("shutdown-grace-period", toMilliseconds, "a duration such as 25s, 1m30s or 500ms");
  const transport = toTransport(texts);
  if (transport === undefined) faults.push(NO_CERTIFICATES);

  const isWhole = address && metricsAddress && maxRecvMessageBytes && transport && shutdownGracePeriodMs !== undefined;
  if (!isWhole || faults.length > 0) {
    throw new FunctionError("InvalidFlags", ["cannot use the command line:", ...faults].join("\n  "));
  }
  const debug = textOf(texts, "debug") === "true";
  return { address, transport, debug, maxRecvMessageBytes, metricsAddress, shutdownGracePeriodMs };
}

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
