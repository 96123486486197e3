#!/usr/bin/env node
import { FunctionError } from "./errors.ts";
import { readFlags, toHelp } from "./flags.ts";
import { createLog } from "./log.ts";
import { readVersion } from "./package.ts";
import { runFunction } from "./run-function.ts";
import { serve } from "./server/server.ts";

/** Serves until SIGTERM or SIGINT. Calls in flight may finish, until a second signal. @returns the exit code. */
async function main(): Promise<number> {
  const config = readFlags(process.argv.slice(2));
  if (typeof config === "string") {
    process.stdout.write(config === "help" ? toHelp() : `${readVersion()}\n`);
    return 0;
  }
  const log = createLog(config, process.stderr);
  const server = await serve(config, { runFunction, log });
  log.info("shutting down", { signal: await nextSignal() });
  void nextSignal().then(() => server.destroy());
  await server.shutDown();
  return 0;
}

const nextSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
  });

function fail(error: unknown): number {
  if (!(error instanceof FunctionError)) throw error;
  const hint = error.code === "InvalidFlags" ? 'Run "function-shared-infrastructure --help" for help.\n' : "";
  process.stderr.write(`function-shared-infrastructure: error: ${error.message}\n${hint}`);
  return 1;
}

// No top-level await, so that the bundle can be CommonJS: it starts 100 ms sooner than an ES module.
void main()
  .catch(fail)
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
