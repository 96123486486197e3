/** How long a batch takes at least, in milliseconds: long enough that the clock's resolution does not matter. */
const BATCH_MS = 5;

/**
 * What one run takes, in microseconds: each sample is the mean of a batch. Half as long as is measured, the work is done
 * before, to warm up. The Go programs do the same.
 */
export function sample(work: () => unknown, milliseconds: number): readonly number[] {
  measure(work, milliseconds / 2);
  return measure(work, milliseconds);
}

function measure(work: () => unknown, milliseconds: number): readonly number[] {
  const samples: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end || samples.length < 3) {
    const start = performance.now();
    let runs = 0;
    for (; performance.now() - start < BATCH_MS; runs++) work();
    samples.push(((performance.now() - start) * 1000) / runs);
  }
  return samples;
}
