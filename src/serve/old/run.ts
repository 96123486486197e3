import { FunctionError } from "../../errors.ts";
import { readVersion } from "../../package.ts";
import { type Command, PROGRAM } from "./command.ts";
import { CommandLine, helpHint } from "./command-line.ts";
import { toHelp } from "./help.ts";
import type { Host } from "./host.ts";
import { toPrintableLines } from "./printable.ts";

/** Runs a command. @returns the exit code. */
export type Run = (args: readonly string[], host: Host) => Promise<number>;

/** Makes the message for an expected error; undefined for a bug. */
export type Explain = (error: unknown) => string | undefined;

const explainFunctionError: Explain = (error) => (error instanceof FunctionError ? error.message : undefined);

/**
 * Makes a command runnable: answers `--help` and `--version`, even if other flags are wrong, and turns errors into a message on
 * standard error and an exit code.
 *
 * @param work the command itself, which returns the exit code.
 */
export function toRun<Name extends string>(
  command: Command<Name>,
  work: (line: CommandLine<Name>, host: Host) => Promise<number>,
  explain: Explain = explainFunctionError,
): Run {
  return async (args, host) => {
    try {
      const line = new CommandLine(args, command, host.env);
      return answer(line, command, host) ?? (await work(line, host));
    } catch (error) {
      const message = explain(error);
      if (message === undefined) throw error;
      host.printError(`${PROGRAM}: error: ${toPrintableLines(message)}\n`);
      return toExitCode(error, command, host);
    }
  };
}

/** Answers `--help` and `--version`. @returns the exit code; undefined if neither is given. */
function answer(line: CommandLine, command: Command, host: Host): number | undefined {
  if (line.isOn("help")) host.print(toHelp(command));
  else if (line.isOn("version")) host.print(`${readVersion()}\n`);
  else return undefined;
  return 0;
}

function toExitCode(error: unknown, { name, exitCodes }: Command, host: Host): number {
  if (!(error instanceof FunctionError && error.code === "InvalidFlags")) return exitCodes.failed;
  host.printError(helpHint(name));
  return exitCodes.usage;
}
