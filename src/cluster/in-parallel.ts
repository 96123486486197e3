interface Pace {
  /** The default is enough to be quick, and few enough for an API server's fair queues. */
  readonly atATime?: number;
  /** Called with the number of items that are done, after each. */
  readonly onDone?: (done: number) => void;
}

/** Works on all items, some at a time; the results are in the order of the items. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  { atATime = 8, onDone = () => {} }: Pace = {},
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
