import { Command, Option } from "commander";
import { FunctionError } from "./errors.ts";
import { didYouMean } from "./model/did-you-mean.ts";
import { toMilliseconds } from "./model/duration.ts";
import { type Config, toAddress } from "./server/config.ts";

/**
 * The flags of the function. Names, short forms and variables are those of function-sdk-go's template, so that another
 * function's DeploymentRuntimeConfig fits. Two defaults differ:
 *
 * - `max-recv-message-size`: more than the template's 4 MB, since Crossplane sends larger requests. One with a hundred
 *   composed resources has 660 KB, and required resources and Secrets add to it.
 * - `shutdown-grace-period`: shorter than the 30 s (terminationGracePeriodSeconds) after which Kubernetes kills a pod.
 *
 * The brackets, as in `[ADDRESS]`, let a flag have no value. Without them commander would stop at the first flag without
 * a value; `readFlags` reports all of them.
 */
export const flags = {
  address: new Option("--address [ADDRESS]", "The address for gRPC: HOST:PORT or :PORT.").default(":9443"),
  tlsCertsDir: new Option(
    "--tls-certs-dir [DIRECTORY]",
    "Directory of tls.crt, tls.key, and ca.crt, which verifies clients. Changed files are reloaded.",
  ).env("TLS_SERVER_CERTS_DIR"),
  insecure: new Option(
    "--insecure [BOOLEAN]",
    "Serve without TLS, to anyone; --tls-certs-dir is ignored. For development only.",
  ),
  debug: new Option("-d, --debug [BOOLEAN]", "Log debug lines as well, and as text instead of JSON."),
  maxRecvMessageSize: new Option(
    "--max-recv-message-size [MB]",
    "The size limit of a request, in MB (1024 × 1024 bytes).",
  ).default("64"),
  maxConcurrentStreams: new Option(
    "--max-concurrent-streams [NUMBER]",
    "Limit of open calls per connection; clients wait before they open more.",
  ).default("100"),
  maxConnectionAge: new Option(
    "--max-connection-age [DURATION]",
    "Age at which a client is asked to reconnect, so that it finds added replicas; 0s for no limit.",
  ).default("0s"),
  metricsAddress: new Option(
    "--metrics-address [ADDRESS]",
    "The address for Prometheus metrics over HTTP, at /metrics; empty to turn them off.",
  ).default(":8080"),
  shutdownGracePeriod: new Option(
    "--shutdown-grace-period [DURATION]",
    "Time limit for calls in flight after SIGTERM or SIGINT.",
  ).default("25s"),
};

type Name = keyof typeof flags;

/** The values of the flags that are given or have a default; true for a flag without a value. */
type Values = Readonly<Partial<Record<Name, string | true>>>;

function toCommand(): Command {
  const command = new Command("function-shared-infrastructure")
    .usage("[flags]")
    .description(
      "Serves a Crossplane composition function: gRPC with mTLS, health and reflection, and Prometheus metrics.\n" +
        "Crossplane starts it from the package, without flags.",
    )
    .helpOption("--help", "Print this help.")
    .version("", "--version", "Print the version.")
    .configureHelp({ helpWidth: 1000 })
    .allowUnknownOption()
    .allowExcessArguments();
  return Object.values(flags).reduce((before, flag) => before.addOption(flag), command);
}

export const toHelp = (): string => toCommand().helpInformation();

/** Reads the command line. `--help` and `--version` override faults. @throws {FunctionError} `InvalidFlags` with all faults, one per line. */
export function readFlags(args: readonly string[]): Config | "help" | "version" {
  for (const is of ["help", "version"] as const) if (args.includes(`--${is}`)) return is;
  const command = toCommand().parse(args, { from: "user" });
  const names = Object.values(flags).map(toName);
  const faults = command.args.map((text) => {
    if (!text.startsWith("-")) return `unexpected argument ${JSON.stringify(text)}`;
    const [name = ""] = text.split("=", 1);
    return `${name}: unknown flag${didYouMean(name, names)}`;
  });
  const config = toConfig(command.opts(), faults);
  if (faults.length > 0) throw new FunctionError("InvalidFlags", ["cannot use the flags:", ...faults].join("\n  "));
  return config;
}

const MB = 1024 * 1024;
const AN_ADDRESS = "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";
const A_DURATION = "a duration such as 25s, 1m30s or 500ms";
const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

/** Converts the values, and adds a fault for each invalid one. With faults, the result must not be used. */
function toConfig(values: Values, faults: string[]): Config {
  const read = <T>(name: Name, toValue: (text: string) => T | undefined, expected: string): T => {
    const text = values[name] ?? "";
    const value = text === true ? undefined : toValue(text);
    const fault = text === true ? "needs a value" : `expected ${expected}; found ${JSON.stringify(text)}`;
    if (value === undefined) faults.push(`${toName(flags[name])}: ${fault}`);
    return value as T;
  };
  const isOn = (name: Name): boolean =>
    values[name] !== undefined && (values[name] === true || read(name, toBoolean, "true or false"));
  const toTransport = (): Config["transport"] => {
    // --insecure overrides TLS_SERVER_CERTS_DIR, which Crossplane sets for every function.
    if (isOn("insecure")) return { is: "insecure" };
    if (values.tlsCertsDir) return { is: "mtls", certsDir: read("tlsCertsDir", String, "a directory") };
    faults.push(NO_CERTIFICATES);
    return { is: "mtls", certsDir: "" };
  };
  return {
    address: read("address", toAddress, AN_ADDRESS),
    transport: toTransport(),
    debug: isOn("debug"),
    // gRPC's length prefix allows more than 2047 MB, which is never useful.
    maxRecvMessageBytes: MB * read("maxRecvMessageSize", toWhole(2047), "a whole number of MB from 1 to 2047"),
    maxConcurrentStreams: read("maxConcurrentStreams", toWhole(1_000_000), "a whole number from 1 to 1000000"),
    maxConnectionAgeMs: read("maxConnectionAge", toMilliseconds, A_DURATION),
    metricsAddress: read("metricsAddress", toMetricsAddress, `${AN_ADDRESS}, or empty`),
    shutdownGracePeriodMs: read("shutdownGracePeriod", toMilliseconds, A_DURATION),
  };
}

const toName = ({ long }: Option): string => long ?? "";

const toMetricsAddress = (text: string) => (text === "" ? "off" : toAddress(text));

const toBoolean = (text: string): boolean | undefined =>
  text === "true" || text === "false" ? text === "true" : undefined;

const toWhole =
  (max: number) =>
  (text: string): number | undefined =>
    /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? Number(text) : undefined;
