export function medianOf(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The exponent b of y = a·x^b that fits best: 1 is linear. Least squares in logarithms. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** The shortest duration of a batch in milliseconds, so long that the clock's resolution does not matter. */
const BATCH_MS = 5;

/** The duration of one run in microseconds: the means of batches, by two clocks. */
interface Samples {
  readonly wall: readonly number[];
  /** Processor time of all threads, which other work of the machine hardly changes. */
  readonly cpu: readonly number[];
}

/** Times some work. It is run before for half of the time, to warm up. The Go program does the same. */
export function sample(work: () => unknown, milliseconds: number): Samples {
  measure(work, milliseconds / 2, 1);
  return measure(work, milliseconds, 3);
}

function measure(work: () => unknown, milliseconds: number, atLeast: number): Samples {
  const wall: number[] = [];
  const cpu: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end || wall.length < atLeast) {
    const start = performance.now();
    const used = process.cpuUsage();
    let runs = 0;
    for (; performance.now() - start < BATCH_MS; runs++) work();
    const { user, system } = process.cpuUsage(used);
    wall.push(((performance.now() - start) * 1000) / runs);
    cpu.push((user + system) / runs);
  }
  return { wall, cpu };
}
