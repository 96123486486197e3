import { Writable } from "node:stream";
import { parseCommandLine } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { runFunction } from "../../src/run-function.ts";
import { serve } from "../../src/server.ts";

/** The function, serving on a free port of this machine. */
export interface FunctionServer {
  /** As `host:port`. */
  readonly target: string;
  stop(): Promise<void>;
}

/** Serves the function as `npm start -- --insecure` does, without its log. */
export async function serveFunction(): Promise<FunctionServer> {
  const commandLine = parseCommandLine(["--insecure", "--address=127.0.0.1:0", "--metrics-address="], {});
  if (commandLine.is !== "serve") throw new Error("expected to serve");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog(commandLine.config, nowhere);
  const server = await serve(commandLine.config, { runFunction, log });
  return { target: `127.0.0.1:${server.port}`, stop: () => server.shutDown() };
}
