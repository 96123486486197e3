import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { pathOf } from "./run.ts";

/** A registry on loopback, in memory. */
export interface Registry {
  /** HOST:PORT. */
  readonly address: string;
  stop(): void;
}

const START_MS = 10_000;

/** Starts a registry for crane, which cannot append to or mutate an image anywhere else. It ends with this process. */
export function startRegistry(): Promise<Registry> {
  const child = spawn(pathOf("crane"), ["registry", "serve", "--address", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stop = (): void => {
    child.kill();
  };
  process.once("exit", stop);
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`cannot start a registry: ${said.trim() || "crane says nothing"}`));
    const timer = setTimeout(fail, START_MS);
    let said = "";
    child.once("close", fail);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /serving on port (\d+)/.exec(said)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      // Whoever forgets to stop it can end nevertheless.
      child.unref();
      if (child.stderr instanceof Socket) child.stderr.unref();
      resolve({ address: `127.0.0.1:${port}`, stop });
    });
  });
}
