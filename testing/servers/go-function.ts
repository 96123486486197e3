import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port.ts";

/** A function that somebody else wrote, in a process of its own. */
export interface GoFunction {
  /** Where it listens, as `host:port`. */
  readonly target: string;
  stop(): Promise<void>;
}

const READY_MS = 30_000;

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a function built with function-sdk-go on a free port, without TLS, and waits until it serves.
 *
 * @throws {Error} with the end of what it printed, where it ends or does not serve in time.
 */
export async function startGoFunction(program: string): Promise<GoFunction> {
  const target = `127.0.0.1:${await freePort()}`;
  const child = spawn(program, ["--insecure", "--address", target], { stdio: ["ignore", "ignore", "pipe"] });
  running.add(child);
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(-2000);
  });
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(timer);
    running.delete(child);
  };
  const end = Date.now() + READY_MS;
  while (!(await isServing(target))) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`cannot start ${program}: ${printed}`);
    }
    await sleep(50);
  }
  return { target, stop };
}

/** Tells whether something accepts connections there: function-sdk-go listens once it can answer. */
export function isServing(target: string): Promise<boolean> {
  const [host = "", port = ""] = target.split(":");
  return new Promise((resolve) => {
    const socket = connect(Number(port), host, () => {
      socket.destroy();
      resolve(true);
    }).once("error", () => resolve(false));
  });
}
