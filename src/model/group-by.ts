/** Groups items by a key, both in their order; items without a key are left out. Map.groupBy needs a later Node.js than we support. */
export function groupBy<T, Key>(
  items: readonly T[],
  toKey: (item: T) => Key | undefined,
): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = toKey(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
