import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/**
 * The environment of child processes, without settings for the Node.js of this machine: reading further authorities, for
 * example, takes as long at each start as starting an empty process twice.
 */
const { NODE_EXTRA_CA_CERTS: _authorities, NODE_OPTIONS: _options, ...env } = process.env;

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The arguments with which node runs a TypeScript file of bench/. */
export const typescript = (file: string): readonly string[] => ["--import", "tsx", `bench/${file}`];

/** Starts a program in the checkout; it ends with this process. A server's log is of no interest here. */
export function start(command: string, args: readonly string[], log: "inherit" | "ignore" = "inherit"): ChildProcess {
  const child = spawn(command, args, { cwd: root, env, stdio: ["pipe", "pipe", log] });
  const end = (): boolean => child.kill("SIGKILL");
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  return child;
}

/** A program that answers each line of JSON with one. */
export interface Worker {
  ask<Answer>(order: object): Promise<Answer>;
  stop(): void;
}

export function startWorker(command: string, args: readonly string[]): Worker {
  const { stdin, stdout, ...child } = started(command, args);
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    ask: async (order) => {
      stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`cannot measure: ${command} ${args.join(" ")} has ended`);
      return JSON.parse(value);
    },
    stop: child.stop,
  };
}

function started(command: string, args: readonly string[]) {
  const child = start(command, args);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error(`cannot talk to ${command}`);
  return { stdin, stdout, stop: () => void child.kill() };
}

/** Runs a program to its end, and returns what it printed. */
export async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = start(command, args);
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`cannot measure: ${command} ${args.join(" ")} exited with ${String(code)}`);
  return text;
}
