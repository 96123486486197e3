import { type Command, InvalidArgumentError, Option } from "commander";
import { FunctionError } from "../src/errors.ts";
import type { TcpAddress } from "../src/server/address.ts";
import type { Host } from "./host.ts";

export const PROGRAM = "shared-infrastructure";

/** What a command does once its command line is read; returns the exit code. */
export type Work = (host: Host) => Promise<number>;

/** Called by the action of the command that the command line names. */
export type Choose = (work: Work) => void;

/** Adds a command to the program. Its action calls `choose`; it loads the command's code only when that is run. */
export type AddCommand = (program: Command, choose: Choose) => Command;

/** Exit codes of the commands that read a cluster: 1 is a finding, 2 means that there is no answer. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

const DURATION = /^(?:(?<h>\d{1,5})h)?(?:(?<m>\d{1,5})m)?(?:(?<s>\d{1,5})s)?(?:(?<ms>\d{1,7})ms)?$/;
/** Node's timers wait for at most 2^31 - 1 milliseconds; a day is well below that. */
const MAX_DURATION_MS = 24 * 3_600_000;

/** Adds flags to a command. */
export const withFlags = (command: Command, flags: readonly Option[]): Command =>
  flags.reduce((one, flag) => one.addOption(flag), command);

/** A flag whose value is a duration, in milliseconds. */
export const durationFlag = (flags: string, help: string, byDefault: string): Option =>
  new Option(flags, help).argParser(toMilliseconds).default(toMilliseconds(byDefault), byDefault);

/** A flag with one of several values; the first is the default. */
export const choiceFlag = (flags: string, help: string, choices: readonly [string, ...string[]]): Option =>
  new Option(flags, help).choices(choices).default(choices[0]);

/** A flag that may be given several times. */
export const repeatableFlag = <T>(flags: string, help: string, toValue: (text: string) => T): Option =>
  new Option(flags, `${help} Can be repeated.`).argParser((text: string, before: readonly T[] = []) => [
    ...before,
    toValue(text),
  ]);

/** Flags that choose a cluster. */
export const connectionFlags: readonly Option[] = [
  new Option(
    "--kubeconfig <file>",
    "The kubeconfig; by default KUBECONFIG, ~/.kube/config or the pod's service account.",
  ),
  new Option("--context <name>", "The kubeconfig's context; by default its current one."),
];

/** Flags that choose a cluster and limit repeated requests. */
export const clusterFlags: readonly Option[] = [
  ...connectionFlags,
  durationFlag(
    "--retry-for <duration>",
    "How long to repeat requests to an API server that answers 429 or 5xx or cannot be reached, with exponential backoff.",
    "1m",
  ),
];

/** The values of `connectionFlags`. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The values of `clusterFlags`. */
export interface ClusterFlags extends ConnectionFlags {
  /** In milliseconds. */
  readonly retryFor: number;
}

/** Converts a Go duration of at most a day, such as 25s, 1m30s or 500ms, to milliseconds. */
function toMilliseconds(text: string): number {
  const parts = text === "" ? undefined : DURATION.exec(text)?.groups;
  const part = (unit: string): number => Number(parts?.[unit] ?? 0);
  const total = part("h") * 3_600_000 + part("m") * 60_000 + part("s") * 1000 + part("ms");
  if (parts !== undefined && total <= MAX_DURATION_MS) return total;
  throw new InvalidArgumentError("Expected a duration such as 30s, 5m or 1m30s.");
}

/** Splits `key=value` at the first `=`; the value may contain `=` and commas. */
export function toPair(text: string): readonly [key: string, value: string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new InvalidArgumentError("Expected KEY=VALUE.");
}

const HOST_AND_PORT = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<name>[^:[\]]*)):(?<port>\d{1,5})$/;

/** Parses a TCP address in Go's notation: `:9443`, `localhost:9443` or `[::1]:9443`. */
export function toTcpAddress(text: string): TcpAddress {
  const parts = HOST_AND_PORT.exec(text)?.groups;
  const port = Number(parts?.["port"]);
  const host = parts?.["ipv6"] ?? parts?.["name"] ?? "";
  if (parts !== undefined && port <= 65_535) return host === "" ? { port } : { host, port };
  throw new InvalidArgumentError("Expected an address such as :8443, 127.0.0.1:8443 or [::1]:8443.");
}

/** Makes the error for a command line that is wrong for what the cluster has. */
export const invalidFlags = (message: string): FunctionError => new FunctionError("InvalidFlags", message);
