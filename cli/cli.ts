import { Command, CommanderError } from "commander";
import { FunctionError } from "../src/errors.ts";
import { readVersion } from "../src/package.ts";
import { addAdmission } from "./admission/admission-command.ts";
import { addAudit } from "./audit/audit-command.ts";
import { ClusterError } from "./cluster/error.ts";
import { type AddCommand, type Choose, PROGRAM, type Work } from "./command.ts";
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

/** Exit codes for a wrong command line and for any other failure; those of render are those of `crossplane render`. */
const toExitCodes = (command: string | undefined) =>
  command === "render" ? { usage: 80, failed: 1 } : { usage: 2, failed: 2 };

/** Runs a command line. @returns the exit code. */
export async function run(args: readonly string[], host: Host): Promise<number> {
  const exitCodes = toExitCodes(args[0]);
  let chosen: Work = async () => 0;
  const program = toProgram((work) => {
    chosen = work;
  }, host);
  try {
    program.parse(args.length === 0 ? ["--help"] : args, { from: "user" });
    return await chosen(host);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage; // said already
    host.printError(`${PROGRAM}: error: ${toPrintableLines(toMessage(error))}\n`);
    return error instanceof FunctionError && error.code === "InvalidFlags" ? exitCodes.usage : exitCodes.failed;
  }
}

/** Reads the message of an expected error. @throws {unknown} the error itself where it is a bug. */
function toMessage(error: unknown): string {
  if (error instanceof FunctionError || error instanceof ClusterError) return error.message;
  throw error;
}
