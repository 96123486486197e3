import { parseArgs } from "node:util";
import { FunctionError } from "./errors.ts";
import { didYouMean } from "./model/did-you-mean.ts";
import { toMilliseconds } from "./model/duration.ts";
import { type Config, toAddress } from "./server/config.ts";

export interface Flag {
  readonly name: string;
  readonly short?: string;
  /** The placeholder of its value in the help; a flag without one is a switch. */
  readonly value?: string;
  readonly default?: string;
  /** The environment variable that is read where the flag is not given. */
  readonly env?: string;
  readonly help: string;
}

/**
 * The flags of the function. Names, short forms and variables are those of function-sdk-go's template, so that a
 * DeploymentRuntimeConfig can be moved from another function to this one. Two defaults differ:
 *
 * - `max-recv-message-size`: grpc-go's 4 MB are not enough. An XR with a hundred composed resources has 660 KB, required resources
 *   and Secrets are added, and Crossplane's client sends any size.
 * - `shutdown-grace-period`: Kubernetes kills a pod after 30 s (terminationGracePeriodSeconds), so this is shorter.
 *
 * `metrics-address` has function-sdk-go's default port; unlike there, a port in use is an error.
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

const common = [
  { name: "help", help: "Print this help." },
  { name: "version", help: "Print the version." },
] as const satisfies readonly Flag[];

type Environment = Readonly<Record<string, string | undefined>>;

type Name = (typeof flags)[number]["name"];

const all: readonly Flag[] = [...flags, ...common];

/** Makes the text of `--help`. */
export function toHelp(): string {
  const rows = all.map(({ name, short, value, help, default: byDefault, env }) => {
    const usage = `  ${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : `=${value}`}`;
    const notes = [byDefault && `default ${byDefault}`, env && `environment ${env}`].filter(Boolean).join(", ");
    return `${usage.padEnd(40)}${help}${notes === "" ? "" : ` (${notes})`}`;
  });
  return `Usage: function-shared-infrastructure [flags]

Serves a Crossplane composition function: gRPC with mTLS, health and reflection, and Prometheus metrics.
Crossplane starts it from the package, without flags.

Flags:
${rows.join("\n")}
`;
}

/**
 * Reads the command line. A flag overrides its environment variable, and that its default. `--help` and `--version` override faults.
 *
 * @throws {FunctionError} `InvalidFlags` with all faults, one per line.
 */
export function readFlags(args: readonly string[], env: Environment): Config | "help" | "version" {
  const { texts, faults } = readTexts(args, env);
  if (texts.has("help")) return "help";
  if (texts.has("version")) return "version";
  const config = toConfig(texts, faults);
  if (faults.length > 0) throw new FunctionError("InvalidFlags", ["cannot use the flags:", ...faults].join("\n  "));
  return config;
}

/** Reads the text of each flag that is given or has a default, and finds arguments that are no flags or lack a value. */
function readTexts(args: readonly string[], env: Environment) {
  const texts = new Map<string, string>();
  for (const flag of all) {
    const text = (flag.env && env[flag.env]) || flag.default;
    if (text !== undefined) texts.set(flag.name, text);
  }
  const names = all.map(({ name }) => `--${name}`);
  const faults = tokenize(args).flatMap((token) => {
    if (token.kind === "positional") return `unexpected argument ${JSON.stringify(token.value)}`;
    if (token.kind !== "option") return [];
    const flag = all.find(({ name }) => name === token.name);
    if (flag === undefined) return `${token.rawName}: unknown flag${didYouMean(token.rawName, names)}`;
    if (flag.value !== undefined && lacksValue(token.value, token.inlineValue)) return `--${flag.name}: needs a value`;
    texts.set(flag.name, token.value ?? "true");
    return [];
  });
  return { texts, faults };
}

/** Splits arguments into tokens. Not strict, because parseArgs would then throw at the first fault. */
function tokenize(args: readonly string[]) {
  const options = all.map(({ name, short, value }) => {
    const type: "string" | "boolean" = value === undefined ? "boolean" : "string";
    return [name, { type, ...(short === undefined ? {} : { short }) }] as const;
  });
  return parseArgs({ args: [...args], options: Object.fromEntries(options), strict: false, tokens: true }).tokens;
}

/** Tells whether a flag has no value: "--address --debug" more likely lacks one than has one that looks like a flag. */
const lacksValue = (value: string | undefined, isInline = false): boolean =>
  value === undefined || (!isInline && value.startsWith("--"));

const MB = 1024 * 1024;
const AN_ADDRESS = "an address such as :9443, 127.0.0.1:9443 or [::1]:9443";
const A_DURATION = "a duration such as 25s, 1m30s or 500ms";
const NO_CERTIFICATES =
  "--tls-certs-dir: no directory of certificates; give one (or TLS_SERVER_CERTS_DIR), or --insecure to serve without TLS";

/** Converts the texts, and adds a fault for each that is invalid; with a fault, the result must not be used. */
function toConfig(texts: ReadonlyMap<string, string>, faults: string[]): Config {
  const read = <T>(name: Name, toValue: (text: string) => T | undefined, expected: string): T => {
    const text = texts.get(name) ?? "";
    const value = toValue(text);
    if (value === undefined) faults.push(`--${name}: ${expected}; found ${JSON.stringify(text)}`);
    return value as T;
  };
  const isOn = (name: Name): boolean => texts.has(name) && read(name, toBoolean, "true or false");
  const toTransport = (): Config["transport"] => {
    const certsDir = texts.get("tls-certs-dir") ?? "";
    // --insecure overrides TLS_SERVER_CERTS_DIR, which Crossplane sets for every function.
    if (isOn("insecure")) return { is: "insecure" };
    if (certsDir === "") faults.push(NO_CERTIFICATES);
    return { is: "mtls", certsDir };
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
