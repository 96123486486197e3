/** Works on all items, so many at a time, and keeps their order. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  atATime: number,
  work: (item: T, done: number) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item, results.size));
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return items.flatMap((_, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [result];
  });
}
