import type { Config, Transport } from "../../server/config.ts";
import { type CommandLine, isFault } from "../command-line.ts";
import { networks, toAddress, toBytes, toMilliseconds, toNetwork } from "../values.ts";
import type { flags } from "./flags.ts";

type Line = CommandLine<(typeof flags)[number]["name"]>;

/** @throws {FunctionError} `InvalidFlags` with all faults, one a line. */
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
    shutdownGracePeriodMs: line.value(
      "shutdown-grace-period",
      toMilliseconds,
      "a duration such as 25s, 1m30s or 500ms",
    ),
    transport: toTransport(line),
    debug: line.isOn("debug"),
  });
}

const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

const describeAddress = (network: string): string =>
  network === "unix" ? "a path" : "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";

/** `--insecure` comes first: Crossplane sets TLS_SERVER_CERTS_DIR for every function, so the two are often there together. */
function toTransport(line: Line): Transport {
  const certsDir = line.text("tls-certs-dir");
  if (line.isOn("insecure")) return { is: "insecure" };
  if (certsDir === "") line.addFault(NO_CERTIFICATES);
  return { is: "mtls", certsDir };
}
