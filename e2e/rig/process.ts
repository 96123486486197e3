import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A part of the rig: a process of its own, with a log of its own. */
export interface Part {
  readonly name: string;
  readonly log: string;
  /** Settles when it ends without having been told to: with what its log says last. */
  readonly crashed: Promise<string>;
  /** Ends it, and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface PartOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the user of this process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Where its log goes. */
  readonly directory: string;
  /** Asked again and again until it says yes; a rejection counts as no. */
  readonly isReady: () => Promise<boolean>;
}

/** Processes that have to end with this one, however it ends. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Most parts are Go programs. With Go's own setting a fifth of what the API server computes is the collection of garbage. */
const ENV = { GOGC: "300" };

const READY_MS = 90_000;
const LOG_TAIL = 2000;

/**
 * Starts a part and waits until it is ready.
 *
 * @throws {Error} with the end of its log where it ends, or is not ready in time.
 */
export async function startPart(options: PartOptions): Promise<Part> {
  const { name, command, args, env = {}, user, directory, isReady } = options;
  const log = join(directory, `${name}.log`);
  const file = openSync(log, "a");
  const child = spawn(command, args, {
    env: { ...process.env, ...ENV, ...env },
    ...user,
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const tail = (): string => readFileSync(log, "utf8").slice(-LOG_TAIL);
  let isToldTo = false;
  const crashed = new Promise<string>((resolve) => {
    child.once("close", () => isToldTo || resolve(`${name} ended; its log ends with:\n${tail()}`));
  });
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    isToldTo = true;
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    running.delete(child);
    clearTimeout(timer);
  };
  try {
    await until(`${name} is ready`, isReady, { timeoutMs: READY_MS, isOver: () => hasEnded(child) });
  } catch (cause) {
    await stop("SIGKILL");
    throw new Error(`cannot start ${name}; its log ends with:\n${tail()}`, { cause });
  }
  return { name, log, crashed, stop };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

interface Patience {
  readonly timeoutMs: number;
  /** True once waiting is pointless. */
  readonly isOver?: () => boolean;
}

/**
 * Asks until the answer is yes.
 *
 * @throws {Error} naming what was waited for.
 */
export async function until(what: string, ask: () => Promise<boolean>, { timeoutMs, isOver }: Patience): Promise<void> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < end && isOver?.() !== true) {
    try {
      if (await ask()) return;
    } catch (error) {
      last = error;
    }
    await sleep(200);
  }
  throw new Error(`gave up waiting until ${what}${last === undefined ? "" : `: ${String(last)}`}`, { cause: last });
}
