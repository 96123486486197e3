import { exponentOf } from "../rig/statistics.ts";
import { type Row, sized } from "./row.ts";
import { rows } from "./rows.ts";

/** The cost of a row, by the size of its request. */
export interface Cost {
  readonly name: string;
  /** Bytes, and the least processor time in milliseconds that a call took. */
  readonly points: readonly (readonly [bytes: number, milliseconds: number])[];
  /** Of the growth; linear is 1. */
  readonly exponent: number;
  /** Milliseconds for a request of 1 MB, or the largest that a cluster can hold; infinite if smaller ones were too slow. */
  readonly atLimit: number;
}

/** The limits for every row: the exponent of its growth with the bytes, and milliseconds for 1 MB. */
export interface Limits {
  readonly exponent: number;
  readonly milliseconds: number;
}

/** Sizes of requests, how long each is called, and the limits with them. */
export interface Plan {
  readonly sizes: readonly number[];
  readonly callsMs: number;
  /**
   * The number of times that a failing row is measured; the least of all counts. The others come in between, because a machine that
   * shares its processors and their caches is slow for minutes.
   */
  readonly attempts: number;
  readonly atMost: Limits;
}

const MIB = 1024 * 1024;
const inMiB = (...sizes: readonly number[]): readonly number[] => sizes.map((size) => size * MIB);

export const PLANS = {
  /**
   * Up to a quarter of what the function takes (`--max-recv-message-size`), where a slow row comes close to half a second. Far apart, too:
   * a cache that is too small from some size on, or a large string of V8's, makes one step more expensive and not each of them.
   */
  whole: { sizes: inMiB(1 / 4, 1, 4, 16), callsMs: 200, attempts: 8, atMost: { exponent: 1.15, milliseconds: 100 } },
  /** For a regression guard. Limits for a busy machine: a cost that grows with the square of something is far beyond both. */
  brief: { sizes: inMiB(1 / 16, 1 / 4, 1), callsMs: 100, attempts: 3, atMost: { exponent: 1.4, milliseconds: 250 } },
} as const satisfies Readonly<Record<string, Plan>>;

/** After one that takes longer no larger one is tried. */
const TOO_LONG_MS = 400;

/** Of these many points, the last ones: what every call costs hides the growth of small requests. */
const POINTS = 4;

/**
 * Calls the function with larger and larger requests of each row.
 *
 * @param only rows whose names include it
 */
export function measureCost(
  run: (request: Buffer) => unknown,
  { sizes, callsMs, attempts, atMost }: Plan,
  only = "",
): readonly Cost[] {
  const measured = new Map<Row, Cost>();
  let left: readonly Row[] = rows.filter(({ name }) => name.includes(only));
  for (let attempt = 0; attempt < attempts; attempt++) {
    for (const row of left) {
      const points = pointsOf(requestsOf(row, sizes), callsMs, run);
      const before = measured.get(row)?.points ?? points;
      measured.set(row, toCost({ name: row.name, points: leastOfBoth(before, points) }));
    }
    left = [...measured].flatMap(([row, cost]) => (isFine(cost, atMost) ? [] : [row]));
  }
  return [...measured.values()];
}

export function toCost({ name, points }: Pick<Cost, "name" | "points">): Cost {
  const [bytes, milliseconds] = points.find(([size]) => size > 0.9 * MIB) ??
    points.at(-1) ?? [0, Number.POSITIVE_INFINITY];
  const atLimit = bytes > MIB ? (milliseconds * MIB) / bytes : milliseconds;
  return { name, points, exponent: exponentOf(points.slice(-POINTS)), atLimit };
}

const isFine = ({ exponent, atLimit }: Cost, atMost: Limits): boolean =>
  exponent <= atMost.exponent && atLimit <= atMost.milliseconds;

const leastOfBoth = (points: Cost["points"], others: Cost["points"]): Cost["points"] =>
  others.map(([bytes, milliseconds], index) => [bytes, Math.min(milliseconds, points[index]?.[1] ?? milliseconds)]);

/** Each made when it is asked for, and once: that takes longer than answering it. */
function requestsOf(row: Row, sizes: readonly number[]): readonly (() => Buffer)[] {
  const known = sized(row);
  return sizesUpTo(known.largest, sizes).map((size) => {
    let made: Buffer | undefined;
    return () => {
      made ??= known.request(size);
      return made;
    };
  });
}

/** Makes sizes that exist in a cluster, as far apart as the others. */
function sizesUpTo(largest: number, sizes: readonly number[]): readonly number[] {
  const most = sizes.at(-1) ?? 0;
  return largest < most ? sizes.map((size) => (size * largest) / most) : sizes;
}

/** Up to the size that takes too long. */
function pointsOf(
  requests: readonly (() => Buffer)[],
  callsMs: number,
  run: (request: Buffer) => unknown,
): Cost["points"] {
  warmUp(requests, run);
  const points: [number, number][] = [];
  for (const request of requests) {
    const bytes = request();
    const least = leastOf(callsMs, () => run(bytes));
    points.push([bytes.length, least]);
    if (least > TOO_LONG_MS) break;
  }
  return points;
}

/** For the smallest size, and for each larger one. */
const WARM_UP_MS = { smallest: 150, larger: 60 };

/**
 * Until V8 has compiled what is called often, and has seen each size, as in a server: its heap does not shrink at once, and it makes
 * hidden classes for the first 1,536 different keys only, so that a small request may take longer after a large one than before.
 */
function warmUp(requests: readonly (() => Buffer)[], run: (request: Buffer) => unknown): void {
  const [smallest, ...larger] = requests;
  if (smallest === undefined || isSlow(smallest(), WARM_UP_MS.smallest, run)) return;
  for (const request of larger) if (isSlow(request(), WARM_UP_MS.larger, run)) return;
}

/** Calls the function for so many milliseconds, at least once, and tells whether one call takes too long. */
function isSlow(request: Buffer, milliseconds: number, run: (request: Buffer) => unknown): boolean {
  const end = performance.now() + milliseconds;
  do {
    if (timeOf(() => run(request)) > TOO_LONG_MS) return true;
  } while (performance.now() < end);
  return false;
}

const RUNS = { least: 5, most: 40 };

/** The least processor time of several runs: what the machine's other work, and collecting garbage, disturb least. */
function leastOf(callsMs: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  const end = performance.now() + callsMs;
  for (let runs = 0; runs < RUNS.most && (runs < RUNS.least || performance.now() < end); runs++) {
    least = Math.min(least, timeOf(work));
    if (least > TOO_LONG_MS) break;
  }
  return least;
}

/** Processor time in milliseconds. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
