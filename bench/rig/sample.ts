/** The shortest duration of a batch in milliseconds, so long that the clock's resolution does not matter. */
const BATCH_MS = 5;

/** The duration of one run in microseconds: the means of batches, by two clocks. */
export interface Samples {
  readonly wall: readonly number[];
  /** Processor time of all threads, which other work of the machine hardly changes. */
  readonly cpu: readonly number[];
}

/**
 * Times some work. It is run before for half of the time, to warm up. The Go programs do the same.
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
