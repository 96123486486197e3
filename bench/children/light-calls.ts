import { readFileSync } from "node:fs";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { V1 } from "../../testing/servers/frames.ts";
import { summarise } from "../rig/statistics.ts";

// `light-calls.ts ADDRESS REQUEST`: makes a small call every ten milliseconds, whether the last one is answered or not. Each line on
// stdin starts a new count, and the last one is printed as JSON.

/** The calls since the last line. */
export interface LightCalls {
  readonly calls: number;
  /** The status of calls that were not answered. */
  readonly lost: readonly string[];
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const INTERVAL_MS = 10;
const DEADLINE_MS = 10_000;

const [, , address = "", file = ""] = process.argv;
const request = readFileSync(file);
const client = new Client(address, credentials.createInsecure());
const same = (bytes: Buffer): Buffer => bytes;

let durations: number[] = [];
let lost: string[] = [];
let open = 0;

function call(): void {
  const start = performance.now();
  const into = { durations, lost };
  open++;
  client.makeUnaryRequest(V1, same, same, request, new Metadata(), { deadline: Date.now() + DEADLINE_MS }, (error) => {
    open--;
    into.durations.push(performance.now() - start);
    if (error) into.lost.push(error.message);
  });
}

let timer = setInterval(call, INTERVAL_MS);
for await (const _line of process.stdin) {
  clearInterval(timer);
  while (open > 0) await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  const sorted = durations.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
  const report: LightCalls = {
    calls: sorted.length,
    lost,
    p50: summarise(sorted).median,
    p99,
    max: sorted.at(-1) ?? Number.NaN,
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
  durations = [];
  lost = [];
  timer = setInterval(call, INTERVAL_MS);
}
clearInterval(timer);
client.close();
