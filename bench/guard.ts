import { parsing } from "./implementations/limit.ts";
import { runOf } from "./implementations/ours.ts";
import { type Job, jobs } from "./jobs.ts";
import { isMet, type Row, toTable } from "./report.ts";
import { selectRequests, tagRequests } from "./requests/peers.ts";
import { idleRequest, requestOf } from "./requests/requests.ts";
import { built } from "./rig/built.ts";
import { sample } from "./rig/statistics.ts";
import { costRows } from "./sections/cost.ts";
import { recordsRow } from "./sections/records.ts";

/**
 * `npm run bench:guard`: fails where the function has become slow. Each bound is a ratio of two things done in turns in one process, two
 * to three times away from what is usual, so that neither a slow nor a busy machine fails it.
 */

const { runFunction } = await built<typeof import("../src/run-function.ts")>("run-function");

const ROUNDS = 3;
const MILLISECONDS = 70;

/** Measures the least processor time of each, in microseconds. They run in turns: other work disturbs all alike. */
function best(works: readonly (() => unknown)[]): readonly number[] {
  const least = works.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, work] of works.entries()) {
      least[index] = Math.min(least[index] ?? 0, ...sample(work, MILLISECONDS).cpu);
    }
  }
  return least;
}

function faster(name: string, atLeast: number, ours: () => unknown, theirs: () => unknown): Row {
  const [mine = Number.NaN, others = Number.NaN] = best([ours, theirs]);
  return { name, figures: { is: others / mine }, atLeast: { is: atLeast } };
}

const work = (request: Buffer) => () => runFunction(request);
const request = requestOf(100);
const parse = parsing(request);
const atLeast: Readonly<Record<Job, number>> = { echo: 15, "touch few": 7, everything: 0.12 };

const rows: readonly Row[] = [
  ...jobs.map((job) => faster(`JSON.parse / ${job}`, atLeast[job], () => runOf(job)(request), parse)),
  faster("JSON.parse / no section turned on", 5, work(idleRequest(100)), parse),
  faster("JSON.parse / tags on 100 resources", 0.17, work(tagRequests(100).ours), parse),
  faster("JSON.parse / select 20 beside 100", 1.3, work(selectRequests(20, 100).ours), parse),
  ...(await costRows("brief")),
  await recordsRow(),
];
process.stdout.write(`${toTable(rows)}\n`);
if (!rows.every(isMet)) process.exitCode = 1;
