import { PLANS } from "./cost/measure.ts";
import { stepOf } from "./features.ts";
import { limits } from "./implementations/limits.ts";
import { runOf as loaderRunOf } from "./implementations/proto-loader.ts";
import { type Job, jobs } from "./jobs.ts";
import { requestOf } from "./requests.ts";
import { built } from "./rig/built.ts";
import { digits, isMet, type Target } from "./rig/report.ts";
import { sample } from "./rig/sample.ts";
import { exponentOf } from "./rig/statistics.ts";
import { boundsOf, measureApart } from "./sections/cost.ts";

/**
 * `npm run bench:guard`: fails where the function has become slow. Each bound is a ratio of two things done in turns in this process,
 * some three times away from what is usual, so that a busy machine does not fail it; but for what a request of 1 MB may take, which is
 * processor time, and what others wait for.
 */

const { runOf } = await import("./implementations/ours.ts");
const { runFunction } = await built<typeof import("../src/run-function.ts")>("run-function");

const ROUNDS = 3;
const MILLISECONDS = 70;
const COUNT = 100;

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

const faster = (what: string, atLeast: number, ours: () => unknown, theirs: () => unknown): Target => {
  const [mine = 1, others = 0] = best([ours, theirs]);
  return { what, is: others / mine, atLeast };
};

/** Made once: making a request takes longer than answering it. */
const steps = new Map<number, Buffer>();
function step(resources: number): Buffer {
  const known = steps.get(resources) ?? stepOf({ spec: {}, resources });
  steps.set(resources, known);
  return known;
}

const request = requestOf(COUNT, COUNT / 10);
const parse = limits["JSON.parse"]?.(request) ?? (() => undefined);
const bounds: Readonly<Record<Job, number>> = {
  echo: 50,
  "touch few": 15,
  "look up": 15,
  everything: 1.2,
  "tag all": 2.5,
  select: 40,
};

const guards: readonly Target[] = [
  ...jobs.map((job) => {
    const [ours, theirs] = [runOf(job), loaderRunOf(job)];
    return faster(
      `${job}: @grpc/proto-loader / ours`,
      bounds[job],
      () => ours(request),
      () => theirs(request),
    );
  }),
  faster("JSON.parse / echo", 20, () => runOf("echo")(request), parse),
  faster("JSON.parse / touch few", 2, () => runOf("touch few")(request), parse),
  faster("JSON.parse / everything", 0.12, () => runOf("everything")(request), parse),
  faster("JSON.parse / the function with no section turned on", 8, () => runFunction(step(COUNT)), parse),
  growth("everything", (count) => runOf("everything").bind(undefined, requestOf(count))),
  growth("the function with no section turned on", (count) => runFunction.bind(undefined, step(count))),
  ...(await measureApart("brief")).flatMap((cost) => boundsOf(cost, PLANS.brief.atMost)),
];

/** Linear is 1. */
function growth(what: string, workOf: (count: number) => () => unknown): Target {
  const counts = [50, 100, 200, 400];
  const taken = best(counts.map(workOf));
  const points = counts.map((count, index) => [count, taken[index] ?? 0] as const);
  return { what: `exponent of the growth: ${what}`, is: exponentOf(points), atMost: 1.4 };
}

let failed = 0;
for (const guard of guards) {
  const { what, is, atLeast, atMost } = guard;
  if (!isMet(guard)) failed++;
  const bound = atLeast === undefined ? `at most ${digits(atMost ?? 0)}` : `at least ${digits(atLeast)}`;
  process.stdout.write(`${isMet(guard) ? "ok    " : "FAILED"}  ${what}: ${digits(is)} (${bound})\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
