import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { binaryOf } from "../../scripts/tools/catalogue.ts";
import { decodeResponse } from "../../testing/wire/oracle.ts";
import type { Order } from "../children/codec.ts";
import { type Job, jobs } from "../jobs.ts";
import { compare, FASTER, type Row, type Section } from "../report.ts";
import { requestOf } from "../requests/requests.ts";
import { startWorker, typescript, type Worker } from "../rig/child.ts";
import { temporaryFile } from "../rig/server.ts";
import { medianOf } from "../rig/statistics.ts";

const SDK = "function-sdk-typescript";
const LIMIT = "JSON.parse alone";

/** How much faster than function-sdk-typescript, the fastest of the others, each job has to be. */
const atLeast: Readonly<Record<Job, number>> = { echo: 50, "touch few": 30, everything: 2 };

export const codec: Section = {
  title: "What does it cost to read a request and to write the response?",
  caption:
    "ms from bytes to bytes, medians; 100 composed resources (660 KB). echo changes nothing, touch few reads four resources and writes two, " +
    `everything reads and writes all of them. Times faster than ${SDK}, the fastest of the others. JSON.parse reads the same, and writes nothing.`,
  drawn: FASTER,
  measure,
};

/** The first of the rounds warms up. */
const ROUNDS = 7;
const MILLISECONDS = 250;

type Workers = readonly (readonly [who: string, worker: Worker])[];

const node = (name: string): Worker => startWorker(process.execPath, [...typescript("children/codec.ts"), name]);

/** Measures in one process for each implementation. */
async function measure(): Promise<readonly Row[]> {
  const limit = [LIMIT, node("limit")] as const;
  const workers: Workers = [
    ["ours", node("ours")],
    [SDK, node("sdk")],
    ["Go, function-sdk-go", startWorker(binaryOf("bench-go"), ["codec"])],
  ];
  const request = temporaryFile("request");
  writeFileSync(request, requestOf(100));
  const rows: Row[] = [];
  for (const job of jobs) {
    await assertSameAnswers({ job, request }, workers);
    const asked = job === "everything" ? [...workers, limit] : workers;
    const samples = await takeTurns({ job, request, milliseconds: MILLISECONDS }, asked);
    const figures = [...samples].map(([who, taken]) => [who, medianOf(taken) / 1000] as const);
    rows.push(compare(job, Object.fromEntries(figures), SDK, atLeast[job]));
  }
  for (const [, worker] of [...workers, limit]) worker.stop();
  return rows;
}

/** While one works, the others wait for an order. */
async function takeTurns(order: Order, workers: Workers): Promise<ReadonlyMap<string, number[]>> {
  const samples = new Map<string, number[]>(workers.map(([who]) => [who, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [who, worker] of workers) {
      const taken = await worker.ask(order);
      if (round > 0) samples.get(who)?.push(...taken);
    }
  }
  return samples;
}

/** @throws {Error} naming the implementation whose response is not the first one's: it does another job. */
async function assertSameAnswers(order: Order, workers: Workers): Promise<void> {
  const answers: unknown[] = [];
  const response = temporaryFile("response");
  for (const [who, worker] of workers) {
    await worker.ask({ ...order, response });
    answers.push(decodeResponse(readFileSync(response)));
    if (!isDeepStrictEqual(answers.at(-1), answers[0]))
      throw new Error(`cannot compare: ${who} answers ${order.job} differently`);
  }
}
