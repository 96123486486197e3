import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binaryOf } from "../../scripts/tools/catalogue.ts";
import { outputOf, start, typescript } from "./child.ts";

/** A program and its arguments, for an address to listen at. */
export type Program = (address: string) => readonly [command: string, ...args: string[]];

/** The function as its image runs it, but without TLS and metrics. */
export const ourFunction: Program = (address) => [
  process.execPath,
  "build/function/dist/main.cjs",
  "--insecure",
  `--address=${address}`,
  "--metrics-address=",
];

/** Programs that do "touch few". */
export const touchFewPrograms = {
  /** The function's own server, with the job in the place of its features. */
  ours: (address) => [process.execPath, ...typescript("children/server.ts"), address],
  Go: (address) => [binaryOf("bench-go"), "function", `-address=${address}`],
} as const satisfies Readonly<Record<string, Program>>;

/** A function that serves in a process of its own. */
export interface Served {
  readonly address: string;
  /** Resident memory in MB: now, and the most that there was. */
  memory(): { readonly now: number; readonly most: number };
  stop(): void;
}

export async function serve(program: Program): Promise<Served> {
  const address = await freeAddress();
  const [command, ...args] = program(address);
  const child = start(command, args, "ignore");
  return {
    address,
    memory: () => {
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, "utf8");
      const read = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
      return { now: read("VmRSS"), most: read("VmHWM") };
    },
    stop: () => void child.kill("SIGKILL"),
  };
}

function freeAddress(): Promise<string> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(`127.0.0.1:${port}`));
    });
  });
}

/** What `bench-go load` measured; times in milliseconds. */
export interface Load {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** Flags of `bench-go load`. */
export interface Calls {
  readonly concurrency?: number;
  readonly warm?: string;
  readonly duration?: string;
  readonly calls?: number;
}

const folder = mkdtempSync(join(tmpdir(), "bench-"));
process.once("exit", () => rmSync(folder, { recursive: true }));

/** Makes a path in a folder that lasts as long as this process. */
export const temporaryFile = (name: string): string => join(folder, name);

/** Waits until the function answers, then calls it, over one connection. */
export async function call(address: string, request: Buffer, calls: Calls): Promise<Load> {
  const file = temporaryFile("request");
  writeFileSync(file, request);
  const flags = Object.entries(calls).map(([name, value]) => `-${name}=${value}`);
  return JSON.parse(await outputOf(binaryOf("bench-go"), ["load", `-target=${address}`, `-request=${file}`, ...flags]));
}

/** One participant's server, and the request that it gets. */
export interface Participant {
  readonly served: Served;
  readonly request: Buffer;
}

/** A function serves for weeks, and small calls to Node become faster for four seconds. */
const WARM_UP = "4s";
const ROUNDS = 9;
/** Each turn is a connection of its own, whose windows grow first; Crossplane keeps one for weeks. */
const TURN: Calls = { warm: "300ms", duration: "500ms" };

/** Calls servers in turns, so that the machine's other work slows all of them. */
export async function inTurns(
  participants: Readonly<Record<string, Participant>>,
  concurrency: number,
): Promise<Readonly<Record<string, readonly Load[]>>> {
  const loads: Record<string, Load[]> = {};
  for (const [who, { served, request }] of Object.entries(participants)) {
    loads[who] = [];
    await call(served.address, request, { concurrency, warm: WARM_UP });
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [who, { served, request }] of Object.entries(participants)) {
      loads[who]?.push(await call(served.address, request, { concurrency, ...TURN }));
    }
  }
  return loads;
}
