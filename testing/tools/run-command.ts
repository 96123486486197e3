import { PassThrough } from "node:stream";
import { run } from "../../cli/cli.ts";
import type { Host } from "../../cli/host.ts";

/** The output of a command, and its exit code. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Host["env"];
  /** The signal that ends a command that serves. */
  readonly signal?: Promise<string>;
  /** Called with all that it has printed, each time that it prints. */
  readonly onPrint?: (stdout: string) => void;
  /** Called with each line of the log. */
  readonly onLog?: (line: string) => void;
}

/** Runs a command of the operators' program in this process, with streams of its own. */
export async function runCommand(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { stdin = "", env = {}, signal = new Promise<string>(() => {}), onPrint, onLog } = options;
  const said = { stdout: "", stderr: "" };
  const exitCode = await run([command, ...args], {
    env,
    print: (text) => {
      said.stdout += text;
      onPrint?.(said.stdout);
    },
    printError: (text) => {
      said.stderr += text;
    },
    readInput: async () => stdin,
    log: new PassThrough().on("data", (chunk) => onLog?.(String(chunk))),
    nextSignal: () => signal,
  });
  return { exitCode, ...said };
}
