import type { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** The process as commands see it: streams, environment and signals. Tests have a host of their own. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  printError(text: string): void;
  readInput(): Promise<string>;
  /** Standard error, for logs. */
  readonly log: Writable;
  /** Resolves with the name of the next SIGTERM or SIGINT. */
  nextSignal(): Promise<string>;
}

type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "exit" | "env" | "once">;

/** Makes a host from the process. Standard output is opened on first use: a server does not need it. */
export function toHost(process: Process): Host {
  let stdout: NodeJS.WriteStream | undefined;
  return {
    env: process.env,
    print: (output) => {
      stdout ??= endOnClosedPipe(process);
      stdout.write(output);
    },
    printError: (message) => process.stderr.write(message),
    readInput: () => text(process.stdin),
    get log() {
      return process.stderr;
    },
    nextSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
      }),
  };
}

/** Returns standard output, and makes a closed pipe end the process, as in `… | head`. */
function endOnClosedPipe({ stdout, exit }: Process): NodeJS.WriteStream {
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    exit();
  });
  return stdout;
}
