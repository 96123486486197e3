import { Writable } from "node:stream";
import { createLog } from "../../src/log.ts";
import { runFunction } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { composeBases } from "../rendering/patch-and-transform.ts";
import { configFrom } from "./config.ts";

/** The function, serving on a free port of this machine, beside a stand-in for the function that composes. */
export interface FunctionServer {
  /** As `host:port`, by the Function's name. */
  readonly targets: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Serves both as `npm start -- --insecure` does, without its log. */
export async function serveFunction(): Promise<FunctionServer> {
  const config = configFrom(["--insecure", "--address=127.0.0.1:0", "--metrics-address="]);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLog(config, nowhere);
  const ours = await serve(config, { runFunction, log });
  const composer = await serve(config, { runFunction: composeBases, log });
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
