interface Pace {
  /** The number of items at a time; the default is low enough for an API server's fair queues. */
  readonly atATime?: number;
  /** Called after each item with the number of finished items. */
  readonly onDone?: (done: number) => void;
}

/** Works on several items at a time. The results are in the order of the items; the first failure ends it. */
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
