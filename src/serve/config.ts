import type { Config, Limits, Transport } from "../server/config.ts";
import type { flags } from "./flags.ts";
import { type CommandLine, isFault } from "./old/command-line.ts";
import {
  networks,
  toAddress,
  toBytes,
  toCount,
  toHeaderBytes,
  toMilliseconds,
  toNetwork,
  toPositiveMilliseconds,
} from "./old/values.ts";

type FlagName = (typeof flags)[number]["name"];
type Line = CommandLine<FlagName>;

/** @throws {FunctionError} `InvalidFlags` with all faults, one per line. */
export function toConfig(line: Line): Config {
  line.expectNoMoreArguments();
  const given = line.value("network", toNetwork, `one of ${networks.join(", ")}`);
  const network = isFault(given) ? "tcp" : given;
  return line.finish({
    address: line.value("address", (text) => toAddress(text, network), describeAddress(network)),
    metricsAddress: line.value(
      "metrics-address",
      (text) => (text === "" ? "off" : toAddress(text, "tcp")),
      `${describeAddress("tcp")}, or empty`,
    ),
    maxRecvMessageBytes: line.value("max-recv-message-size", toBytes, "a whole number of MB from 1 to 2047"),
    shutdownGracePeriodMs: line.value("shutdown-grace-period", toMilliseconds, A_DURATION),
    transport: toTransport(line),
    debug: line.isOn("debug"),
    limits: toLimits(line),
  });
}

const A_DURATION = "a duration such as 25s, 1m30s or 500ms";
const POSITIVE_DURATION = "a duration such as 25s, 1m30s or 500ms, and not 0s";

/** Reads the limits. Where one is a fault, which `finish` throws, 0 takes its place. */
function toLimits(line: Line): Limits {
  const limit = (name: FlagName, toValue: (text: string) => number | undefined, expected: string): number => {
    const value = line.value(name, toValue, expected);
    return isFault(value) ? 0 : value;
  };
  return {
    maxConcurrentStreams: limit("max-concurrent-streams", toCount, "a whole number from 1 to 1000000"),
    maxRequestBytesInMemory: limit("max-requests-in-memory", toBytes, "a whole number of MB from 1 to 2047"),
    maxHeaderBytes: limit("max-header-size", toHeaderBytes, "a whole number of KB from 1 to 1024"),
    callTimeoutMs: limit("call-timeout", toPositiveMilliseconds, POSITIVE_DURATION),
    keepaliveIntervalMs: limit("keepalive-interval", toPositiveMilliseconds, POSITIVE_DURATION),
    keepaliveTimeoutMs: limit("keepalive-timeout", toPositiveMilliseconds, POSITIVE_DURATION),
    maxConnectionIdleMs: limit("max-connection-idle", toMilliseconds, A_DURATION),
    maxConnectionAgeMs: limit("max-connection-age", toMilliseconds, A_DURATION),
  };
}

const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

const describeAddress = (network: string): string =>
  network === "unix" ? "a path" : "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";

/** Chooses the transport. `--insecure` overrides TLS_SERVER_CERTS_DIR, which Crossplane sets for every function. */
function toTransport(line: Line): Transport {
  const certsDir = line.text("tls-certs-dir");
  if (line.isOn("insecure")) return { is: "insecure" };
  if (certsDir === "") line.addFault(NO_CERTIFICATES);
  return { is: "mtls", certsDir };
}
