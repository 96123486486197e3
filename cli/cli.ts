import { Command, CommanderError } from "commander";
import { FunctionError } from "../src/errors.ts";
import { readVersion } from "../src/package.ts";
import { addAdmission } from "./admission/admission-command.ts";
import { addAudit } from "./audit/audit-command.ts";
import { ClusterError } from "./cluster/error.ts";
import { type AddCommand, type Choose, EXIT, PROGRAM, type Work } from "./command.ts";
import { addCompletion } from "./completion/completion.ts";
import { addExplain } from "./explain/explain.ts";
import type { Host } from "./host.ts";
import { addPreflight } from "./preflight/preflight-command.ts";
import { addRecord } from "./record/record-command.ts";
import { addRegistry, addWhoOwns } from "./registry/registry-command.ts";
import { addRender } from "./render/render-command.ts";
import { toPrintableLines } from "./text.ts";

const commands: readonly AddCommand[] = [
  addRender,
  addRegistry,
  addWhoOwns,
  addPreflight,
  addAdmission,
  addAudit,
  addRecord,
  addExplain,
  addCompletion,
];

/** The program with all its commands. @param choose called with the work of the command that is given. */
export function toProgram(choose: Choose, { print, printError }: Pick<Host, "print" | "printError">): Command {
  const program = new Command(PROGRAM)
    .description("The commands for operators of function-shared-infrastructure.")
    .version(readVersion(), "--version", "Show the version.")
    .helpOption("-h, --help", "Show this text.")
    .helpCommand("help [command]", "Show the help of a command.")
    .showHelpAfterError("Add --help for help.")
    .configureOutput({
      writeOut: print,
      writeErr: printError,
      getOutHelpWidth: () => 120,
      outputError: (text, write) => write(`${PROGRAM}: ${toPrintableLines(text)}`),
    })
    .exitOverride();
  for (const add of commands) add(program, choose);
  return program;
}

/** Chooses the exit code of a failure, such as a wrong command line; render has those of `crossplane render`. */
function toExitCode(command: string | undefined, isUsage: boolean): number {
  if (command !== "render") return EXIT.failed;
  return isUsage ? 80 : 1;
}

/** Runs a command line. @returns the exit code. @throws {unknown} where an error is a bug. */
export async function run(args: readonly string[], host: Host): Promise<number> {
  let chosen: Work = async () => 0;
  const program = toProgram((work) => {
    chosen = work;
  }, host);
  try {
    program.parse(args.length === 0 ? ["--help"] : args, { from: "user" });
    return await chosen(host);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : toExitCode(args[0], true); // said already
    if (!(error instanceof FunctionError || error instanceof ClusterError)) throw error;
    host.printError(`${PROGRAM}: error: ${toPrintableLines(error.message)}\n`);
    return toExitCode(args[0], error.code === "InvalidFlags");
  }
}
