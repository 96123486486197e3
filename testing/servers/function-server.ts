import { Writable } from "node:stream";
import { findTool } from "../../scripts/tools/catalogue.ts";
import { createLog } from "../../src/log.ts";
import { runFunction } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { insecure } from "./config.ts";
import { startGoFunction } from "./go-function.ts";

/** The function, serving on a free port of this machine, beside the functions that users have before and after it. */
export interface FunctionServer {
  /** As `host:port`, by the Function's name. */
  readonly targets: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const OTHERS = ["function-patch-and-transform", "function-auto-ready", "composite-writer"] as const;

/** Serves ours as `npm start -- --insecure` does, without its log, and those of the others that are built. */
export async function serveFunction(): Promise<FunctionServer> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const ours = await serve(insecure, { runFunction, log: createLog(insecure, nowhere) });
  const targets: Record<string, string> = { "function-shared-infrastructure": `127.0.0.1:${ours.port}` };
  const ends: (() => Promise<void>)[] = [ours.shutDown];
  for (const name of OTHERS) {
    const program = findTool(name);
    if (program === undefined) continue;
    const { target, stop } = await startGoFunction(program);
    targets[name] = target;
    ends.push(stop);
  }
  return {
    targets,
    stop: async () => {
      for (const end of ends) await end();
    },
  };
}
