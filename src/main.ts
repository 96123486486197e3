#!/usr/bin/env node
import { FunctionError } from "./errors.ts";

/** The program: reads what the process was started with, and either serves or renders. Neither loads the other. */
const [command, ...args] = process.argv.slice(2);
// Without a top-level await, so that the bundle can be CommonJS: that starts 100 ms sooner than an ES module.
void (command === "render" ? render(args) : run(process.argv.slice(2))).then((code) => {
  process.exitCode = code;
});

async function render(args: readonly string[]): Promise<number> {
  const { main } = await import("./render/main.ts");
  process.stdout.on("error", endWhereNobodyReads);
  return main(args, { out: (text) => process.stdout.write(text), err: (text) => process.stderr.write(text) });
}

/** As when the output goes into `head`. */
function endWhereNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

async function run(args: readonly string[]): Promise<number> {
  const { parseCommandLine } = await import("./config.ts");
  const { toHelp } = await import("./config/flags.ts");
  const { readVersion } = await import("./package.ts");
  try {
    const commandLine = parseCommandLine(args, process.env);
    if (commandLine.is === "serve") return await serveUntilSignal(commandLine.config);
    process.stdout.write(commandLine.is === "help" ? toHelp() : `${readVersion()}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** The first signal lets calls in flight finish, a second one does not. */
async function serveUntilSignal(config: Parameters<typeof import("./server/server.ts").serve>[0]): Promise<number> {
  const { serve } = await import("./server/server.ts");
  const { createLog } = await import("./log.ts");
  const { runFunction } = await import("./run-function.ts");
  const log = createLog(config, process.stderr);
  const server = await serve(config, { runFunction, log });

  const signal = await nextSignal();
  log.info("shutting down", { signal });
  void nextSignal().then(() => server.destroy());
  await server.shutDown();
  return 0;
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve(signal));
  });
}
