import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Order } from "../children/codec.ts";
import { type Job, jobs } from "../jobs.ts";
import { requestOf } from "../requests.ts";
import { startWorker, type Worker } from "../rig/child.ts";
import { temporaryFolder } from "../rig/folder.ts";
import { codecProgram, type Implementation, implementations, jobOf, titles } from "../rig/implementations.ts";
import { digits, type Section, type Table, type Target, withSpread } from "../rig/report.ts";
import { assertSameAnswers } from "../rig/same-answers.ts";
import type { Samples } from "../rig/sample.ts";
import { type Measured, summarise } from "../rig/statistics.ts";

/**
 * Decode, do a job, encode: one process for each implementation. The processes take turns of a fraction of a second in several
 * rounds, so that other work of the machine slows all of them; while one works, the others wait for an order.
 */

const ROUNDS = 6;
const MILLISECONDS = 250;
/** The numbers of composed resources in a request. Each is a section, because each takes some minutes. */
export const counts = [10, 100, 500] as const;
type Count = (typeof counts)[number];

type Who = Implementation | "limits";
interface Case {
  readonly who: Who;
  /** The name of the job for all implementations. */
  readonly job: string;
  /** The name of the job in the program. */
  readonly order: string;
  readonly count: number;
}
interface Figure extends Case {
  readonly wall: Measured;
  readonly cpu: Measured;
}

const casesOf = (count: Count): readonly Case[] => [
  ...jobs.flatMap((job) =>
    implementations.flatMap((who): readonly Case[] => {
      const order = jobOf(who, job);
      return order === undefined ? [] : [{ who, job, order, count }];
    }),
  ),
  ...["memcpy", "JSON.parse"].map((job): Case => ({ who: "limits", job, order: job, count })),
];

export async function codec(count: Count): Promise<Section> {
  const cases = casesOf(count);
  const folder = temporaryFolder();
  const fileOf = ({ job }: Case): string => join(folder, job === "select" ? "select" : "request");
  writeFileSync(join(folder, "request"), requestOf(count));
  writeFileSync(join(folder, "select"), requestOf(count, count / 10));
  const workers = new Map<Who, Worker>();
  for (const who of [...implementations, "limits"] as const) {
    const { command, args } = codecProgram(who);
    workers.set(who, startWorker(command, args));
  }
  const ask = async (one: Case, more: Partial<Order>): Promise<Samples | undefined> =>
    workers.get(one.who)?.ask<Samples>({ job: one.order, request: fileOf(one), ...more });
  await assertSameAnswers(cases, (one, response) => ask(one, { response }), folder);
  const figures = await inRounds(cases, (one) => ask(one, { milliseconds: MILLISECONDS }));
  for (const worker of workers.values()) worker.stop();
  return {
    title: `Codec: bytes to bytes, ${count} composed resources`,
    tables: [tableOf(figures, count)],
    targets: targetsOf(figures, count),
    figures,
  };
}

async function inRounds(
  cases: readonly Case[],
  measure: (one: Case) => Promise<Samples | undefined>,
): Promise<readonly Figure[]> {
  const samples = new Map<Case, Samples[]>(cases.map((one) => [one, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const one of cases) {
      const taken = await measure(one);
      if (round > 0 && taken) samples.get(one)?.push(taken); // the first round warms up
    }
  }
  return cases.map((one) => {
    const taken = samples.get(one) ?? [];
    const [wall, cpu] = [taken.flatMap((some) => some.wall), taken.flatMap((some) => some.cpu)];
    return { ...one, wall: inMilliseconds(summarise(wall)), cpu: inMilliseconds(summarise(cpu)) };
  });
}

const inMilliseconds = ({ median, p10, p90 }: Measured): Measured => ({
  median: median / 1000,
  p10: p10 / 1000,
  p90: p90 / 1000,
});

const find = (figures: readonly Figure[], who: Who, job: string, count: number): Figure | undefined =>
  figures.find((figure) => figure.who === who && figure.job === job && figure.count === count);

const cellOf = (figure: Figure | undefined): string =>
  figure === undefined ? "" : `${withSpread(figure.wall)}, CPU ${digits(figure.cpu.median)}`;

const tableOf = (figures: readonly Figure[], count: Count): Table => ({
  caption: "ms for one request: median (p10–p90), and of processor time",
  head: ["job", ...implementations.map((who) => titles[who])],
  rows: [
    ...jobs.map((job) => [job, ...implementations.map((who) => cellOf(find(figures, who, job, count)))]),
    ...["memcpy", "JSON.parse"].map((job) => [`limit: ${job}`, cellOf(find(figures, "limits", job, count))]),
  ].map((row) => [...row, ...Array(1 + implementations.length - row.length).fill("")]),
});

interface Wanted {
  readonly job: Job;
  readonly ours?: Implementation;
  readonly who: Implementation;
  /** For each of `counts`. */
  readonly atLeast: readonly number[];
}

const fewFromMany: readonly Omit<Wanted, "ours">[] = [
  { job: "touch few", who: "proto-loader", atLeast: [20, 60, 120] },
  { job: "touch few", who: "sdk", atLeast: [10, 30, 45] },
  { job: "touch few", who: "go", atLeast: [15, 40, 60] },
];

const wanted: readonly Wanted[] = [
  ...fewFromMany,
  ...fewFromMany.map((one): Wanted => ({ ...one, ours: "ours whole" })),
  { job: "everything", who: "proto-loader", atLeast: [3, 3, 3] },
  { job: "everything", who: "sdk", atLeast: [2, 2, 2] },
  { job: "everything", who: "go", atLeast: [3, 3, 3] },
];

const targetsOf = (figures: readonly Figure[], count: Count): readonly Target[] => [
  ...ratiosOf(figures, count),
  toParsing(figures, count),
];

/** Reading and writing everything, beside V8's own parser, which only reads. */
function toParsing(figures: readonly Figure[], count: Count): Target {
  const ratioOf = (time: "wall" | "cpu"): number => {
    const [ours, parsing] = [find(figures, "ours", "everything", count), find(figures, "limits", "JSON.parse", count)];
    return (ours?.[time].median ?? 0) / (parsing?.[time].median ?? 1);
  };
  const what = `everything, ${digits(count)} resources: ours / JSON.parse alone`;
  return { what, is: ratioOf("wall"), inCpuTime: ratioOf("cpu"), atMost: 1.5 };
}

const ratiosOf = (figures: readonly Figure[], count: Count): readonly Target[] =>
  wanted.map(({ job, ours = "ours", who, atLeast }) => {
    const ratioOf = (time: "wall" | "cpu"): number => {
      const [theirs, mine] = [find(figures, who, job, count), find(figures, ours, job, count)];
      return (theirs?.[time].median ?? 0) / (mine?.[time].median ?? 1);
    };
    const what = `${job}, ${digits(count)} resources: ${titles[who]} / ${titles[ours]}`;
    return { what, is: ratioOf("wall"), inCpuTime: ratioOf("cpu"), atLeast: atLeast[counts.indexOf(count)] ?? 0 };
  });
