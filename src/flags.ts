import { Command, Option } from "commander";
import { FunctionError } from "./errors.ts";
import { didYouMean } from "./model/did-you-mean.ts";
import { toMilliseconds } from "./model/duration.ts";
import { type Config, toAddress } from "./server/config.ts";

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of the value in the help; a flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  /** The environment variable that is read if the flag is not given. */
  readonly env?: string;
  readonly help: string;
}

/**
 * The flags of the function. Names, short forms and variables are those of function-sdk-go's template, so that a
 * DeploymentRuntimeConfig can be moved from another function to this one. Two defaults differ:
 *
 * - `max-recv-message-size`: an XR with a hundred composed resources has 660 KB, and required resources and Secrets are
 *   added. Crossplane's client sends more than the 4 MB that grpc-go accepts.
 * - `shutdown-grace-period`: shorter than the 30 s (terminationGracePeriodSeconds) after which Kubernetes kills a pod.
 */
export const flags = [
  { name: "address", value: "ADDRESS", default: ":9443", help: "The address for gRPC: HOST:PORT or :PORT." },
  {
    name: "tls-certs-dir",
    value: "DIRECTORY",
    env: "TLS_SERVER_CERTS_DIR",
    help: "Directory of tls.crt, tls.key, and ca.crt, which verifies clients. Changed files are reloaded.",
  },
  { name: "insecure", help: "Serve without TLS, to anyone; --tls-certs-dir is ignored. For development only." },
  { name: "debug", short: "d", help: "Log debug lines as well, and as text instead of JSON." },
  {
    name: "max-recv-message-size",
    value: "MB",
    default: "64",
    help: "The size limit of a request, in MB (1024 × 1024 bytes).",
  },
  {
    name: "max-concurrent-streams",
    value: "NUMBER",
    default: "100",
    help: "Limit of open calls per connection; clients wait before they open more.",
  },
  {
    name: "max-connection-age",
    value: "DURATION",
    default: "0s",
    help: "Age at which a client is asked to reconnect, so that it finds added replicas; 0s for no limit.",
  },
  {
    name: "metrics-address",
    value: "ADDRESS",
    default: ":8080",
    help: "The address for Prometheus metrics over HTTP, at /metrics; empty to turn them off.",
  },
  {
    name: "shutdown-grace-period",
    value: "DURATION",
    default: "25s",
    help: "Time limit for calls in flight after SIGTERM or SIGINT.",
  },
] as const satisfies readonly Flag[];

type Environment = Readonly<Record<string, string | undefined>>;

type Name = (typeof flags)[number]["name"];

/** Makes commander's notation of a flag. Its value is optional, since commander would stop at the first that is missing. */
const toUsage = ({ name, short, value = "BOOLEAN" }: Flag): string =>
  `${short === undefined ? "" : `-${short}, `}--${name} [${value}]`;

function commandFor(env: Environment): Command {
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
  for (const flag of flags as readonly Flag[]) {
    const option = new Option(toUsage(flag), flag.env ? `${flag.help} (environment ${flag.env})` : flag.help);
    command.addOption(option.default((flag.env && env[flag.env]) || flag.default));
  }
  return command;
}

export const toHelp = (): string => commandFor({}).helpInformation();

/**
 * Reads the command line: a flag, else its environment variable, else its default. `--help` and `--version` override faults.
 *
 * @throws {FunctionError} `InvalidFlags` with all faults, one per line.
 */
export function readFlags(args: readonly string[], env: Environment): Config | "help" | "version" {
  for (const is of ["help", "version"] as const) if (args.includes(`--${is}`)) return is;
  const command = commandFor(env).parse(args, { from: "user" });
  const names = flags.map(({ name }) => `--${name}`);
  const faults = command.args.map((text) => {
    if (!text.startsWith("-")) return `unexpected argument ${JSON.stringify(text)}`;
    const [name = ""] = text.split("=", 1);
    return `${name}: unknown flag${didYouMean(name, names)}`;
  });
  const config = toConfig(command, faults);
  if (faults.length > 0) throw new FunctionError("InvalidFlags", ["cannot use the flags:", ...faults].join("\n  "));
  return config;
}

const MB = 1024 * 1024;
const AN_ADDRESS = "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";
const A_DURATION = "a duration such as 25s, 1m30s or 500ms";
const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

/** Converts the texts, and adds a fault for each invalid one. With faults, the result must not be used. */
function toConfig(command: Command, faults: string[]): Config {
  /** True for a flag without a value. */
  const textOf = (name: Name): string | true | undefined =>
    command.getOptionValue(new Option(`--${name}`).attributeName());
  const read = <T>(name: Name, toValue: (text: string) => T | undefined, expected: string): T => {
    const text = textOf(name) ?? "";
    const value = text === true ? undefined : toValue(text);
    const fault = text === true ? "needs a value" : `expected ${expected}; found ${JSON.stringify(text)}`;
    if (value === undefined) faults.push(`--${name}: ${fault}`);
    return value as T;
  };
  const isOn = (name: Name): boolean =>
    textOf(name) !== undefined && (textOf(name) === true || read(name, toBoolean, "true or false"));
  const toTransport = (): Config["transport"] => {
    // --insecure overrides TLS_SERVER_CERTS_DIR, which Crossplane sets for every function.
    if (isOn("insecure")) return { is: "insecure" };
    const isGiven = textOf("tls-certs-dir") !== undefined;
    if (!isGiven) faults.push(NO_CERTIFICATES);
    return { is: "mtls", certsDir: isGiven ? read("tls-certs-dir", (text) => text || undefined, "a directory") : "" };
  };
  return {
    address: read("address", toAddress, AN_ADDRESS),
    transport: toTransport(),
    debug: isOn("debug"),
    // gRPC's length prefix allows more than 2047 MB, which is never useful.
    maxRecvMessageBytes: MB * read("max-recv-message-size", toWhole(2047), "a whole number of MB from 1 to 2047"),
    maxConcurrentStreams: read("max-concurrent-streams", toWhole(1_000_000), "a whole number from 1 to 1000000"),
    maxConnectionAgeMs: read("max-connection-age", toMilliseconds, A_DURATION),
    metricsAddress: read("metrics-address", toMetricsAddress, `${AN_ADDRESS}, or empty`),
    shutdownGracePeriodMs: read("shutdown-grace-period", toMilliseconds, A_DURATION),
  };
}

const toMetricsAddress = (text: string) => (text === "" ? "off" : toAddress(text));

const toBoolean = (text: string): boolean | undefined =>
  text === "true" || text === "false" ? text === "true" : undefined;

const toWhole =
  (max: number) =>
  (text: string): number | undefined =>
    /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= max ? Number(text) : undefined;
