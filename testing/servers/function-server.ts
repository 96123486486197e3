import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { type Part, startPart } from "../../e2e/rig/process.ts";
import { findTool } from "../../scripts/tools/catalogue.ts";
import { createLog } from "../../src/log.ts";
import { runFunction } from "../../src/run-function.ts";
import { serve } from "../../src/server/server.ts";
import { insecure } from "./config.ts";
import { freePort, isServing } from "./free-port.ts";

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
  const directory = mkdtempSync(join(tmpdir(), "functions-"));
  const others: Part[] = [];
  for (const name of OTHERS) {
    const command = findTool(name);
    if (command === undefined) continue;
    const port = await freePort();
    const args = ["--insecure", `--address=127.0.0.1:${port}`];
    others.push(await startPart({ name, command, args, directory, isReady: () => isServing(port) }));
    targets[name] = `127.0.0.1:${port}`;
  }
  return {
    targets,
    stop: async () => {
      await Promise.all([ours.shutDown(), ...others.map((other) => other.stop())]);
      rmSync(directory, { recursive: true });
    },
  };
}
