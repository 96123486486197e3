import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parsing } from "../implementations/limit.ts";
import type { Job, Run } from "../jobs.ts";
import { sample } from "../rig/statistics.ts";

// `codec.ts IMPLEMENTATION`: does one implementation's jobs on encoded requests, in a process of its own.

/** A line of JSON on standard input, which `bench-go codec` takes as well. The answer is microseconds of runs. */
export interface Order {
  readonly job: Job;
  /** A file with an encoded request. */
  readonly request: string;
  readonly milliseconds?: number;
  /** The file to write the response into, instead of timing. */
  readonly response?: string;
}

const name = process.argv[2] ?? "";

async function toRunOf(): Promise<(job: Job) => Run> {
  const { runOf } = (await import(`../implementations/${name}.ts`)) as { readonly runOf: (job: Job) => Run };
  return runOf;
}

const runOf = name === "limit" ? undefined : await toRunOf();

for await (const line of createInterface({ input: process.stdin })) {
  const { job, request: file, milliseconds = 0, response } = JSON.parse(line) as Order;
  const request = readFileSync(file);
  const run = runOf?.(job);
  if (run && response !== undefined) writeFileSync(response, run(request));
  const work = run ? () => run(request) : parsing(request);
  const answer = response === undefined ? sample(work, milliseconds).wall : [];
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
