/** Compares texts by their UTF-16 code units, independent of the locale. */
export const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

export const compareEntries = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  compareTexts(a[0], b[0]);

/** Groups items by key, in their order, without items that have no key. Map.groupBy needs a later Node.js than we support. */
export function groupBy<T, K>(items: readonly T[], toKey: (item: T) => K | undefined): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = toKey(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
