/** How long a batch takes at least, in milliseconds: long enough that the clock's resolution does not matter. */
const BATCH_MS = 5;

/** What one run takes, in microseconds: the means of batches, in two lists that belong together. */
export interface Samples {
  readonly wall: readonly number[];
  /** The processor's time, of all threads: what else the machine does makes it hardly longer. */
  readonly cpu: readonly number[];
}

/**
 * Times some work. Half as long as is measured, the work is done before, to warm up. The Go programs do the same.
 */
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
