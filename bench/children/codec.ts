import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { limits } from "../implementations/limits.ts";
import type { Job, Run } from "../jobs.ts";
import { type Samples, sample } from "../rig/sample.ts";

// Does one implementation's jobs on encoded requests, in a process of its own. Each order is a line of JSON.

/** An order, which tools/bench-go/cmd/codec takes as well. */
export interface Order {
  readonly job: Job | string;
  /** A file with an encoded request. */
  readonly request: string;
  readonly milliseconds?: number;
  /** The file to write the response into, instead of timing. */
  readonly response?: string;
}

interface Implementation {
  runOf(job: Job): Run;
}

const name = process.argv[2] ?? "";
const runOf = name === "limits" ? undefined : ((await import(`../implementations/${name}.ts`)) as Implementation).runOf;

function workOf(job: string, request: Buffer): () => unknown {
  if (runOf === undefined) return limits[job]?.(request) ?? (() => undefined);
  const run = runOf(job as Job);
  return () => run(request);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { job, request, milliseconds = 0, response } = JSON.parse(line) as Order;
  const work = workOf(job, readFileSync(request));
  if (response !== undefined) writeFileSync(response, work() as Uint8Array);
  const samples: Samples = response === undefined ? sample(work, milliseconds) : { wall: [], cpu: [] };
  process.stdout.write(`${JSON.stringify(samples)}\n`);
}
