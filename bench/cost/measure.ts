import { exponentOf } from "../rig/statistics.ts";
import { type Row as CostRow, sized } from "./row.ts";
import { rows } from "./rows.ts";

/** The cost of a row, by the size of its request. */
export interface Cost {
  readonly name: string;
  /** Bytes, and the least processor time that a call took, in that of the reference. */
  readonly points: readonly Point[];
  /** The exponent of the growth; linear is 1. */
  readonly exponent: number;
  /** For a request of 1 MB, or the largest below that which a cluster can hold, in the reference's processor time. */
  readonly atLimit: number;
}

type Point = readonly [bytes: number, time: number];

interface Measured {
  readonly run: (request: Buffer) => unknown;
  /** Work whose processor time is the unit: in milliseconds, a bound would fail on a slower machine. */
  readonly reference: () => unknown;
}

interface Plan {
  readonly sizes: readonly number[];
  readonly callsMs: number;
  /** The number of times that a failing row is measured, the others in between: a machine that others share is slow for minutes. */
  readonly attempts: number;
  readonly atMost: Pick<Cost, "exponent" | "atLimit">;
  /** V8's young generation in MB: many times the garbage of the largest call, so that collecting it does not blur the growth. */
  readonly youngMegabytes: number;
}

const MIB = 1024 * 1024;
const inMiB = (...sizes: readonly number[]): readonly number[] => sizes.map((size) => size * MIB);

export const PLANS = {
  /** Sizes far apart: a cache that is too small from some size on makes one step more expensive and not each of them. */
  whole: {
    sizes: inMiB(1 / 4, 1, 4, 16),
    callsMs: 200,
    attempts: 8,
    atMost: { exponent: 1.15, atLimit: 40 },
    youngMegabytes: 1024,
  },
  /** For a regression guard. Bounds for a busy machine: a cost that grows with the square of something is far beyond both. */
  brief: {
    sizes: inMiB(1 / 16, 1 / 4, 1),
    callsMs: 100,
    attempts: 3,
    atMost: { exponent: 1.4, atLimit: 100 },
    youngMegabytes: 256,
  },
} as const satisfies Readonly<Record<string, Plan>>;

/** A call that takes longer is not followed by larger ones. */
const TOO_LONG_MS = 400;

/** Calls the function with larger and larger requests of each row whose name includes `only`. */
export function measureCost(measured: Measured, plan: Plan, only: string): readonly Cost[] {
  const { sizes, attempts, atMost } = plan;
  const costs = new Map<CostRow, Cost>();
  let left: readonly CostRow[] = rows.filter(({ name }) => name.includes(only));
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const row of left) {
      const points = leastOfBoth(pointsOf(requestsOf(row, sizes), plan, measured), costs.get(row)?.points);
      costs.set(row, { name: row.name, points, exponent: exponentOf(points), atLimit: atLimitOf(points) });
    }
    left = [...costs].flatMap(([row, { exponent, atLimit }]) =>
      exponent <= atMost.exponent && atLimit <= atMost.atLimit ? [] : [row],
    );
  }
  return [...costs.values()];
}

const leastOfBoth = (points: readonly Point[], before: readonly Point[] = []): readonly Point[] =>
  points.map(([bytes, time], index) => [bytes, Math.min(time, before[index]?.[1] ?? time)]);

function atLimitOf(points: readonly Point[]): number {
  const [bytes, time] = points.find(([size]) => size > 0.9 * MIB) ?? points.at(-1) ?? [0, Number.NaN];
  return bytes > MIB ? (time * MIB) / bytes : time;
}

/** Makes requests of sizes that a cluster can hold, as far apart as the plan's. */
function requestsOf(row: CostRow, sizes: readonly number[]): readonly Buffer[] {
  const { largest, request } = sized(row);
  const scale = Math.min(1, largest / Math.max(...sizes));
  return sizes.map((size) => request(size * scale));
}

/**
 * Measures up to the size that takes too long. All sizes warm up first: V8 makes hidden classes for the first 1,536 different keys
 * only, so that a small request may take longer after a large one than before.
 */
function pointsOf(requests: readonly Buffer[], { callsMs }: Plan, { run, reference }: Measured): readonly Point[] {
  const isTooLong = (request: Buffer): boolean => leastOf(() => run(request), callsMs / 2) > TOO_LONG_MS;
  const slow = requests.findIndex(isTooLong);
  const measured = slow === -1 ? requests : requests.slice(0, slow + 1);
  const unit = leastOf(reference, callsMs);
  return measured.map((request) => [request.length, leastOf(() => run(request), callsMs) / unit]);
}

const RUNS = { least: 3, most: 40 };

/** The least processor time of several runs in milliseconds, which the machine's other work, and collecting garbage, disturb least. */
function leastOf(run: () => unknown, forMs: number): number {
  let least = Number.POSITIVE_INFINITY;
  const end = performance.now() + forMs;
  for (let runs = 0; runs < RUNS.most && (runs < RUNS.least || performance.now() < end); runs++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    if (least > TOO_LONG_MS) break;
  }
  return least;
}
