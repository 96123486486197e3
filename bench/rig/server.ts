import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { binaryOf } from "../../scripts/tools/catalogue.ts";
import { outputOf, start } from "./child.ts";
import { temporaryFolder } from "./folder.ts";

/** A function that serves in a process of its own. */
export interface Served {
  readonly address: string;
  /** Resident memory now, in bytes. */
  residentBytes(): number;
  stop(): Promise<void>;
}

export function startServer(command: string, args: readonly string[], address: string): Served {
  const child = start(command, args, "ignore");
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdout?.resume();
  return {
    address,
    residentBytes: () => {
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    stop: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}

/** Finds a port of this machine that is free now. */
export function freeAddress(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(`127.0.0.1:${port}`));
    });
  });
}

/** The measurements of tools/bench-go/cmd/load; times in milliseconds. */
export interface Load {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly min: number;
  readonly perSecond: number;
  readonly responseBytes: number;
}

/** Flags of cmd/load. */
export interface Calls {
  readonly concurrency?: number;
  readonly warm?: string;
  readonly duration?: string;
  readonly calls?: number;
  /** Added round-trip time. */
  readonly delay?: string;
  /** A folder with certificates; none: no TLS. */
  readonly certs?: string;
}

/** Waits until the function answers, then calls it, over one connection. */
export async function call(address: string, request: Buffer, calls: Calls): Promise<Load> {
  const file = join(temporaryFolder(), "request");
  writeFileSync(file, request);
  const flags = Object.entries(calls).map(([name, value]) => `-${name}=${value}`);
  const text = await outputOf(binaryOf("bench-go-load"), [`-target=${address}`, `-request=${file}`, ...flags]);
  return JSON.parse(text) as Load;
}

/**
 * Calls a function before it is measured. It serves for weeks: its first calls, while code is compiled, are in "cold start". Small
 * calls to Node become faster for three to four seconds.
 */
export async function warmUp(address: string, request: Buffer, calls: Calls = {}): Promise<void> {
  await call(address, request, { ...calls, warm: "4s", duration: "0s" });
}
