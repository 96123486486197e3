import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Order } from "../children/codec.ts";
import { type Job, jobs } from "../jobs.ts";
import { requestOf } from "../requests.ts";
import { startWorker, type Worker } from "../rig/child.ts";
import { codecProgram, type Implementation, implementations, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { assertSameAnswers } from "../rig/same-answers.ts";
import { type Measured, summarise } from "../rig/statistics.ts";

/**
 * Decode, do a job, encode: one implementation a process. The processes take turns, a fraction of a second each and several
 * rounds, so that whatever else the machine does falls on all of them.
 */

const ROUNDS = 3;
const MILLISECONDS = 250;
const counts = [10, 100, 500] as const;

/** The jobs that tools/bench-go has without the SDK's helpers. */
const leanJobs: readonly Job[] = ["touch few", "look up"];

type Who = Implementation | "limits";
interface Case {
  readonly who: Who;
  readonly job: string;
  readonly count: number;
}
interface Figure extends Case {
  readonly microseconds: Measured;
}

const cases: readonly Case[] = counts.flatMap((count) => [
  ...jobs.flatMap((job) =>
    implementations
      .filter((who) => who !== "go lean" || leanJobs.includes(job))
      .map((who): Case => ({ who, job: who === "go lean" ? `${job} lean` : job, count })),
  ),
  ...["memcpy", "JSON.parse"].map((job): Case => ({ who: "limits", job, count })),
]);

export async function codec(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const fileOf = ({ count, job }: Case): string => join(folder, job === "select" ? `select-${count}` : `${count}`);
  for (const count of counts) {
    writeFileSync(join(folder, `${count}`), requestOf(count));
    writeFileSync(join(folder, `select-${count}`), requestOf(count, count / 10));
  }
  const workers = new Map<Who, Worker>();
  for (const who of [...implementations, "limits"] as const) {
    const { command, args } = codecProgram(who);
    workers.set(who, startWorker(command, args));
  }
  const ask = async (one: Case, more: Partial<Order>): Promise<readonly number[]> => {
    const order: Order = { job: one.job, request: fileOf(one), ...more };
    const answer = await workers.get(one.who)?.ask<{ microseconds: readonly number[] }>(order);
    return answer?.microseconds ?? [];
  };
  await assertSameAnswers(cases, (one, response) => ask(one, { response }), folder);
  const figures = await inRounds((one) => ask(one, { milliseconds: MILLISECONDS }));
  for (const worker of workers.values()) worker.stop();
  return { title: "Codec: bytes to bytes", tables: tablesOf(figures), targets: targetsOf(figures), figures };
}

async function inRounds(measure: (one: Case) => Promise<readonly number[]>): Promise<readonly Figure[]> {
  const samples = new Map<Case, number[]>(cases.map((one) => [one, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const one of cases) {
      const taken = await measure(one);
      if (round > 0) samples.get(one)?.push(...taken); // the first round is there to warm up
    }
  }
  return cases.map((one) => ({ ...one, microseconds: summarise(samples.get(one) ?? []) }));
}

const find = (figures: readonly Figure[], who: Who, job: string, count: number): Measured | undefined =>
  figures.find(
    (figure) =>
      figure.who === who && figure.job === (who === "go lean" ? `${job} lean` : job) && figure.count === count,
  )?.microseconds;

const inMilliseconds = (measured: Measured | undefined): string => {
  if (measured === undefined) return "";
  const { median, p10, p90 } = measured;
  return withSpread({ median: median / 1000, p10: p10 / 1000, p90: p90 / 1000 });
};

function tablesOf(figures: readonly Figure[]): readonly Table[] {
  return counts.map((count) => ({
    caption: `${count} composed resources, ms for one request: median (p10–p90)`,
    head: ["job", ...implementations.map((who) => titles[who])],
    rows: [
      ...jobs.map((job) => [job, ...implementations.map((who) => inMilliseconds(find(figures, who, job, count)))]),
      ...["memcpy", "JSON.parse"].map((job) => [`limit: ${job}`, inMilliseconds(find(figures, "limits", job, count))]),
    ].map((row) => [...row, ...Array(1 + implementations.length - row.length).fill("")]),
  }));
}

const wanted: readonly { readonly job: Job; readonly who: Implementation; readonly atLeast: readonly number[] }[] = [
  { job: "touch few", who: "proto-loader", atLeast: [20, 60, 120] },
  { job: "touch few", who: "sdk", atLeast: [10, 30, 45] },
  { job: "touch few", who: "go", atLeast: [15, 40, 60] },
  { job: "everything", who: "proto-loader", atLeast: [3, 3, 3] },
  { job: "everything", who: "sdk", atLeast: [2, 2, 2] },
  { job: "everything", who: "go", atLeast: [3, 3, 3] },
];

const targetsOf = (figures: readonly Figure[]): readonly Target[] =>
  wanted.flatMap(({ job, who, atLeast }) =>
    counts.map((count, index): Target => {
      const [theirs, ours] = [find(figures, who, job, count), find(figures, "ours", job, count)];
      return {
        what: `${job}, ${digits(count)} resources: ${titles[who]} / ours`,
        is: (theirs?.median ?? 0) / (ours?.median ?? 1),
        atLeast: atLeast[index] ?? 0,
      };
    }),
  );
