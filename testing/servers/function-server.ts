import { Writable } from "node:stream";
import { parseCommandLine } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { runFunction } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { composeBases } from "../rendering/patch-and-transform.ts";

/** The function, serving on a free port of this machine, beside a stand-in for the function that composes. */
export interface FunctionServer {
  /** As `host:port`, by the Function's name. */
  readonly targets: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Serves both as `npm start -- --insecure` does, without its log. */
export async function serveFunction(): Promise<FunctionServer> {
  const commandLine = parseCommandLine(["--insecure", "--address=127.0.0.1:0", "--metrics-address="], {});
  if (commandLine.is !== "serve") throw new Error("expected to serve");
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog(commandLine.config, nowhere);
  const ours = await serve(commandLine.config, { runFunction, log });
  const composer = await serve(commandLine.config, { runFunction: composeBases, log });
  return {
    targets: {
      "function-shared-infrastructure": `127.0.0.1:${ours.port}`,
      "function-patch-and-transform": `127.0.0.1:${composer.port}`,
    },
    stop: async () => {
      await ours.shutDown();
      await composer.shutDown();
    },
  };
}
