import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The environment of child processes, without settings for the Node.js of this machine: further authorities, for example, take memory. */
const { NODE_EXTRA_CA_CERTS: _authorities, NODE_OPTIONS: _options, ...env } = process.env;

const cwd = fileURLToPath(new URL("../..", import.meta.url));

/** The arguments with which node runs a TypeScript file of bench/. */
export const typescript = (file: string): readonly string[] => ["--import", "tsx", `bench/${file}`];

/** Starts a program in the checkout; it ends with this process. */
export function start(command: string, args: readonly string[], output: "pipe" | "ignore"): ChildProcess {
  const child = spawn(command, args, { cwd, env, stdio: ["pipe", output, output === "pipe" ? "inherit" : "ignore"] });
  const end = (): boolean => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}

/** Runs a program to its end, and returns what it printed. */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env, maxBuffer: 1e8 });
  return stdout;
}

/** A program that answers each line of JSON with one. */
export interface Worker {
  ask(order: object): Promise<readonly number[]>;
  stop(): void;
}

export function startWorker(command: string, args: readonly string[]): Worker {
  const child = start(command, args, "pipe");
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`cannot talk to ${command}`);
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    ask: async (order) => {
      stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`cannot measure: ${command} ${args.join(" ")} has ended`);
      return JSON.parse(value);
    },
    stop: () => void child.kill(),
  };
}
