/** How many at a time, and who is told how many are done. */
interface Pace {
  readonly atATime: number;
  readonly onDone: (done: number) => void;
}

/** Works on all items and keeps their order. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  { atATime, onDone }: Pace,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      results.set(index, await work(item));
      onDone(results.size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
