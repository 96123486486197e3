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

/** Makes a host of the process. The process ends once the reader of its output has ended, as in `… | head`. */
export function toHost(process: Process): Host {
  const { stdout } = process;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  return {
    env: process.env,
    print: (output) => stdout.write(output),
    printError: (message) => process.stderr.write(message),
    readInput: () => text(process.stdin),
    log: process.stderr,
    nextSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
      }),
  };
}
