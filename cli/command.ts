import { type Command, InvalidArgumentError, Option } from "commander";
import { FunctionError } from "../src/errors.ts";
import { toMilliseconds } from "../src/model/duration.ts";
import { toAddress } from "../src/server/config.ts";
import type { Host } from "./host.ts";

export const PROGRAM = "shared-infrastructure";

/** The action of a command, after its command line is read; returns the exit code. */
export type Work = (host: Host) => Promise<number>;

/** Called by the command that the user gives, with its work. `run` does the work once the command line is read. */
export type Choose = (work: Work) => void;

/** Adds a command to the program. Its action calls `choose` with work that loads the command's code. */
export type AddCommand = (program: Command, choose: Choose) => Command;

/** Exit codes of all commands but render. */
export const EXIT = { fine: 0, found: 1, failed: 2 } as const;

export const withFlags = (command: Command, flags: readonly Option[]): Command =>
  flags.reduce((one, flag) => one.addOption(flag), command);

const EXIT_CODES = [
  "0  Fine.",
  "1  A finding: a conflict, an inconsistency, no owner.",
  "2  No answer: the command line is wrong, a file cannot be read, or the cluster could not be asked about everything.",
];

/** Adds exit codes and examples to the end of a command's help. @param codes each a line that begins with its number. */
export function withExamples(command: Command, examples: readonly string[], codes = EXIT_CODES): Command {
  const indented = (lines: readonly string[]) => lines.map((line) => line && `  ${line}`);
  return command.addHelpText(
    "after",
    ["", "Exit codes:", ...indented(codes), "", "Examples:", ...indented(examples)].join("\n"),
  );
}

const parsed =
  (parse: (text: string) => unknown, expected: string) =>
  (flags: string, help: string, byDefault: string): Option => {
    const toValue = (text: string): unknown => {
      const value = parse(text);
      if (value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`);
      return value;
    };
    return new Option(flags, help).argParser(toValue).default(toValue(byDefault), byDefault);
  };

export const flag = {
  /** A duration, in milliseconds. */
  duration: parsed(toMilliseconds, "a duration such as 30s, 5m or 1m30s"),

  /** A TCP address in Go's notation. */
  address: parsed(toAddress, "an address such as :8443, 127.0.0.1:8443 or [::1]:8443"),

  /** One of several values; the first is the default. */
  choice: (flags: string, help: string, choices: readonly [string, ...string[]]): Option =>
    new Option(flags, help).choices(choices).default(choices[0]),

  /** A value that may be given several times. */
  repeatable: (flags: string, help: string, toValue: (text: string) => unknown = String): Option => {
    const add = (text: string, before: readonly unknown[] = []) => [...before, toValue(text)];
    return new Option(flags, `${help} Can be repeated.`).argParser(add);
  },
};

export const connectionFlags: readonly Option[] = [
  new Option("--kubeconfig <file>", "Default: KUBECONFIG, ~/.kube/config or the pod's service account."),
  new Option("--context <name>", "The kubeconfig's context; by default its current one."),
];

/** Flags that choose a cluster and limit repeated requests. */
export const clusterFlags: readonly Option[] = [
  ...connectionFlags,
  flag.duration(
    "--retry-for <duration>",
    "How long to repeat requests to an API server that answers 429 or 5xx or cannot be reached.",
    "1m",
  ),
];

export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface ClusterFlags extends ConnectionFlags {
  /** In milliseconds. */
  readonly retryFor: number;
}

/** Splits `key=value` at the first `=`; the value may contain `=` and commas. */
export function toPair(text: string): readonly [key: string, value: string] {
  const [key = "", value] = text.split(/=(.*)/s);
  if (key !== "" && value !== undefined) return [key, value];
  throw new InvalidArgumentError("Expected KEY=VALUE.");
}

/** Makes the error for a command line that does not fit the cluster, such as an unknown kind. */
export const invalidFlags = (message: string): FunctionError => new FunctionError("InvalidFlags", message);
